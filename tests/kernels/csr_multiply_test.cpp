// SPDX-License-Identifier: Apache-2.0
// Sparse rows times dense ones against plain sums, at every width around the vectors, on every instruction
// set.
#include "kernels/csr_multiply.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/reference.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

template <class T>
CsrMatrix<T> sparse_rows(Random& random, std::size_t rows, std::size_t cols, double share) {
  CsrMatrix<T> a;
  a.cols = cols;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; i % 5 != 3 && j < cols; ++j) {  // some rows are empty
      if (random.uniform() > share) continue;
      a.indices.push_back(static_cast<std::int32_t>(j));
      a.values.push_back(static_cast<T>(random.normal()));
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
  }
  return a;
}

template <class T>
void compare_products(std::size_t width, const std::string& target) {
  Random random(width);
  const std::size_t rows = 9, cols = 150, stride = kernels::padded_width(width, sizeof(T));
  const CsrMatrix<T> a = sparse_rows<T>(random, rows, cols, 0.6);
  std::vector<T> b(cols * stride), start(stride), out(rows * stride);
  for (std::size_t j = 0; j < cols; ++j) {
    for (std::size_t k = 0; k < width; ++k) b[j * stride + k] = static_cast<T>(random.normal());
  }
  for (std::size_t k = 0; k < width; ++k) start[k] = static_cast<T>(random.normal());
  Vector added(rows * width, 0.5);
  // A block from the middle, whose offsets do not begin at 0.
  const std::size_t first = 2, count = 6;
  const MatrixView<const T> dense(b.data(), cols, width, stride);
  kernels::csr_multiply(a.view().block(first, count), dense, std::span<const T>(start),
                        MatrixView<T>(out.data() + first * stride, count, width, stride));
  kernels::csr_multiply_add(a.view().block(first, count), dense,
                            MatrixView<double>(added.data() + first * width, count, width));
  const double tolerance = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      if (i < first || i >= first + count) {
        ASSERT_EQ(added[i * width + k], 0.5);
        continue;
      }
      double expected = 0, scale = 1;
      for (std::size_t e = 0; e < a.view().indices(i).size(); ++e) {
        const auto j = static_cast<std::size_t>(a.view().indices(i)[e]);
        const double term =
            static_cast<double>(a.view().values(i)[e]) * static_cast<double>(b[j * stride + k]);
        expected += term;
        scale += std::abs(term);
      }
      const double with_start = expected + static_cast<double>(start[k]);
      ASSERT_NEAR(static_cast<double>(out[i * stride + k]), with_start, tolerance * scale) << target << width;
      ASSERT_NEAR(added[i * width + k], expected + 0.5, tolerance * scale) << target << " " << width;
    }
  }
}

TEST(CsrMultiply, ProductsEqualPlainSums) {
  for_each_target([](const std::string& target) {
    for (const std::size_t width : {1, 2, 3, 4, 5, 8, 9, 16, 20, 31, 33, 64, 65, 101}) {
      compare_products<float>(width, target);
      compare_products<double>(width, target);
    }
  });
}

}  // namespace
}  // namespace fenchel::test
