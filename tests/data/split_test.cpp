// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fenchel/data/synth.hpp"

namespace fenchel::test {
namespace {

Dataset rows(std::size_t count) {
  return synth_classification({.classes = 4, .samples = count, .features = 1, .seed = 3});
}

TEST(Split, FractionsAreRoundedUp) {
  for (const auto& [size, expected] : {std::pair{179, 45}, {391, 98}, {1211, 303}, {1500, 375}, {100, 25}}) {
    const Split split = split_indices(static_cast<std::size_t>(size), 0.25, 7);
    EXPECT_EQ(split.held_out.size(), static_cast<std::size_t>(expected));
    EXPECT_EQ(split.train.size() + split.held_out.size(), static_cast<std::size_t>(size));
    std::set<std::size_t> all(split.train.begin(), split.train.end());
    all.insert(split.held_out.begin(), split.held_out.end());
    EXPECT_EQ(all.size(), static_cast<std::size_t>(size));
    EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
  }
  EXPECT_EQ(split_indices(100, 0.07, 1).held_out.size(), 7U);
  EXPECT_THROW(split_indices(10, 0, 1), std::invalid_argument);
  EXPECT_THROW(split_indices(10, 1, 1), std::invalid_argument);
  EXPECT_THROW(split_indices(1, 0.5, 1), std::invalid_argument);
}

TEST(Split, SeedsDecide) {
  const Dataset data = rows(100);
  EXPECT_EQ(split_rows(data, 0.3, {.seed = 1}).held_out, split_rows(data, 0.3, {.seed = 1}).held_out);
  EXPECT_NE(split_rows(data, 0.3, {.seed = 1}).held_out, split_rows(data, 0.3, {.seed = 2}).held_out);
}

TEST(Split, Stratified) {
  const Dataset data = rows(200);
  std::vector<double> counts(4);
  for (const std::int32_t label : data.labels.indices) counts[static_cast<std::size_t>(label)] += 1;
  const Split split = split_rows(data, 0.25, {.seed = 5, .stratified = true});
  EXPECT_EQ(split.held_out.size(), 50U);
  std::vector<double> held(4);
  for (const std::size_t row : split.held_out) held[static_cast<std::size_t>(data.labels.row(row)[0])] += 1;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(held[k], counts[k] / 4, 1);
}

TEST(Split, Folds) {
  const Dataset data = rows(103);
  for (const bool stratified : {false, true}) {
    const std::vector<Split> folds = split_folds(data, 5, {.seed = 2, .stratified = stratified});
    ASSERT_EQ(folds.size(), 5U);
    std::set<std::size_t> all;
    for (const Split& fold : folds) {
      EXPECT_GE(fold.held_out.size(), 20U);
      EXPECT_LE(fold.held_out.size(), 21U);
      EXPECT_EQ(fold.train.size() + fold.held_out.size(), 103U);
      all.insert(fold.held_out.begin(), fold.held_out.end());
    }
    EXPECT_EQ(all.size(), 103U);
  }
  EXPECT_EQ(split_index_folds(7, 3, 1).size(), 3U);
  EXPECT_THROW(split_folds(data, 1), std::invalid_argument);
  EXPECT_THROW(split_folds(data, 104), std::invalid_argument);
}

TEST(Split, QueriesStayWhole) {
  const Dataset data = synth_ranking({.queries = 10, .documents = 7});
  const Split split = split_rows(data, 0.25, {.seed = 4});
  EXPECT_EQ(split.held_out.size(), 21U);
  const Dataset held = select_rows(data, split.held_out);
  EXPECT_EQ(held.queries.size(), 4U);
  EXPECT_EQ(select_rows(data, split.train).queries.size(), 8U);
}

}  // namespace
}  // namespace fenchel::test
