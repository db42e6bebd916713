// SPDX-License-Identifier: Apache-2.0
// Projections onto transport polytopes: exact sums and the variational inequality ⟨θ − μ, z − μ⟩ ≤ 0 for all
// plans z.
#include "solvers/transport_projection.hpp"

#include <string>

#include "solvers/plan_reference.hpp"
#include "solvers/sinkhorn.hpp"

namespace fenchel::test::plans {
namespace {

void expect_projection(const Numbers& theta, const Numbers& a, const Numbers& b, const std::string& what) {
  SCOPED_TRACE(what);
  Workspace scratch;
  Numbers mu(theta.size());
  const Report report = TransportProjection{}.solve(theta, a, b, mu, scratch);
  const double mass = std::accumulate(a.begin(), a.end(), 0.0);
  EXPECT_TRUE(report.converged()) << report.residual;
  EXPECT_LE(violation(mu, a, b), 2e-13 * mass);
  EXPECT_LE(linear_gap(quadratic_gradient(theta, mu), mu, a, b), 1e-12 * mass * (1 + largest_finite(theta)));
  for (std::size_t k = 0; k < theta.size(); ++k) {
    if (theta[k] == masked) {
      EXPECT_EQ(mu[k], 0);
    }
  }
}

TEST(TransportProjection, RandomScores) {
  Random random(1);
  for (const std::size_t rows : {1U, 2U, 5U, 30U}) {
    for (const std::size_t columns : {1U, 2U, 6U, 45U}) {
      for (const double scale : {0.05, 1.0, 8.0, 1e3, 1e6}) {
        const bool zeros = columns == 6;
        const Numbers a = random_sums(random, rows, 2, zeros);
        const Numbers b = random_sums(random, columns, 2, zeros);
        expect_projection(
            random_scores(random, rows * columns, scale), a, b,
            std::to_string(rows) + " x " + std::to_string(columns) + " scale " + std::to_string(scale));
      }
    }
  }
}

TEST(TransportProjection, Permutations) {
  Random random(2);
  for (const std::size_t n : {3U, 20U, 60U}) {
    const Numbers ones(n, 1.0);
    for (const double scale : {0.05, 1.0, 8.0, 1e3}) {
      expect_projection(random_scores(random, n * n, scale), ones, ones, "normal");
      Numbers integers(n * n);
      Numbers products(n * n);
      for (std::size_t k = 0; k < n * n; ++k) {
        integers[k] = scale * static_cast<double>(random.below(4));
        products[k] = scale * static_cast<double>((k / n) * (k % n)) / static_cast<double>(n * n);
      }
      expect_projection(integers, ones, ones, "integers");
      expect_projection(products, ones, ones, "products");
    }
  }
}

TEST(TransportProjection, Masks) {
  Random random(3);
  const Numbers a = random_sums(random, 15, 4);
  const Numbers b = random_sums(random, 11, 4);
  for (const double scale : {0.05, 1.0, 100.0}) {
    Numbers theta = random_scores(random, a.size() * b.size(), scale);
    for (std::size_t k = 0; k < theta.size(); ++k) {
      if (k % b.size() != 0 && k / b.size() != 0 && random.uniform() < 0.5) theta[k] = masked;
    }
    expect_projection(theta, a, b, "masks");
  }
  expect_projection({1, 2, masked, 3}, {1, 1}, {1, 1}, "only the diagonal is possible");
}

TEST(TransportProjection, MasksThatLeaveNoPlanAreReported) {
  Workspace scratch;
  Numbers mu(4);
  const Numbers ones(2, 1.0);
  const Report report = TransportProjection{}.solve(Numbers{1, masked, 1, masked}, ones, ones, mu, scratch);
  EXPECT_EQ(report.status, Status::stalled);
  EXPECT_EQ(report.residual, -masked);
  const Numbers theta{0, masked, 0, 0};
  EXPECT_EQ(TransportProjection{}.solve(theta, Numbers{1.5, 0.5}, ones, mu, scratch).residual, -masked);
}

TEST(TransportProjection, PlansAreTheirOwnProjections) {
  Random random(4);
  Workspace scratch;
  const Numbers a = random_sums(random, 4, 1);
  const Numbers b = random_sums(random, 5, 1);
  Numbers plan(20);
  for (std::size_t k = 0; k < 20; ++k) plan[k] = a[k / 5] * b[k % 5];
  Numbers mu(20);
  TransportProjection{}.solve(plan, a, b, mu, scratch);
  for (std::size_t k = 0; k < 20; ++k) EXPECT_NEAR(mu[k], plan[k], 1e-15);
}

// Sums of the largest size double can add, and of the smallest.
TEST(TransportProjection, ScalesWithTheMass) {
  Random random(5);
  Workspace scratch;
  const Numbers theta = random_scores(random, 12, 1);
  const Numbers a = random_sums(random, 3, 1);
  const Numbers b = random_sums(random, 4, 1);
  Numbers expected(12);
  TransportProjection{}.solve(theta, a, b, expected, scratch);
  for (const double factor : {0x1p-60, 0x1p+60}) {
    Numbers scaled[] = {theta, a, b};
    for (Numbers& values : scaled) {
      for (double& value : values) value *= factor;
    }
    Numbers mu(12);
    EXPECT_TRUE(TransportProjection{}.solve(scaled[0], scaled[1], scaled[2], mu, scratch).converged());
    for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(mu[k] / factor, expected[k], 1e-14);
  }
}

// ---------------------------------------------------------------- other generators

// The gradient of ⟨θ, μ⟩ − Σ φ(μ). Where φ is infinitely steep, every plan has the same entry.
Numbers bregman_gradient(const Generator& phi, const Numbers& theta, const Numbers& mu) {
  Numbers gradient(theta);
  for (std::size_t k = 0; k < mu.size(); ++k) {
    const double slope = phi.slope(mu[k]);
    gradient[k] = std::isfinite(slope) ? theta[k] - slope : (mu[k] > 0 ? 0 : masked);
  }
  return gradient;
}

void expect_bregman(const Generator& phi, const Numbers& theta, const Numbers& a, const Numbers& b) {
  Workspace scratch;
  Numbers mu(theta.size());
  const Report report = BregmanTransport{phi}.solve(theta, a, b, mu, scratch);
  const double mass = std::accumulate(a.begin(), a.end(), 0.0);
  EXPECT_TRUE(report.converged()) << report.residual << " after " << report.iterations;
  EXPECT_LE(violation(mu, a, b), 2e-12 * mass);
  const double steepest = std::abs(phi.slope(largest_finite(mu) * 0.999));
  EXPECT_LE(linear_gap(bregman_gradient(phi, theta, mu), mu, a, b),
            1e-10 * mass * (1 + largest_finite(theta) + steepest));
}

std::vector<Generator> generators() {
  std::vector<Generator> all{FermiDiracGenerator{}};
  for (const double alpha : {0.3, 0.5, 0.9, 1.0, 1.1, 1.5, 1.9, 2.0, 2.5, 3.0, 4.0})
    all.emplace_back(TsallisGenerator{alpha});
  return all;
}

std::string described(const Generator& phi) {
  return std::string(phi.name()) + " " + std::to_string(phi.order().value_or(0));
}

TEST(BregmanTransport, RandomScores) {
  Random random(6);
  for (const Generator& phi : generators()) {
    for (const std::size_t rows : {1U, 2U, 5U, 20U}) {
      for (const std::size_t columns : {1U, 2U, 6U, 25U}) {
        for (const double scale : {0.05, 1.0, 8.0, 100.0}) {
          SCOPED_TRACE(described(phi) + " " + std::to_string(rows) + " x " + std::to_string(columns) +
                       " scale " + std::to_string(scale));
          const Numbers a = random_sums(random, rows, 0.8, columns == 6);
          const Numbers b = random_sums(random, columns, 0.8, columns == 6);
          expect_bregman(phi, random_scores(random, rows * columns, scale), a, b);
        }
      }
    }
  }
}

TEST(BregmanTransport, Permutations) {
  Random random(7);
  for (const Generator& phi : generators()) {
    for (const std::size_t n : {1U, 3U, 20U}) {
      const Numbers ones(n, 1.0);
      for (const double scale : {0.0, 0.05, 1.0, 8.0}) {
        SCOPED_TRACE(described(phi) + " n=" + std::to_string(n) + " scale " + std::to_string(scale));
        expect_bregman(phi, random_scores(random, n * n, scale), ones, ones);
        Numbers integers(n * n);
        for (double& entry : integers) entry = 1e6 + scale * static_cast<double>(random.below(4));
        expect_bregman(phi, integers, ones, ones);
      }
    }
  }
}

TEST(BregmanTransport, Masks) {
  Random random(8);
  const Numbers ones(2, 1.0);
  for (const Generator& phi : generators()) {
    SCOPED_TRACE(described(phi));
    const Numbers a = random_sums(random, 9, 0.9);
    const Numbers b = random_sums(random, 7, 0.9);
    Numbers theta = random_scores(random, 63, 1);
    for (std::size_t k = 0; k < theta.size(); ++k) {
      if (k % 7 != 0 && k / 7 != 0 && random.uniform() < 0.25) theta[k] = masked;
    }
    expect_bregman(phi, theta, a, b);
    Workspace scratch;
    Numbers mu(4);
    // Only the diagonal is possible: the other entry has no use.
    EXPECT_LE(BregmanTransport{phi}.solve(Numbers{1, 2, masked, 3}, ones, ones, mu, scratch).residual, 1e-12);
    EXPECT_NEAR(mu[0], 1, 1e-12);
    EXPECT_EQ(mu[2], 0);
    const Report nothing =
        BregmanTransport{phi}.solve(Numbers{1, masked, 1, masked}, ones, ones, mu, scratch);
    EXPECT_EQ(nothing.residual, -masked);
  }
}

// The Euclidean and the entropic solvers, to 1e-12.
TEST(BregmanTransport, AgreesWithTheSolversOfTheirOwn) {
  Random random(9);
  Workspace scratch;
  for (const double scale : {0.1, 1.0, 5.0}) {
    const Numbers a = random_sums(random, 8, 1);
    const Numbers b = random_sums(random, 6, 1);
    const Numbers theta = random_scores(random, 48, scale);
    Numbers mu(48), own(48);
    BregmanTransport{.phi = TsallisGenerator{2}, .tolerance = 1e-14}.solve(theta, a, b, mu, scratch);
    TransportProjection{}.solve(theta, a, b, own, scratch);
    for (std::size_t k = 0; k < 48; ++k) EXPECT_NEAR(mu[k], own[k], 1e-12);
    BregmanTransport{.phi = TsallisGenerator{1}, .tolerance = 1e-14}.solve(theta, a, b, mu, scratch);
    Sinkhorn{.tolerance = 1e-13}.solve(theta, a, b, own, scratch);
    for (std::size_t k = 0; k < 48; ++k) EXPECT_NEAR(mu[k], own[k], 1e-12);
  }
}

}  // namespace
}  // namespace fenchel::test::plans
