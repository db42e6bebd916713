// SPDX-License-Identifier: Apache-2.0
// Scalar functions near the points where their formulas break down.
#include "fenchel/core/numeric.hpp"

#include <gtest/gtest.h>

#include "core/wright_omega.hpp"

namespace fenchel {
namespace {

TEST(Numeric, PowerRatioIsContinuousAtZero) {
  for (const double t : {1e-300, 1e-5, 0.3, 0.999, 1.0}) {
    for (const double a : {1e-12, 1e-8, -1e-8}) {
      const double limit = std::log(t);
      EXPECT_NEAR(power_ratio(t, a), limit, 2 * std::abs(a) * limit * limit + 1e-15);
      EXPECT_NEAR(power_ratio_inverse(power_ratio(t, a), a), t, 1e-12 * t);
    }
    EXPECT_EQ(power_ratio(t, 0), std::log(t));
  }
  EXPECT_EQ(power_ratio(0, 0.5), -2);
  EXPECT_EQ(power_ratio(0, -0.5), -infinity);
  EXPECT_EQ(power_ratio_inverse(-2, 0.5), 0);
  EXPECT_EQ(power_ratio_inverse(-3, 0.5), 0);
}

TEST(Numeric, ExponentialRatios) {
  EXPECT_EQ(expm1_ratio(0), 1);
  EXPECT_NEAR(expm1_ratio(1e-9), 1 + 5e-10, 1e-16);
  EXPECT_EQ(expm1_ratio_derivative(0), 0.5);
  const long double u = 0.0400001L;
  const long double exact = (u * std::exp(u) - std::exp(u) + 1) / (u * u);
  EXPECT_NEAR(expm1_ratio_derivative(static_cast<double>(u)), static_cast<double>(exact), 1e-13);
  EXPECT_NEAR(expm1_ratio_derivative(0.0399999), expm1_ratio_derivative(0.0400001), 1e-7);
  EXPECT_NEAR(expm1_ratio_derivative(-0.0399999), expm1_ratio_derivative(-0.0400001), 1e-7);
}

TEST(Numeric, SumsAndMasks) {
  const std::vector<double> theta{-infinity, 2}, mu{0, 0.5};
  EXPECT_EQ(dot_masked(theta, mu), 1);
  EXPECT_EQ(xlogx(0), 0);
  CompensatedSum sum;
  sum += 1e16;
  for (int i = 0; i < 1000; ++i) sum += 0.5;
  sum += -1e16;
  EXPECT_EQ(sum.value(), 500);
}

// ω + log ω = x, to the last bits.
TEST(WrightOmega, SatisfiesItsEquation) {
  for (double x = -700; x < 700; x += 0.37) {
    const double w = wright_omega(x);
    ASSERT_GT(w, 0);
    EXPECT_NEAR(w + std::log(w), x, 4e-16 * std::max({1.0, std::abs(x), w})) << x;
  }
  EXPECT_NEAR(wright_omega(0), 0.56714329040978387, 1e-16);
  EXPECT_NEAR(wright_omega(1), 1, 1e-15);
  EXPECT_NEAR(wright_omega(-50) / std::exp(-50), 1, 1e-15);
  EXPECT_NEAR(wright_omega(1e10), 1e10 - std::log(1e10), 1e-5);
  EXPECT_EQ(wright_omega(-1e5), 0);
  EXPECT_TRUE(std::isfinite(wright_omega(1e300)));
}

}  // namespace
}  // namespace fenchel
