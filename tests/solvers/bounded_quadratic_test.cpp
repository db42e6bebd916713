// SPDX-License-Identifier: Apache-2.0
// Quadratics over lower bounds: the conditions of optimality, with and without bounds, far and near singular.
#include "solvers/bounded_quadratic.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support.hpp"

namespace fenchel::test {
namespace {

// AᵀA + ridge I for a random A with `rank` rows.
Vector random_hessian(Random& random, std::size_t d, std::size_t rank, double ridge) {
  Vector hessian(d * d, 0.0);
  for (std::size_t r = 0; r < rank; ++r) {
    const Vector row = normal_vector(random, d);
    for (std::size_t i = 0; i < d * d; ++i) hessian[i] += row[i / d] * row[i % d];
  }
  for (std::size_t i = 0; i < d; ++i) hessian[i * d + i] += ridge;
  return hessian;
}

TEST(BoundedQuadratic, FulfilsTheConditionsOfOptimality) {
  Random random(5);
  Workspace scratch;
  for (int trial = 0; trial < 500; ++trial) {
    const std::size_t d = 1 + static_cast<std::size_t>(trial % 12);
    const std::size_t rank = trial % 2 == 0 ? d : 1 + d / 2;
    const Vector hessian = random_hessian(random, d, rank, 1e-3);
    const Vector gradient = normal_vector(random, d);
    Vector lower(d);
    for (double& bound : lower) bound = random.uniform() < 0.2 ? mask : -2 * random.uniform();
    Vector x(d);
    ASSERT_TRUE((BoundedQuadratic{{hessian.data(), d, d}, gradient, lower}.minimize(x, scratch)));
    for (std::size_t k = 0; k < d; ++k) {
      double slope = gradient[k];
      for (std::size_t j = 0; j < d; ++j) slope += hessian[k * d + j] * x[j];
      EXPECT_GE(x[k], lower[k]);
      if (x[k] == lower[k]) {
        EXPECT_GE(slope, -1e-9);
      } else {
        EXPECT_NEAR(slope, 0, 1e-9);
      }
    }
  }
}

TEST(BoundedQuadratic, RefusesWhatHasNoMinimum) {
  Workspace scratch;
  const Vector lower(2, mask);
  Vector x(2);
  const auto minimize = [&](const Vector& hessian, const Vector& gradient) {
    return BoundedQuadratic{{hessian.data(), 2, 2}, gradient, lower}.minimize(x, scratch);
  };
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(minimize({2, 1, 1, 2}, {1, 1}));
  EXPECT_FALSE(minimize({1, 2, 2, 1}, {1, 1}));
  EXPECT_FALSE(minimize({1, 1, 1, 1}, {1, 1}));
  EXPECT_FALSE(minimize({none, 0, 0, 1}, {1, 1}));
  EXPECT_FALSE(minimize({1, 0, 0, 1}, {none, 1}));
}

TEST(BoundedQuadratic, OfNothing) {
  Workspace scratch;
  EXPECT_TRUE((BoundedQuadratic{{}, {}, {}}.minimize({}, scratch)));
}

}  // namespace
}  // namespace fenchel::test
