// SPDX-License-Identifier: Apache-2.0
// The reduction to root finding (paper §8.3) gives distributions for every method, jumps and masks included.
#include "solvers/threshold.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace fenchel::test {
namespace {

TEST(Threshold, SparsemaxByEveryMethod) {
  Random random(1);
  for (int run = 0; run < 20; ++run) {
    Vector theta = normal_vector(random, 8);
    theta[3] = mask;
    const double top = *std::ranges::max_element(theta);
    const auto curve = [](double x) { return RootSample{std::max(x, 0.0), x > 0 ? 1.0 : 0.0}; };
    for (const RootMethod method : {RootMethod::bisection, RootMethod::toms748, RootMethod::newton}) {
      Vector p(8);
      const Root root = solve_threshold(theta, curve, top - 1, top, p, {.method = method});
      EXPECT_LE(max_difference(p, predict(Tsallis{2}, theta)), 1e-14);
      EXPECT_EQ(p[3], 0);
      EXPECT_TRUE(root.report.converged());
    }
  }
}

// A curve that jumps cannot meet the sum at any single τ: the two ends are mixed.
TEST(Threshold, JumpsStillSumToOne) {
  const Vector theta{0.1, 0.2, 0.3};
  const auto step = [](double x) { return RootSample{x > 0 ? 0.7 : 0.0, 0}; };
  Vector p(3);
  solve_threshold(theta, step, -1, 1, p);
  EXPECT_NEAR(sum_of_entries(p), 1, 1e-15);
  EXPECT_NEAR(p[2], 0.7, 1e-15);
  EXPECT_NEAR(p[1], 0.3, 1e-15);
}

TEST(Threshold, InputAndOutputMayShareMemory) {
  Vector theta{0.5, 0.2, 0.1};
  const Vector expected = predict(Tsallis{2}, theta);
  solve_threshold(
      theta,
      [](double x) {
        return RootSample{std::max(x, 0.0), x > 0 ? 1.0 : 0.0};
      },
      -0.5, 0.5, theta);
  EXPECT_LE(max_difference(theta, expected), 1e-15);
}

}  // namespace
}  // namespace fenchel::test
