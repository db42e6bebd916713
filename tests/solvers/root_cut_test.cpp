// SPDX-License-Identifier: Apache-2.0
// Sets of words that the root does not reach with a unit of flow, against all sets.
#include "solvers/root_cut.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace fenchel::test {
namespace {

using Words = std::vector<std::uint32_t>;

// What flows into the words of a bit mask from outside; row m of `into` holds the arcs into m.
double inflow(const Vector& into, std::size_t n, std::size_t set) {
  double sum = 0;
  for (std::size_t m = 0; m < n; ++m) {
    for (std::size_t h = 0; h < n; ++h) {
      if ((set >> m & 1) == 1 && (h == m || (set >> h & 1) == 0)) sum += into[m * n + h];
    }
  }
  return sum;
}

// Columns on the simplex, sparse or dense; the root's share is small.
Vector capacities(Random& random, std::size_t n) {
  Vector into;
  for (std::size_t m = 0; m < n; ++m) {
    Vector shares = simplex_point(random, n);
    if (n > 1) {
      const double kept = random.uniform() * shares[m];
      shares[(m + 1) % n] += shares[m] - kept;
      shares[m] = kept;
    }
    into.insert(into.end(), shares.begin(), shares.end());
  }
  return into;
}

TEST(RootCut, FindsViolatedSetsIfAndOnlyIfThereAreSome) {
  constexpr double tolerance = 1e-12;
  Random random(3);
  int feasible = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t n = 1 + static_cast<std::size_t>(trial % 7);
    const Vector into = capacities(random, n);
    double least = 1;
    for (std::size_t set = 1; set < std::size_t{1} << n; ++set) least = std::min(least, inflow(into, n, set));
    Workspace scratch;
    std::size_t count = 0;
    RootCut({into.data(), n, n}, scratch)
        .find(tolerance, [&](std::span<const std::uint32_t> words, double flow) {
          ++count;
          std::size_t set = 0;
          for (const std::uint32_t m : words) set |= std::size_t{1} << m;
          EXPECT_NEAR(inflow(into, n, set), flow, 1e-14);
          EXPECT_LT(flow, 1 - tolerance);
        });
    EXPECT_EQ(count == 0, least >= 1 - tolerance) << "n " << n << ", least inflow " << least;
    feasible += count == 0 ? 1 : 0;
  }
  EXPECT_GT(feasible, 300);
  EXPECT_LT(feasible, 2700);
}

TEST(RootCut, FindsACycle) {
  // The root leads to word 0 alone; 1 and 2 lead to each other.
  const Vector into{1, 0, 0, 0, 0, 1, 0, 1, 0};
  Workspace scratch;
  std::vector<Words> found;
  RootCut({into.data(), 3, 3}, scratch).find(1e-12, [&](std::span<const std::uint32_t> words, double flow) {
    EXPECT_EQ(flow, 0);
    found.emplace_back(words.begin(), words.end());
  });
  ASSERT_FALSE(found.empty());
  std::ranges::sort(found[0]);
  EXPECT_EQ(found[0], (Words{1, 2}));
}

}  // namespace
}  // namespace fenchel::test
