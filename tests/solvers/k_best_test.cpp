// SPDX-License-Identifier: Apache-2.0
#include "solvers/k_best.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"

namespace fenchel::test {
namespace {

using Vector = std::vector<double>;

// Every matrix of zeros and ones with one 1 per column, or only those with one 1 per row as well.
std::vector<Structure> every_structure(std::size_t rows, std::size_t columns, bool permutations) {
  std::vector<Structure> all;
  std::vector<std::size_t> row(columns);
  while (true) {
    const std::set<std::size_t> distinct(row.begin(), row.end());
    if (!permutations || distinct.size() == columns) {
      Structure y;
      for (std::size_t j = 0; j < columns; ++j)
        y.indices.push_back(static_cast<std::uint32_t>(row[j] * columns + j));
      std::ranges::sort(y.indices);
      all.push_back(y);
    }
    std::size_t j = 0;
    while (j < columns && ++row[j] == rows) row[j++] = 0;
    if (j == columns) return all;
  }
}

struct Counted {
  const std::vector<Structure>* all;
  std::size_t calls = 0;

  double operator()(std::span<const double> theta, Structure& out) {
    ++calls;
    double best = -infinity;
    for (const Structure& y : *all) {
      const double score = dot(y, theta);
      if (score > best) {
        best = score;
        out = y;
      }
    }
    return best;
  }
};

void expect_k_best(const std::vector<Structure>& all, std::size_t groups, const Vector& theta,
                   std::size_t k) {
  Vector scores;
  for (const Structure& y : all) {
    if (dot(y, theta) > -infinity) scores.push_back(dot(y, theta));
  }
  std::ranges::sort(scores, std::greater<>());
  Workspace scratch;
  Counted map{&all};
  std::vector<Structure> found(3);
  found[0].indices = {7, 7, 7, 7, 7, 7, 7, 7, 7};
  k_best_by_partition(map, groups, theta, k, found, scratch);
  ASSERT_EQ(found.size(), std::min(k, scores.size()));
  EXPECT_LE(map.calls, k * groups);
  std::set<std::vector<std::uint32_t>> distinct;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(dot(found[i], theta), scores[i], 1e-13 * (1 + std::abs(scores[i])));
    if (i > 0) {
      EXPECT_LE(dot(found[i], theta), dot(found[i - 1], theta));
    }
    EXPECT_NE(std::ranges::find(all, found[i]), all.end());
    distinct.insert(found[i].indices);
  }
  EXPECT_EQ(distinct.size(), found.size());
}

TEST(KBestByPartition, EqualsTheSortedList) {
  Random random(3);
  for (const bool permutations : {false, true}) {
    const auto all = every_structure(4, 4, permutations);
    for (const double scale : {0.05, 1.0, 8.0, 1e3}) {
      for (const std::size_t k : {0, 1, 2, 5, 24, 40, 400}) {
        Vector theta(16);
        for (double& score : theta) score = scale * random.normal();
        expect_k_best(all, 4, theta, k);
      }
    }
  }
}

TEST(KBestByPartition, TiesAndMasks) {
  Random random(4);
  const auto all = every_structure(4, 4, true);
  for (const std::size_t k : {1, 3, 24, 30}) {
    expect_k_best(all, 4, Vector(16, 2.5), k);
    Vector whole(16);
    for (double& score : whole) score = static_cast<double>(random.below(2));
    expect_k_best(all, 4, whole, k);
    Vector masked(16);
    for (double& score : masked) score = random.uniform() < 0.3 ? -infinity : random.normal();
    expect_k_best(all, 4, masked, k);
  }
  expect_k_best(all, 4, Vector(16, -infinity), 3);
}

TEST(KBestByPartition, OneGroupOrOneStructure) {
  expect_k_best(every_structure(5, 1, false), 1, {1, 3, 2, 5, 4}, 3);
  expect_k_best(every_structure(1, 3, false), 3, {1, 2, 3}, 9);
}

}  // namespace
}  // namespace fenchel::test
