// SPDX-License-Identifier: Apache-2.0
// Draws of arborescences: frequencies of trees by χ² against enumeration, and of arcs against marginals.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fenchel/polytopes/arborescence.hpp"
#include "polytopes/arborescence_reference.hpp"
#include "polytopes/chi_squared.hpp"

namespace fenchel::test {
namespace {

constexpr double mask = -std::numeric_limits<double>::infinity();

/// The p-value of drawn trees against exact probabilities; rare trees are counted together.
double chi_squared_p(const std::vector<Structure>& draws, const Arborescence& set,
                     const std::vector<Heads>& trees, const Scores& probabilities) {
  std::map<Heads, double> counts;
  for (const Structure& draw : draws) ++counts[set.heads(draw)];
  const auto total = static_cast<double>(draws.size());
  double statistic = 0;
  double rare_expected = 0;
  double rare_count = 0;
  int cells = 0;
  const auto add_cell = [&](double count, double expected) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const double expected = probabilities[t] * total;
    if (expected >= 8) {
      add_cell(counts[trees[t]], expected);
    } else {
      rare_expected += expected;
      rare_count += counts[trees[t]];
    }
    if (expected < 1e-6) {
      EXPECT_EQ(counts[trees[t]], 0);
    }
  }
  if (rare_expected >= 8) add_cell(rare_count, rare_expected);
  if (cells < 2) return 1;
  return chi_squared_tail(statistic, cells - 1);
}

TEST(ArborescenceSample, DrawsFollowTheDistribution) {
  Workspace scratch;
  for (const Arborescence& set : small_sets()) {
    const std::vector<Heads> trees = all_trees(set.n, set.single_root);
    // Scores around 1 are drawn by walks; those in cycles with a root 20 below, word by word.
    for (int kind = 0; kind < 3; ++kind) {
      Scores theta = kind == 0 ? normal_scores(set.n, 1, 8) : normal_scores(set.n, 0.7, 9);
      if (kind == 1) {
        for (std::size_t m = 0; m < set.n; ++m) {
          theta[m * set.n + m] -= 20;
          theta[(m ^ 1U) < set.n ? (m ^ 1U) * set.n + m : m] += 20;
        }
      }
      if (kind == 2 && set.n > 2) theta[1] = theta[2 * set.n] = mask;
      const Enumerated expected = enumerate(trees, set.n, theta);
      std::vector<Structure> draws(4000);
      Random random(17);
      set.sample(theta, random, draws, scratch);
      for (const Structure& draw : draws) ASSERT_TRUE(is_tree(set.heads(draw), set.single_root));
      EXPECT_GT(chi_squared_p(draws, set, trees, expected.probabilities), 1e-4)
          << describe(set) << " kind " << kind;
    }
  }
}

TEST(ArborescenceSample, DrawsOfHardScoresHaveTheRightMarginals) {
  Workspace scratch;
  for (const bool single_root : {false, true}) {
    const Arborescence set{11, single_root};
    const Scores theta = cyclic_scores(11, 500, 4);
    Scores gentle = theta;  // cycles of weight e^500, but a choice among many trees
    for (std::size_t i = 0; i < theta.size(); ++i) gentle[i] = theta[i] > 499 ? 500 : theta[i] / 400;
    Scores mu(121);
    set.marginals(gentle, mu, scratch);
    std::vector<Structure> draws(1500);
    Random random(3);
    set.sample(gentle, random, draws, scratch);
    Scores mean(121, 0.0);
    for (const Structure& draw : draws) {
      ASSERT_TRUE(is_tree(set.heads(draw), single_root));
      add(draw, 1.0 / 1500, mean);
    }
    for (std::size_t i = 0; i < mu.size(); ++i) {
      const double deviation = std::sqrt(mu[i] * (1 - mu[i]) / 1500);
      EXPECT_NEAR(mean[i], mu[i], 4.5 * deviation + 1e-9) << i;
    }
    EXPECT_GT(std::ranges::count_if(mu, [](double p) { return p > 0.02 && p < 0.98; }), 10);
  }
}

}  // namespace
}  // namespace fenchel::test
