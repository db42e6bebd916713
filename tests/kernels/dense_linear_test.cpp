// SPDX-License-Identifier: Apache-2.0
// Products of blocks of rows with few outputs against plain sums, at every shape around the tiles, on every
// instruction set.
#include "kernels/dense_linear.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/reference.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

template <class T>
std::vector<T> numbers(Random& random, std::size_t size) {
  std::vector<T> values(size);
  for (T& value : values) value = static_cast<T>(random.normal());
  return values;
}

template <class T>
void compare_products(std::size_t rows, std::size_t cols, std::size_t outputs, const std::string& target) {
  Random random(rows * 10007 + cols * 101 + outputs);
  const std::size_t stride = cols + 3;
  std::vector<T> x = numbers<T>(random, rows * stride);
  for (std::size_t i = 0; i < rows; ++i) {  // what lies between rows may be anything
    for (std::size_t j = cols; j < stride; ++j) x[i * stride + j] = std::numeric_limits<T>::quiet_NaN();
  }
  const auto w = numbers<T>(random, outputs * cols), b = numbers<T>(random, outputs);
  const auto r = numbers<T>(random, rows * outputs), start = numbers<T>(random, outputs * cols);
  std::vector<T> theta(rows * outputs), sum = start;
  const MatrixView<const T> view(x.data(), rows, cols, stride);
  kernels::linear_scores(view, MatrixView<const T>(w.data(), outputs, cols), std::span<const T>(b),
                         MatrixView<T>(theta.data(), rows, outputs));
  kernels::add_linear_gradient(view, MatrixView<const T>(r.data(), rows, outputs), 0,
                               MatrixView<T>(sum.data(), outputs, cols));
  const double tolerance = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::size_t k = 0; k < outputs; ++k) {
    for (std::size_t i = 0; i < rows; ++i) {
      double expected = static_cast<double>(b[k]), scale = 1;
      for (std::size_t j = 0; j < cols; ++j) {
        const double term = static_cast<double>(x[i * stride + j]) * static_cast<double>(w[k * cols + j]);
        expected += term;
        scale += std::abs(term);
      }
      ASSERT_NEAR(static_cast<double>(theta[i * outputs + k]), expected, tolerance * scale)
          << target << " " << rows << " " << cols << " " << outputs;
    }
    for (std::size_t j = 0; j < cols; ++j) {
      double expected = static_cast<double>(start[k * cols + j]), scale = 1;
      for (std::size_t i = 0; i < rows; ++i) {
        const double term = static_cast<double>(x[i * stride + j]) * static_cast<double>(r[i * outputs + k]);
        expected += term;
        scale += std::abs(term);
      }
      ASSERT_NEAR(static_cast<double>(sum[k * cols + j]), expected, tolerance * scale)
          << target << " " << rows << " " << cols << " " << outputs;
    }
  }
}

TEST(DenseLinear, ProductsEqualPlainSums) {
  for_each_target([](const std::string& target) {
    for (const std::size_t outputs : {1, 2, 3, 4, 5, 6, 7, 11, 16, 32}) {
      for (const std::size_t cols : {0, 1, 3, 4, 7, 8, 15, 17, 40, 67}) {
        for (const std::size_t rows : {1, 2, 5, 8, 13}) {
          compare_products<float>(rows, cols, outputs, target);
          compare_products<double>(rows, cols, outputs, target);
        }
      }
    }
  });
}

}  // namespace
}  // namespace fenchel::test
