// SPDX-License-Identifier: Apache-2.0
// The pairwise-hinge entropies with general costs (paper, lemma of appendix B.8) against the lemma itself and
// against a search over the whole simplex.
#include "fenchel/regularizers/pairwise_hinge.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace fenchel::test {
namespace {

const CostMatrix costs{{0, 1, 2}, {0.5, 0, 1}, {3, 1, 0}};

struct Case {
  AnyRegularizer omega;
  AnyRegularizer plain;
  bool capped;     // φ* is finite on [0, 1] only
  bool quadratic;  // φ*(u) = ½u² − u instead of −u
};

std::vector<Case> cases() {
  return {{PairwiseHinge{costs}, PairwiseHinge{}, true, false},
          {PairwiseSmoothedHinge{costs}, PairwiseSmoothedHinge{}, true, true},
          {PairwiseSquaredHinge{costs}, PairwiseSquaredHinge{}, false, true}};
}

// min over σ ≥ 0 of Σ_j s_j φ*(σ/s_j), by golden section on a convex function.
double by_lemma(const Case& item, const Vector& s) {
  const auto total = [&](double sigma) {
    double sum = 0;
    for (const double entry : s) sum += item.quadratic ? 0.5 * sigma * sigma / entry - sigma : -sigma;
    return sum;
  };
  double lower = 0, upper = item.capped ? *std::ranges::min_element(s) : 100;
  for (int i = 0; i < 200; ++i) {
    const double left = lower + 0.382 * (upper - lower);
    const double right = lower + 0.618 * (upper - lower);
    (total(left) < total(right) ? upper : lower) = total(left) < total(right) ? right : left;
  }
  return total(0.5 * (lower + upper));
}

Vector expected_costs(const CostMatrix& matrix, const Vector& p) {
  Vector s(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < p.size(); ++j) s[j] += p[i] * matrix[i][j];
  }
  return s;
}

TEST(PairwiseCosts, ValueIsThatOfTheLemma) {
  Random random(1);
  for (const Case& item : cases()) {
    for (int run = 0; run < 20; ++run) {
      const Vector p = interior_point(random, 3);
      EXPECT_NEAR(item.omega.value(p), by_lemma(item, expected_costs(costs, p)), 1e-10)
          << test_name(item.omega);
    }
  }
}

TEST(PairwiseCosts, PredictionBeatsEveryPointOfAGrid) {
  Random random(2);
  constexpr int steps = 120;
  for (const Case& item : cases()) {
    for (const double spread : {0.01, 1.0, 5.0, 100.0}) {
      const Vector theta = normal_vector(random, 3, spread);
      const Vector p = predict(item.omega, theta);
      const double best = dot(theta, p) - item.omega.value(p);
      double grid = -1e300;
      for (int a = 0; a <= steps; ++a) {
        for (int b = 0; a + b <= steps; ++b) {
          const Vector q{static_cast<double>(a) / steps, static_cast<double>(b) / steps,
                         static_cast<double>(steps - a - b) / steps};
          grid = std::max(grid, dot(theta, q) - item.omega.value(q));
        }
      }
      EXPECT_GE(best, grid - 1e-10 * (1 + spread)) << test_name(item.omega) << " spread=" << spread;
      EXPECT_LE(best, grid + 0.1 * (1 + spread)) << test_name(item.omega) << " spread=" << spread;
      EXPECT_NEAR(sum_of_entries(p), 1, 1e-14);
    }
  }
}

TEST(PairwiseCosts, ZeroOneCostsAreTheClosedForms) {
  const CostMatrix zero_one{{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}};
  const std::vector<std::pair<AnyRegularizer, AnyRegularizer>> pairs{
      {PairwiseSmoothedHinge{zero_one}, PairwiseSmoothedHinge{}},
      {PairwiseSquaredHinge{zero_one}, PairwiseSquaredHinge{}}};
  Random random(3);
  for (const auto& pair : pairs) {
    for (int run = 0; run < 10; ++run) {
      const Vector theta = normal_vector(random, 4, 2);
      EXPECT_LE(max_difference(predict(pair.first, theta), predict(pair.second, theta)), 1e-7)
          << test_name(pair.second);
      EXPECT_NEAR(loss_value(pair.first, theta, vertex(4, 1)), loss_value(pair.second, theta, vertex(4, 1)),
                  1e-10);
      const Vector p = interior_point(random, 4);
      EXPECT_NEAR(pair.first.value(p), pair.second.value(p), 1e-13);
    }
    EXPECT_NEAR(*pair.first.margin(4), *pair.second.margin(4), 1e-4 * *pair.second.margin(4));
  }
}

TEST(PairwiseCosts, WrongCosts) {
  EXPECT_THROW(AnyRegularizer(PairwiseHinge{{{0, 1}}}), std::invalid_argument);
  EXPECT_THROW(AnyRegularizer(PairwiseHinge{{{0, -1}, {1, 0}}}), std::invalid_argument);
  EXPECT_THROW(AnyRegularizer(PairwiseHinge{{{0, 0}, {1, 0}}}), std::invalid_argument);
  EXPECT_THROW(predict(PairwiseHinge{costs}, {0, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace fenchel::test
