// SPDX-License-Identifier: Apache-2.0
// What callers of the row kernels rely on: bad rows are reported, `out` may be `theta`, strides leave gaps
// alone, and a row's bits depend neither on its neighbours, nor on its place, nor on what is asked for.
#include <gtest/gtest.h>

#include <cstring>

#include "reference.hpp"

namespace fenchel::test {
namespace {

constexpr double alphas[] = {1.0, 1.2, 1.5, 1.8, 2.0};
constexpr std::size_t lengths[] = {1, 2, 3, 5, 7, 8, 9, 10, 16, 31, 64, 65, 100, 129, 257, 1000, 5000};

template <class T>
std::vector<T> random_scores(std::size_t count, double sigma, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(sigma * normal(generator));
  return values;
}

template <class T>
bool same_bits(const T* a, const T* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(T)) == 0;
}

template <class T>
class RowsContract : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RowsContract, Scalars);

TYPED_TEST(RowsContract, FirstBadRowIsReported) {
  using T = TypeParam;
  constexpr std::size_t rows = 19;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T inf = std::numeric_limits<T>::infinity();
  for_each_target([&](const std::string& target) {
    for (const double alpha : alphas) {
      for (const std::size_t cols : lengths) {
        for (const std::size_t bad : {0, 7, 17}) {
          for (const T poison : {nan, inf, -inf}) {
            for (const std::size_t at : {std::size_t{0}, cols - 1}) {
              std::vector<T> theta = random_scores<T>(rows * cols, 1.0, 3);
              for (std::size_t row : {bad, std::size_t{18}}) {
                if (poison == -inf) {
                  std::fill_n(theta.begin() + static_cast<std::ptrdiff_t>(row * cols), cols, -inf);
                } else {
                  theta[row * cols + at] = poison;
                }
              }
              std::vector<T> out(rows * cols);
              std::vector<double> shift(rows);
              std::vector<double> conjugate(rows);
              const MatrixView<const T> view(theta.data(), rows, cols);
              ASSERT_EQ(predict<T>(alpha, view, {out.data(), rows, cols}, {shift, conjugate}), bad)
                  << target << " alpha " << alpha << " d " << cols << " poison " << poison << " at " << at;
              if (bad == 0) continue;
              std::vector<T> before(bad * cols);
              predict<T>(alpha, view.block(0, bad), {before.data(), bad, cols});
              ASSERT_TRUE(same_bits(before.data(), out.data(), before.size()))
                  << target << " alpha " << alpha << " d " << cols << ": rows before the bad one";
            }
          }
        }
      }
    }
  });
}

TYPED_TEST(RowsContract, NothingToDo) {
  using T = TypeParam;
  for (const double alpha : alphas) EXPECT_EQ(predict<T>(alpha, {nullptr, 0, 5}, {nullptr, 0, 5}), 0U);
}

// One row alone, in a block, in place, with strides, with and without summaries: the same bits.
TYPED_TEST(RowsContract, BitsDependOnTheRowOnly) {
  using T = TypeParam;
  constexpr std::size_t rows = 21;
  for_each_target([&](const std::string& target) {
    for (const double alpha : alphas) {
      for (const std::size_t cols : lengths) {
        SCOPED_TRACE(target + " alpha " + std::to_string(alpha) + " d " + std::to_string(cols));
        std::vector<T> theta = random_scores<T>(rows * cols, 2.0, static_cast<unsigned>(cols));
        for (std::size_t i = 0; i < cols; ++i) theta[5 * cols + i] *= T(1e-5);  // a row slower to solve
        for (std::size_t i = 0; i < cols; ++i) theta[6 * cols + i] = i % 2 == 0 ? T(0.0) : T(-0.0);
        const MatrixView<const T> view(theta.data(), rows, cols);
        std::vector<T> alone(rows * cols);
        std::vector<double> shift(rows), conjugate(rows);
        for (std::size_t r = 0; r < rows; ++r) {
          const MatrixView<T> out(alone.data() + r * cols, 1, cols);
          ASSERT_EQ(predict<T>(alpha, view.block(r, 1), out, RowSummaries{shift, conjugate}.block(r, 1)), 1U);
        }
        std::vector<T> together(rows * cols);
        std::vector<double> shift2(rows), conjugate2(rows);
        ASSERT_EQ(predict<T>(alpha, view, {together.data(), rows, cols}, {shift2, conjugate2}), rows);
        EXPECT_TRUE(same_bits(alone.data(), together.data(), rows * cols));
        EXPECT_TRUE(same_bits(shift.data(), shift2.data(), rows));
        EXPECT_TRUE(same_bits(conjugate.data(), conjugate2.data(), rows));

        const std::size_t stride = cols + 3;
        const T sentinel = T(-77);
        std::vector<T> wide(rows * stride + 1, sentinel), wide_out(rows * stride + 1, sentinel);
        for (std::size_t r = 0; r < rows; ++r) {
          std::copy_n(theta.data() + r * cols, cols, wide.data() + 1 + r * stride);
        }
        ASSERT_EQ(predict<T>(alpha, {wide.data() + 1, rows, cols, stride},
                             {wide_out.data() + 1, rows, cols, stride}),
                  rows);
        for (std::size_t r = 0; r < rows; ++r) {
          EXPECT_TRUE(same_bits(alone.data() + r * cols, wide_out.data() + 1 + r * stride, cols));
          for (std::size_t c = cols; c < stride; ++c) EXPECT_EQ(wide_out[1 + r * stride + c], sentinel);
        }
        const MatrixView<T> in_place(theta.data(), rows, cols);
        ASSERT_EQ(predict<T>(alpha, in_place, in_place), rows);
        EXPECT_TRUE(same_bits(alone.data(), theta.data(), rows * cols));
      }
    }
  });
}

// Blocks too large for the cache are written differently; the values are the same, also next to them.
TYPED_TEST(RowsContract, LargeBlocksHaveTheSameBits) {
  using T = TypeParam;
  for (const double alpha : {1.0, 1.5, 1.8, 2.0}) {
    for (const std::size_t cols : {11, 1001, 40003}) {
      for (const std::size_t gap : {0, 5}) {
        SCOPED_TRACE("alpha " + std::to_string(alpha) + " d " + std::to_string(cols));
        const std::size_t stride = cols + gap;
        const std::size_t rows = (std::size_t{4400} << 10) / sizeof(T) / cols;
        const std::vector<T> theta = random_scores<T>(rows * stride, 1.0, 11);
        const T sentinel = T(-77);
        std::vector<T> large(rows * stride + 6, sentinel);
        std::vector<T> small(cols);
        const MatrixView<const T> view(theta.data(), rows, cols, stride);
        ASSERT_EQ(predict<T>(alpha, view, {large.data() + 3, rows, cols, stride}), rows);
        for (std::size_t r = 0; r < rows; r += 1 + rows / 20) {
          predict<T>(alpha, view.block(r, 1), {small.data(), 1, cols});
          EXPECT_TRUE(same_bits(small.data(), large.data() + 3 + r * stride, cols)) << r;
        }
        predict<T>(alpha, view.block(rows - 1, 1), {small.data(), 1, cols});
        EXPECT_TRUE(same_bits(small.data(), large.data() + 3 + (rows - 1) * stride, cols));
        for (const std::size_t i : {0, 1, 2}) {
          EXPECT_EQ(large[i], sentinel);
          EXPECT_EQ(large[large.size() - 1 - i], sentinel);
        }
        for (std::size_t c = cols; c < stride; ++c) EXPECT_EQ(large[3 + c], sentinel);

        std::vector<T> in_place = theta;
        predict<T>(alpha, MatrixView<const T>(in_place.data(), rows, cols, stride),
                   {in_place.data(), rows, cols, stride});
        for (std::size_t r = 0; r < rows; r += 1 + rows / 20) {
          EXPECT_TRUE(same_bits(in_place.data() + r * stride, large.data() + 3 + r * stride, cols)) << r;
        }
      }
    }
  }
}

// Rows that wait to be written are written also when a later one is bad.
TYPED_TEST(RowsContract, LargeBlocksEndAtABadRow) {
  using T = TypeParam;
  for (const double alpha : {1.0, 1.5}) {
    for (const std::size_t cols : {1001, 40003}) {
      const std::size_t rows = (std::size_t{4400} << 10) / sizeof(T) / cols;
      for (const std::size_t bad : {std::size_t{0}, std::size_t{1}, rows / 2, rows - 1}) {
        SCOPED_TRACE("alpha " + std::to_string(alpha) + " d " + std::to_string(cols));
        std::vector<T> theta = random_scores<T>(rows * cols, 1.0, 13);
        const MatrixView<const T> view(theta.data(), rows, cols);
        std::vector<T> good(rows * cols);
        ASSERT_EQ(predict<T>(alpha, view, {good.data(), rows, cols}), rows);
        theta[bad * cols + cols / 2] = std::numeric_limits<T>::quiet_NaN();
        std::vector<T> out(rows * cols);
        ASSERT_EQ(predict<T>(alpha, view, {out.data(), rows, cols}), bad);
        EXPECT_TRUE(same_bits(good.data(), out.data(), bad * cols));
      }
    }
  }
}

TEST(RowsTarget, HasAName) { EXPECT_NE(std::string(kernels::simd_target()), ""); }

}  // namespace
}  // namespace fenchel::test
