// SPDX-License-Identifier: Apache-2.0
// The row scans of the assignment solver against plain loops, for every instruction set and row length.
#include "kernels/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/reference.hpp"
#include "solvers/plan_reference.hpp"

namespace fenchel::test::plans {
namespace {

/// Scores with ties and masks.
Numbers row_of(Random& random, std::size_t n) {
  Numbers row(n);
  for (double& entry : row) {
    entry = random.uniform() < 0.2 ? masked : static_cast<double>(random.below(6));
  }
  return row;
}

TEST(AssignmentKernels, TopTwo) {
  for_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    Random random(1);
    for (std::size_t n = 1; n < 40; ++n) {
      const Numbers row = row_of(random, n);
      const Numbers prices = random_scores(random, n, n % 2 == 0 ? 0 : 1);
      Numbers values(n);
      for (std::size_t j = 0; j < n; ++j) values[j] = row[j] - prices[j];
      const auto first = std::ranges::max_element(values);
      const kernels::TopTwo top = kernels::top_two(row, prices);
      EXPECT_EQ(top.best, *first);
      EXPECT_EQ(top.at, static_cast<std::size_t>(first - values.begin())) << n;
      *first = masked;
      EXPECT_EQ(top.second, *std::ranges::max_element(values)) << n;
    }
  });
}

TEST(AssignmentKernels, RelaxAndRaise) {
  for_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    Random random(2);
    for (std::size_t n = 1; n < 40; ++n) {
      const Numbers row = row_of(random, n);
      Numbers prices = random_scores(random, n, 0);
      Numbers occupied(n);
      Numbers distance(n);
      for (std::size_t j = 0; j < n; ++j) {
        occupied[j] = random.uniform() < 0.5 ? 0 : -masked;
        distance[j] = random.uniform() < 0.5 ? 3 : -masked;
        if (random.uniform() < 0.2) distance[j] = prices[j] = -masked;  // scanned
      }
      std::vector<std::int64_t> previous(n, 7);
      Numbers expected(distance);
      std::vector<std::int64_t> expected_previous(previous);
      double nearest = -masked;
      double nearest_free = -masked;
      for (std::size_t j = 0; j < n; ++j) {
        const double candidate = 6 - (row[j] - prices[j]);
        if (candidate < expected[j]) {
          expected[j] = candidate;
          expected_previous[j] = 9;
        }
        nearest = std::min(nearest, expected[j]);
        if (occupied[j] == 0) nearest_free = std::min(nearest_free, expected[j]);
      }
      const kernels::Nearest found = kernels::relax(row, 6, 9, {prices, occupied, distance, previous});
      EXPECT_EQ(distance, expected);
      EXPECT_EQ(previous, expected_previous);
      EXPECT_EQ(found.distance, nearest);
      EXPECT_EQ(found.free_distance, nearest_free);
      if (nearest < -masked) {
        EXPECT_EQ(expected[found.at], nearest);
      }
      Numbers top(n, 2.0);
      std::vector<std::int64_t> owner(n, 1);
      kernels::raise_maxima(row, 4, top, owner);
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_EQ(top[j], std::max(2.0, row[j]));
        EXPECT_EQ(owner[j], row[j] > 2 ? 4 : 1);
      }
    }
  });
}

}  // namespace
}  // namespace fenchel::test::plans
