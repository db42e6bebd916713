// SPDX-License-Identifier: Apache-2.0
// The soft-DTW kernels on every instruction set of this CPU: against sums in long double, and for sizes
// around the lengths of vectors, groups of diagonals and strips.
#include "kernels/soft_dtw.hpp"

#include <gtest/gtest.h>

#include "kernels/reference.hpp"
#include "polytopes/alignment_reference.hpp"

namespace fenchel::test {
namespace {

void expect_accurate(const Alignment& set, double scale, double share_masked) {
  Random random(set.m * 1000 + set.n);
  const Numbers theta = with_masked(random, normal_scores(random, set.dimension(), scale), share_masked);
  const AlignmentSums expected(set, theta);
  const Numbers v = normal_scores(random, set.dimension(), 1);
  Numbers first_product;
  for_each_target([&](const std::string& target) {
    Workspace scratch;
    Numbers mu(theta.size(), -7);
    Numbers product(theta.size(), -7);
    const double log_z = set.marginals(theta, mu, scratch);
    const std::string what = target + " " + std::to_string(set.m) + " x " + std::to_string(set.n) + " band " +
                             std::to_string(set.band) + " scale " + std::to_string(scale);
    if (std::isinf(expected.log_partition)) {
      EXPECT_EQ(log_z, expected.log_partition) << what;
      return;
    }
    const auto size = static_cast<double>(std::abs(expected.log_partition));
    EXPECT_NEAR(log_z, static_cast<double>(expected.log_partition), 4e-16 * size + 1e-13) << what;
    EXPECT_EQ(set.log_partition(theta, scratch), log_z) << what;
    // The reference adds logarithms of this size, so its own error grows with them.
    const double reference_error =
        2 * static_cast<double>(std::numeric_limits<long double>::epsilon()) * size;
    EXPECT_LE(largest_error(mu, expected.mean), 2e-13 + reference_error) << what;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      if (theta[k] == masked_score) {
        ASSERT_EQ(mu[k], 0) << what;
      }
    }
    set.marginals_jvp(theta, mu, v, product, scratch);
    if (first_product.empty()) first_product = product;
    EXPECT_LE(largest_error(product, LongNumbers(first_product.begin(), first_product.end())), 1e-11) << what;
  });
}

TEST(SoftDtwKernel, EverySmallSize) {
  for (std::size_t m = 1; m <= 13; ++m) {
    for (std::size_t n = 1; n <= 13; ++n) expect_accurate({.m = m, .n = n, .band = (m + n) % 3}, 2, 0.02);
  }
}

TEST(SoftDtwKernel, SizesAroundStrips) {
  for (const std::size_t m : {127U, 128U, 129U, 257U}) {
    for (const std::size_t n : {1U, 6U, 40U, 130U}) {
      expect_accurate({.m = m, .n = n}, 1, 0);
      expect_accurate({.m = n, .n = m, .band = 3}, 1, 0);
      expect_accurate({.m = m, .n = n, .band = 2}, 50, 0);
    }
  }
}

TEST(SoftDtwKernel, WideSpreadsAndMasks) {
  for (const double scale : {1e-3, 1e3, 1e6}) {
    expect_accurate({.m = 150, .n = 141}, scale, 0);
    expect_accurate({.m = 150, .n = 141}, scale, 0.05);
  }
}

TEST(SoftDtwKernel, LongPaths) {
  expect_accurate({.m = 1200, .n = 1250, .band = 8}, 1, 0);
  expect_accurate({.m = 2500, .n = 20}, 1e3, 0);
}

}  // namespace
}  // namespace fenchel::test
