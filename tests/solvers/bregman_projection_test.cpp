// SPDX-License-Identifier: Apache-2.0
// Certificates: the maximiser over the hull of the permutations of w has a vanishing Wolfe gap, max over
// permutations of ⟨s − φ'(μ), y − μ⟩, which a sort computes.
#include "solvers/bregman_projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "fenchel/core/numeric.hpp"
#include "polytopes/arrangements.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

// ½t² and t log t under no name that the library knows, so that nothing takes a path of its own.
struct PlainSquare {
  static constexpr std::string_view name = "plain square";
  double lower() const { return -infinity; }
  double upper() const { return infinity; }
  double value(double t) const { return 0.5 * t * t; }
  double slope(double t) const { return t; }
  double inverse(double s) const { return s; }
  double curvature(double) const { return 1; }
};
struct PlainEntropy {
  static constexpr std::string_view name = "plain entropy";
  double lower() const { return 0; }
  double upper() const { return infinity; }
  double value(double t) const { return xlogx(t); }
  double slope(double t) const { return 1 + std::log(t); }
  double inverse(double s) const { return std::exp(s - 1); }
  double curvature(double t) const { return 1 / t; }
};

struct Fit {
  Vector mu;
  std::vector<std::uint32_t> ends;
};

Fit fit(const Generator& phi, const Vector& s, const Vector& w) {
  Fit result{Vector(s.size()), std::vector<std::uint32_t>(s.size())};
  result.ends.resize(isotonic_bregman(phi, s, w, result.mu, result.ends, thread_workspace()));
  return result;
}

Vector descending(Vector x) {
  std::ranges::sort(x, std::greater<>());
  return x;
}

double wolfe_gap(const Generator& phi, const Vector& s, const Vector& w, const Vector& mu) {
  constexpr double underflow = 1e-290;  // entries below have lost digits, or are 0: last in the order
  Vector rest(s.size());
  double least = infinity;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool exact = mu[i] > underflow || std::isfinite(phi.slope(mu[i]));
    rest[i] = exact ? s[i] - phi.slope(mu[i]) : least;
    least = std::min(least, rest[i]);
  }
  return dot(descending(rest), w) - dot(rest, mu);
}

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all{
      TsallisGenerator{0.5}, TsallisGenerator{0.999}, TsallisGenerator{1.2}, TsallisGenerator{1.5},
      TsallisGenerator{2.5}, TsallisGenerator{4},     BurgGenerator{},       FermiDiracGenerator{},
      PlainSquare{},         PlainEntropy{}};
  return all;
}

// Weights where φ is finite.
Vector weights(Random& random, std::size_t n, const Generator& phi) {
  Vector w(n);
  for (double& weight : w) weight = (phi.name() == "burg" ? 0.05 : 0) + 0.9 * random.uniform();
  if (phi.upper() == infinity) {
    for (double& weight : w) weight *= 5;
  }
  if (n > 2 && phi.name() != "burg") w[0] = w[1] = 0;
  return descending(w);
}

TEST(IsotonicBregman, HasNoWolfeGap) {
  Random random(1);
  for (const Generator& phi : generators()) {
    for (const std::size_t n : {1u, 2u, 3u, 10u, 100u, 1000u}) {
      for (const double spread : {1e-6, 0.1, 1.0, 10.0, 1e3}) {
        SCOPED_TRACE(std::string(phi.name()) + " n=" + std::to_string(n) + " " + std::to_string(spread));
        const Vector w = weights(random, n, phi);
        const Vector s = descending(normal_vector(random, n, spread));
        const auto [mu, ends] = fit(phi, s, w);
        const double total = std::accumulate(w.begin(), w.end(), 0.0);
        EXPECT_NEAR(std::accumulate(mu.begin(), mu.end(), 0.0), total, 1e-13 * (1 + total));
        double excess = 0;
        for (std::size_t i = 0; i < n; ++i) {
          excess += mu[i] - w[i];
          EXPECT_LE(excess, 1e-12 * (1 + total));
          if (i > 0) {
            EXPECT_LE(mu[i], mu[i - 1] * (1 + 1e-12) + 1e-15);
          }
        }
        EXPECT_LE(wolfe_gap(phi, s, w, mu), 1e-11 * (1 + spread) * (1 + total) * (1 + w[0] * w[0] * w[0]));
        EXPECT_EQ(ends.back(), n);
      }
    }
  }
}

// The two projections that have loops of their own, to 1e-12.
TEST(IsotonicBregman, AgreesWithEuclideanAndEntropic) {
  Random random(2);
  for (const std::size_t n : {1u, 2u, 7u, 200u}) {
    for (const double spread : {1e-3, 1.0, 20.0}) {
      const Vector w = descending(normal_vector(random, n, 2));
      const Vector positive = weights(random, n, PlainEntropy{});
      const Vector s = descending(normal_vector(random, n, spread));
      Vector mu(n);
      std::vector<std::uint32_t> ends(n);
      ends.resize(arrangements::project(s, w, mu, ends, thread_workspace()));
      const Fit square = fit(PlainSquare{}, s, w);
      EXPECT_LE(max_difference(square.mu, mu), 1e-12 * (1 + max_abs(w)));
      EXPECT_EQ(square.ends, ends);
      ends.resize(n);
      ends.resize(arrangements::project(s, positive, mu, ends, thread_workspace()));
      EXPECT_LE(max_difference(fit(TsallisGenerator{2}, s, positive).mu, mu), 1e-12 * (1 + max_abs(w)));
      ends.resize(n);
      arrangements::project_kl(s, positive, mu, ends, thread_workspace());
      EXPECT_LE(max_difference(fit(PlainEntropy{}, s, positive).mu, mu), 1e-12 * (1 + max_abs(mu)));
      EXPECT_LE(max_difference(fit(TsallisGenerator{1}, s, positive).mu, mu), 1e-12 * (1 + max_abs(mu)));
    }
  }
}

TEST(IsotonicBregman, HardInput) {
  for (const Generator& phi : generators()) {
    SCOPED_TRACE(phi.name());
    EXPECT_TRUE(fit(phi, {}, {}).ends.empty());
    EXPECT_EQ(fit(phi, {7}, {0.5}).mu, Vector{0.5});
    EXPECT_EQ(fit(phi, {9, 7, 1}, {0.5, 0.5, 0.5}).mu, (Vector{0.5, 0.5, 0.5})) << "equal weights";
    const Vector w{0.9, 0.6, 0.3};
    EXPECT_LE(max_difference(fit(phi, {2, 2, 2}, w).mu, {0.6, 0.6, 0.6}), 1e-15) << "ties";
    EXPECT_EQ(fit(phi, {1e8, 0, -1e8}, w).mu, w) << "far apart";
    const Vector s{0.25, 0.125, 0};
    const Fit plain = fit(phi, s, w);
    for (const double shift : {1e6, -1e6})
      EXPECT_LE(max_difference(fit(phi, shifted(s, shift), w).mu, plain.mu), 1e-14);
  }
}

TEST(ShareSum, SumsAndOrder) {
  Random random(3);
  for (const Generator& given : generators()) {
    const Generator phi = given.within(0, 1);
    for (const std::size_t n : {1u, 2u, 5u, 50u}) {
      for (const double spread : {0.0, 1.0, 100.0}) {
        Vector theta = normal_vector(random, n, spread, 1e6), mu(n);
        if (n == 5) theta[2] = mask;
        const double most = n == 5 ? 4 : static_cast<double>(n);
        const double total = 0.1 + (most - 0.2) * random.uniform();
        share_sum(phi, theta, total, mu);
        EXPECT_NEAR(std::accumulate(mu.begin(), mu.end(), 0.0), total, 1e-13 * most) << phi.name();
        if (n == 5) {
          EXPECT_EQ(mu[2], 0);
        }
        // θ − φ'(μ) is the same for all entries inside, and nothing gains by leaving an end.
        double tau = mask;
        for (std::size_t j = 0; j < n; ++j) {
          if (phi.mobility(mu[j]) > 1e-3 && mu[j] < 1 - 1e-6) tau = theta[j] - phi.slope(mu[j]);
        }
        if (tau == mask) continue;
        for (std::size_t j = 0; j < n; ++j) {
          if (theta[j] == mask) continue;
          EXPECT_NEAR(phi.inverse(theta[j] - tau), mu[j], 1e-6) << phi.name();
        }
        share_sum(phi, theta, most, mu);
        for (std::size_t j = 0; j < n; ++j) EXPECT_EQ(mu[j], theta[j] == mask ? 0 : 1);
      }
    }
  }
}

}  // namespace
}  // namespace fenchel::test
