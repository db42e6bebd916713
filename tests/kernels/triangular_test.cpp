// SPDX-License-Identifier: Apache-2.0
// Triangular solves against the products they undo, at every size around the blocks and with padded rows.
#include "kernels/triangular.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support.hpp"

namespace fenchel::test {
namespace {

TEST(Triangular, SolvesUndoProducts) {
  Random random(17);
  for (std::size_t n = 0; n <= 40; ++n) {
    const std::size_t stride = n + 3;
    Vector entries(n * stride, std::nan(""));  // below the diagonal and in the padding nothing may be read
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j)
        entries[i * stride + j] = i == j ? 3 + random.uniform() : random.normal() / 4;
    }
    const MatrixView<const double> upper(entries.data(), n, n, stride);
    const Vector x = normal_vector(random, n);
    Vector product(n), transposed(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j) {
        product[i] += entries[i * stride + j] * x[j];
        transposed[j] += entries[i * stride + j] * x[i];
      }
    }
    kernels::solve_upper(upper, product);
    kernels::solve_upper_transposed(upper, transposed);
    EXPECT_LE(max_difference(product, x), 1e-13) << n;
    EXPECT_LE(max_difference(transposed, x), 1e-13) << n;
  }
}

}  // namespace
}  // namespace fenchel::test
