// SPDX-License-Identifier: Apache-2.0
// The assignment solver against all permutations of small matrices, and against its dual certificate on large
// ones.
#include "solvers/assignment.hpp"

#include <string>

#include "solvers/plan_reference.hpp"

namespace fenchel::test::plans {
namespace {

struct Solved {
  std::vector<std::uint32_t> columns;
  Numbers row_prices, column_prices;
  double score;
};

Solved solve(const Numbers& theta, std::size_t n) {
  Workspace scratch;
  Solved solved{std::vector<std::uint32_t>(n), Numbers(n), Numbers(n), 0};
  solved.score = assign_rows(theta, n, {solved.columns, solved.row_prices, solved.column_prices}, scratch);
  return solved;
}

/// A permutation of this score, and prices that no pair exceeds and the chosen ones meet.
void expect_certified(const Numbers& theta, std::size_t n, const Solved& solved, const std::string& what) {
  SCOPED_TRACE(what);
  const double tolerance = 1e-13 * (1 + largest_finite(theta)) * static_cast<double>(n);
  std::vector<int> taken(n);
  double score = 0;
  double dual = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ++taken.at(solved.columns[i]);
    score += theta[i * n + solved.columns[i]];
    dual += solved.row_prices[i] + solved.column_prices[i];
    for (std::size_t j = 0; j < n; ++j) {
      ASSERT_LE(theta[i * n + j], solved.row_prices[i] + solved.column_prices[j] + tolerance)
          << i << ' ' << j;
    }
  }
  EXPECT_EQ(std::ranges::count(taken, 1), static_cast<std::ptrdiff_t>(n));
  EXPECT_NEAR(score, solved.score, tolerance);
  EXPECT_NEAR(dual, solved.score, tolerance);
}

TEST(Assignment, BestOfAllPermutations) {
  Random random(1);
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 6U}) {
    for (const double scale : {0.05, 1.0, 8.0, 1e3, 1e6}) {
      for (const double mask_share : {0.0, 0.3, 0.6}) {
        Numbers theta = random_scores(random, n * n, scale);
        for (double& entry : theta) entry = random.uniform() < mask_share ? masked : entry;
        const auto all = permutations(theta, n);
        const Solved solved = solve(theta, n);
        if (all.empty()) {
          EXPECT_EQ(solved.score, masked);
          continue;
        }
        EXPECT_NEAR(solved.score, all.front().score, 1e-13 * (1 + std::abs(all.front().score)));
        expect_certified(theta, n, solved, "n " + std::to_string(n));
      }
    }
  }
}

TEST(Assignment, LargeProblemsAreCertified) {
  Random random(2);
  for (const std::size_t n : {7U, 16U, 33U, 100U, 203U}) {
    Numbers uniform(n * n);
    Numbers integers(n * n);
    Numbers products(n * n);
    Numbers shifted(n * n);
    for (std::size_t k = 0; k < n * n; ++k) {
      uniform[k] = -random.uniform();
      integers[k] = -static_cast<double>(random.below(10));
      products[k] = -static_cast<double>((k / n + 1) * (k % n + 1));
      shifted[k] = 1e6 * static_cast<double>(k % n) - 1e6 + random.normal();
    }
    expect_certified(uniform, n, solve(uniform, n), "uniform");
    expect_certified(integers, n, solve(integers, n), "integers");
    expect_certified(products, n, solve(products, n), "products");
    expect_certified(shifted, n, solve(shifted, n), "shifted");
  }
}

TEST(Assignment, TiesAndConstants) {
  for (const std::size_t n : {1U, 2U, 5U, 64U}) {
    const Numbers theta(n * n, 0.25);
    const Solved solved = solve(theta, n);
    EXPECT_EQ(solved.score, 0.25 * static_cast<double>(n));
    expect_certified(theta, n, solved, "constant");
    EXPECT_EQ(solve(theta, n).columns, solved.columns);
  }
}

TEST(Assignment, MasksThatLeaveOnePermutation) {
  const std::size_t n = 40;
  Random random(3);
  Numbers theta(n * n, masked);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j)
      theta[i * n + j] = 5 * random.normal();  // a triangle: the diagonal only
  }
  const Solved solved = solve(theta, n);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(solved.columns[i], i);
  expect_certified(theta, n, solved, "triangle");
}

// Three rows share two columns: no row or column is empty, so that only a search finds out.
TEST(Assignment, MasksThatLeaveNone) {
  Numbers theta(25, 1.0);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 2; j < 5; ++j) theta[i * 5 + j] = masked;
  }
  EXPECT_EQ(solve(theta, 5).score, masked);
  EXPECT_EQ(solve(Numbers(9, masked), 3).score, masked);
  EXPECT_EQ(solve(Numbers(1, masked), 1).score, masked);
}

TEST(Assignment, HugeScoresStayOrdered) {
  const Numbers theta{1e300, -1e300, -1e300, 1e300};
  const Solved solved = solve(theta, 2);
  EXPECT_EQ(solved.columns[0], 0U);
  EXPECT_EQ(solved.score, 2e300);
}

}  // namespace
}  // namespace fenchel::test::plans
