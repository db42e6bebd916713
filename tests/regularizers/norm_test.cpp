// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fenchel/core/workspace.hpp"

namespace fenchel {
namespace {

// Orders up to the largest number: derivatives are finite and shrink with 1/(q − 1).
TEST(Norm, JacobianOfLargeOrders) {
  const std::vector<std::vector<double>> scores{{0.4}, {2.0, -2.5, 0.4}, {0.3, 0.2, 0.25, -4}, {1, 1, 1}};
  for (const double q : {1e3, 1e6, 1e9, 1e12, 1e15, 1e16, 1e100, 1e300, 1.7e308}) {
    const Norm omega{q};
    for (const auto& theta : scores) {
      std::vector<double> p(theta.size());
      std::vector<double> v(theta.size(), 0.0);
      std::vector<double> product(theta.size());
      v[0] = 1;
      omega.predict(theta, p, thread_workspace());
      omega.jvp(theta, p, v, product, thread_workspace());
      for (const double value : product) EXPECT_LE(std::abs(value), 100 / q) << "q = " << q;
    }
  }
}

}  // namespace
}  // namespace fenchel
