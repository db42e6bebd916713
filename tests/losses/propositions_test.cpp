// SPDX-License-Identifier: Apache-2.0
// The propositions of paper §2–§5, each as a test with its name.
#include <gtest/gtest.h>

#include "fenchel/core/numeric.hpp"
#include "fenchel/losses/divergences.hpp"
#include "fenchel/regularizers/smooth.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

// Entropies that satisfy A.1–A.3 over the simplex.
std::vector<Named> entropies() {
  return regularizers_where([](const Named& named) {
    const Traits traits = named.traits();
    return traits.domain == Domain::simplex && traits.strictly_convex && traits.symmetric &&
           traits.zero_at_vertices;
  });
}

TEST(Proposition1, OrderPreservation) {
  Random random(1);
  for (const Named& named : entropies()) {
    for (int run = 0; run < 20; ++run) {
      const Vector theta = normal_vector(random, 6, 2);
      const Vector p = predict(named.omega, theta);
      for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
          if (theta[i] > theta[j]) {
            EXPECT_GE(p[i], p[j]) << named;
          }
          if (p[i] > p[j]) {
            EXPECT_GT(theta[i], theta[j]) << named;
          }
        }
      }
      // The best class by score is the best by prediction (capped predictions may tie).
      const auto best = static_cast<std::size_t>(std::ranges::max_element(theta) - theta.begin());
      EXPECT_EQ(p[best], *std::ranges::max_element(p)) << named;
    }
  }
}

TEST(Proposition1, ApproximationError) {
  Random random(2);
  for (const Named& named : entropies()) {
    const auto gamma = named.omega.strong_convexity();
    if (!gamma) continue;
    const std::size_t d = 5;
    const double lowest = named.omega.value(Vector(d, 1.0 / d));  // Ω is between −H(uniform) and 0
    for (int run = 0; run < 20; ++run) {
      const Vector theta = normal_vector(random, d, 3);
      const Vector gap = moved(predict(named.omega, theta), -1, predict(Argmax{}, theta));
      EXPECT_LE(0.5 * dot(gap, gap), -lowest / *gamma * (1 + 1e-12)) << named;
    }
  }
}

TEST(Proposition1, TemperatureLimit) {
  const Vector theta{0.3, -1, 0.55, 0.2};
  for (const Named& named : entropies()) {
    double previous = infinity;
    for (const double t : {1.0, 0.1, 1e-2, 1e-4}) {
      const double distance =
          max_difference(predict(Temperature{named.omega, t}, theta), predict(Argmax{}, theta));
      EXPECT_LE(distance, previous + 1e-12) << named << " t=" << t;
      previous = distance;
    }
    // Tsallis' α < 1 approaches like (gap/t)^{−1/(1−α)}.
    EXPECT_LE(previous, named.traits().legendre ? 1e-4 : 1e-12) << named;
  }
}

TEST(Proposition4, EntropyNonNegativeAndLargestAtUniform) {
  Random random(3);
  for (const Named& named : entropies()) {
    const std::size_t d = 5;
    const Vector uniform(d, 1.0 / d);
    for (std::size_t k = 0; k < d; ++k) EXPECT_NEAR(named.omega.value(vertex(d, k)), 0, 1e-14) << named;
    for (int run = 0; run < 20; ++run) {
      const Vector p = simplex_point(random, d);
      EXPECT_GE(-named.omega.value(p), -1e-14) << named;
      if (max_difference(p, uniform) > 1e-3) {
        EXPECT_LT(-named.omega.value(p), -named.omega.value(uniform)) << named;
      }
    }
  }
}

TEST(Section4, LossIsConjugateAtShiftedScores) {
  Random random(4);
  for (const Named& named : entropies()) {
    const Loss loss(named.omega);
    for (int run = 0; run < 10; ++run) {
      const Vector theta = normal_vector(random, 4, 2);
      for (std::size_t k = 0; k < 4; ++k) {
        const double direct = loss.value(theta, static_cast<std::int64_t>(k));
        EXPECT_NEAR(direct, loss.conjugate(shifted(theta, -theta[k])), 1e-12 * (1 + direct)) << named;
      }
    }
  }
}

TEST(Section4, UpperBoundOnPerceptronLoss) {
  Random random(5);
  for (const Named& named : entropies()) {
    for (int run = 0; run < 20; ++run) {
      const Vector theta = normal_vector(random, 5, 3);
      const Vector y = vertex(5, random.below(5));
      EXPECT_LE(loss_value(Argmax{}, theta, y), loss_value(named.omega, theta, y) + 1e-12) << named;
    }
  }
}

// E_p[L(θ; Y)] is smallest where ŷ(θ) = p, with value H(p).
TEST(Section4, FisherConsistency) {
  Random random(6);
  for (const Named& named : entropies()) {
    const std::size_t d = 4;
    const double tolerance = named.traits().gradient_by_differences ? 1e-6 : 1e-9;
    Vector identity(d * d);
    for (std::size_t i = 0; i < d; ++i) identity[i * d + i] = 1;
    const MatrixView<const double> outcomes(identity.data(), d, d);
    for (int run = 0; run < 5; ++run) {
      const Vector p = interior_point(random, d);
      const Vector theta = link(named.omega, p);
      // Where the link is flat (norms of high order), rounded scores tell probabilities apart no better than
      // the link itself.
      const Vector back = predict(named.omega, theta);
      EXPECT_LE(max_difference(link(named.omega, back), theta), tolerance * (1 + max_abs(theta))) << named;
      if (named.omega.strong_convexity()) {
        EXPECT_LE(max_difference(back, p), tolerance) << named;
      }
      const double least = expected_loss(named.omega, theta, outcomes, p);
      EXPECT_NEAR(least, -named.omega.value(p), tolerance * (1 + least)) << named;
      EXPECT_NEAR(bayes_risk(named.omega, outcomes, p), -named.omega.value(p), 1e-12) << named;
      for (int other = 0; other < 5; ++other) {
        const Vector elsewhere = moved(theta, 1, normal_vector(random, d));
        EXPECT_GE(expected_loss(named.omega, elsewhere, outcomes, p), least - tolerance) << named;
      }
    }
  }
}

TEST(Proposition6, SparseIffMarginForSeparable) {
  int checked = 0;
  for (const Named& named : entropies()) {
    if (!named.traits().separable) continue;
    ++checked;
    const bool has_margin = named.omega.margin(3).has_value();
    EXPECT_EQ(has_margin, named.traits().sparse) << named;
    if (has_margin && *named.omega.margin(3) > 1e3)
      continue;  // α within 1e-3 of 1: beyond the range of doubles
    const double lead = has_margin ? *named.omega.margin(3) : 20;
    const Vector p = predict(named.omega, {lead, 0, 0});
    EXPECT_EQ(p[1] == 0, has_margin) << named;
  }
  EXPECT_GT(checked, 10);
}

TEST(Proposition7, MarginFromSlopes) {
  // Tsallis' α = 3 as a user's own: h(t) = (t − t³)/6, h'(0) − h'(1) = ½.
  const Separable separable{.g = [](double t) { return (t * t * t - t) / 6; },
                            .g_prime = [](double t) { return (3 * t * t - 1) / 6; }};
  EXPECT_NEAR(*AnyRegularizer(separable).margin(4), 0.5, 1e-14);
  const Smooth smooth{[](std::span<const double> p, std::span<double> gradient) {
    double total = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      total += (p[j] * p[j] * p[j] - p[j]) / 6;
      gradient[j] = (3 * p[j] * p[j] - 1) / 6;
    }
    return total;
  }};
  EXPECT_NEAR(*AnyRegularizer(smooth).margin(4), 0.5, 1e-14);
  EXPECT_NEAR(*Tsallis{3}.margin(4), 0.5, 1e-14);
  EXPECT_LE(loss_value(smooth, {0.5, 0, 0, 0}, vertex(4, 0)), 1e-10);
  EXPECT_GT(loss_value(smooth, {0.4, 0, 0, 0}, vertex(4, 0)), 1e-5);
  // Norms: ∇H(e_k) = −e_k, so the margin is 1.
  for (const double q : {1.5, 2.0, 4.0}) {
    const Vector slope = link(Norm{q}, vertex(3, 1));
    EXPECT_NEAR(slope[1] - slope[0], *Norm{q}.margin(3), 1e-14);
  }
}

TEST(Section3, CostSensitiveArgmaxImpliesPlainArgmax) {
  Random random(7);
  int implied = 0;
  for (const char* spec : {"argmax", "shannon", "tsallis:alpha=1.5", "tsallis:alpha=2", "norm:q=2"}) {
    const AnyRegularizer omega = make_regularizer(spec);
    for (int run = 0; run < 200; ++run) {
      const Vector theta = normal_vector(random, 4, 2);
      const std::size_t k = random.below(4);
      Vector cost(4);
      for (std::size_t j = 0; j < 4; ++j) cost[j] = j == k ? 0 : 2 * random.uniform();
      const Vector augmented = predict(CostSensitive{omega, cost}, theta);
      if (static_cast<std::size_t>(std::ranges::max_element(augmented) - augmented.begin()) != k) continue;
      ++implied;
      const Vector plain = predict(omega, theta);
      EXPECT_EQ(static_cast<std::size_t>(std::ranges::max_element(plain) - plain.begin()), k) << spec;
    }
  }
  EXPECT_GT(implied, 50);
}

}  // namespace
}  // namespace fenchel::test
