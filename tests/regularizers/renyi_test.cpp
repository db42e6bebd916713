// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/renyi.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fenchel {
namespace {

// With many classes the largest ratio is that of the uniform distribution, log d / (1 − 1/d), where the sum of
// p^β is far below the rounding of 1.
TEST(Renyi, MarginOfManyClasses) {
  for (const double beta : {1.5, 3.0, 50.0}) {
    for (const std::size_t d : {std::size_t{1000000}, std::size_t{1} << 40, ~std::size_t{0}}) {
      const auto margin = Renyi{.beta = beta}.margin(d);
      ASSERT_TRUE(margin.has_value());
      EXPECT_NEAR(*margin, std::log(static_cast<double>(d)), 1e-4) << "beta " << beta << ", d " << d;
    }
  }
}

}  // namespace
}  // namespace fenchel
