// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fenchel/core/features.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;

TEST(Matrix, SizesThatAreNoneAreRefused) {
  constexpr std::size_t large = std::size_t{1} << 53U;
  EXPECT_THROW(Matrix<double>(2048, large), std::bad_alloc);  // the product is 0 in 64 bits
  EXPECT_THROW(Matrix<float>(large, large), std::bad_alloc);
  EXPECT_THROW(Matrix<double>(1, ~std::size_t{0} / 8), std::bad_alloc);
  EXPECT_EQ((Matrix<double>(large, 0).cols()), 0U);
}

TEST(CsrMatrix, Transpose) {
  const CsrMatrix<double> a{3, {0, 2, 2, 3}, {0, 2, 2}, {1, 2, 3}};
  const CsrMatrix<double> t = transpose(a.view());
  EXPECT_EQ(t.cols, 3U);
  EXPECT_THAT(t.offsets, ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(t.indices, ElementsAre(0, 0, 2));
  EXPECT_THAT(t.values, ElementsAre(1, 2, 3));
  const CsrMatrix<double> back = transpose(t.view());
  EXPECT_EQ(back.offsets, a.offsets);
  EXPECT_EQ(back.indices, a.indices);
  EXPECT_EQ(back.values, a.values);
}

TEST(CsrMatrix, BlocksAreViews) {
  const CsrMatrix<float> a{3, {0, 2, 2, 3}, {0, 2, 1}, {1, 2, 3}};
  const CsrView<float> block = a.view().block(1, 2);
  EXPECT_EQ(block.rows(), 2U);
  EXPECT_EQ(block.size(), 1U);
  EXPECT_THAT(block.indices(1), ElementsAre(1));
  EXPECT_THAT(block.values(1), ElementsAre(3));
  EXPECT_THAT(transpose(block).offsets, ElementsAre(0, 0, 1, 1));
}

TEST(FeaturesView, BlocksOfBothKinds) {
  const Matrix<double> dense(3, 2, {1, 2, 3, 4, 5, 6});
  const FeaturesView<double> x(dense);
  EXPECT_FALSE(x.sparse());
  EXPECT_THAT(x.block(1, 1).dense_rows().row(0), ElementsAre(3, 4));
  EXPECT_EQ(x.size(), 6U);
  const CsrMatrix<double> sparse{3, {0, 2, 2, 3}, {0, 2, 1}, {1, 2, 3}};
  const FeaturesView<double> y(sparse);
  EXPECT_TRUE(y.sparse());
  EXPECT_EQ(y.block(1, 2).size(), 1U);
}

}  // namespace
}  // namespace fenchel::test
