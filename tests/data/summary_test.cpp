// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Summary, ColumnsThatSayNothingOrSayItTwice) {
  Dataset data;
  data.x = Features(Matrix<double>(3, 5, {1, 7, 0, 1, 0, 2, 7, 0, 2, 5, 0, 7, 0, 0, 0}));
  const FeatureSummary dense = summarize_features(data);
  EXPECT_DOUBLE_EQ(dense.density, 8.0 / 15);
  EXPECT_THAT(dense.constant, ElementsAre(1, 2));
  EXPECT_THAT(dense.duplicates, ElementsAre(Pair(3, 0)));
  CsrMatrix<float> rows;
  rows.cols = 3;
  rows.offsets = {0, 2, 4};
  rows.indices = {0, 2, 0, 2};
  rows.values = {1, 1, 2, 2};
  data.x = Features(std::move(rows));
  const FeatureSummary sparse = summarize_features(data);
  EXPECT_DOUBLE_EQ(sparse.density, 4.0 / 6);
  EXPECT_THAT(sparse.constant, ElementsAre(1));
  EXPECT_THAT(sparse.duplicates, ElementsAre(Pair(2, 0)));
  EXPECT_EQ(feature_name(data, 1), "feature 2");
  EXPECT_FALSE(target_range(data));
  data.values = Matrix<double>(2, 1, {3, -1});
  EXPECT_EQ(target_range(data)->smallest, -1);
  EXPECT_EQ(target_range(data)->mean, 1);
}

}  // namespace
}  // namespace fenchel::test
