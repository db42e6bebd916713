// SPDX-License-Identifier: Apache-2.0
// Arborescence against enumeration of all trees: map, marginals, covariances, k best, masks, heads.
#include "fenchel/polytopes/arborescence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "polytopes/arborescence_reference.hpp"

namespace fenchel::test {
namespace {

constexpr double mask = -std::numeric_limits<double>::infinity();
const double scales[] = {0, 0.05, 1, 8, 1e3};

/// Scores with every third case masked at random.
Scores test_scores(std::size_t n, double scale, std::uint64_t seed) {
  Scores theta = normal_scores(n, scale, seed);
  if (seed % 3 == 2) {
    Random random(seed + 1000);
    for (double& score : theta) score = random.uniform() < 0.4 ? mask : score;
  }
  return theta;
}

template <class Check>
void for_each_case(std::uint64_t seeds, Check check) {
  Workspace scratch;
  for (const Arborescence& set : small_sets()) {
    const std::vector<Heads> trees = all_trees(set.n, set.single_root);
    for (const double scale : scales) {
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(describe(set) + " scale " + std::to_string(scale) + " seed " + std::to_string(seed));
        check(set, trees, test_scores(set.n, scale, seed), scratch);
      }
    }
  }
}

TEST(Arborescence, CountsTrees) {
  Workspace scratch;
  for (const Arborescence& set : small_sets()) {
    const Scores theta(set.dimension(), 0.0);
    const auto count = static_cast<double>(all_trees(set.n, set.single_root).size());
    EXPECT_NEAR(set.log_partition(theta, scratch), std::log(count), 1e-14) << describe(set);
  }
}

TEST(Arborescence, MapIsTheBestTree) {
  for_each_case(12, [](const Arborescence& set, const std::vector<Heads>& trees, const Scores& theta,
                       Workspace& scratch) {
    Structure best;
    const double score = set.map(theta, best, scratch);
    const auto expected = static_cast<double>(enumerate(trees, set.n, theta).best);
    if (expected == mask) {
      EXPECT_EQ(score, mask);
      return;
    }
    EXPECT_NEAR(score, expected, 1e-12 * (1 + std::abs(expected)));
    EXPECT_TRUE(is_tree(set.heads(best), set.single_root));
    EXPECT_DOUBLE_EQ(dot(best, theta), score);
    EXPECT_TRUE(std::ranges::is_sorted(best.indices));
  });
}

TEST(Arborescence, MapOfLargerGraphsAgreesWithTheirMarginals) {
  // At a low temperature the marginals round to the best tree: two algorithms that share nothing.
  Workspace scratch;
  for (const bool single_root : {false, true}) {
    for (const std::size_t n : {7, 20, 61}) {
      const Arborescence set{n, single_root};
      const Scores theta = cyclic_scores(n, 1e7, n);
      Scores mu(n * n);
      set.marginals(theta, mu, scratch);
      Structure best;
      set.map(theta, best, scratch);
      Scores vertex(n * n);
      write(best, vertex);
      for (std::size_t i = 0; i < mu.size(); ++i)
        EXPECT_NEAR(mu[i], vertex[i], 1e-6) << describe(set) << ' ' << i;
    }
  }
}

TEST(Arborescence, MarginalsAreThoseOfEnumeration) {
  for_each_case(6, [](const Arborescence& set, const std::vector<Heads>& trees, const Scores& theta,
                      Workspace& scratch) {
    const Enumerated expected = enumerate(trees, set.n, theta);
    Scores mu(set.dimension());
    const double log_z = set.marginals(theta, mu, scratch);
    EXPECT_EQ(log_z == mask, expected.log_z == mask);
    EXPECT_EQ(set.log_partition(theta, scratch) == mask, expected.log_z == mask);
    if (expected.log_z == mask) return;
    EXPECT_NEAR(log_z, expected.log_z, 1e-13 * (1 + std::abs(expected.log_z)));
    EXPECT_NEAR(set.log_partition(theta, scratch), expected.log_z, 1e-13 * (1 + std::abs(expected.log_z)));
    for (std::size_t i = 0; i < mu.size(); ++i) {
      EXPECT_NEAR(mu[i], expected.marginals[i], 1e-12 * expected.marginals[i] + 1e-300) << i;
    }
    EXPECT_NO_THROW(set.check_point("mu", mu));
  });
}

TEST(Arborescence, BlocksAreTheSameAsRowsToTheBit) {
  Workspace scratch;
  for (const bool single_root : {false, true}) {
    for (const std::size_t n : {1, 2, 3, 7, 30}) {
      const Arborescence set{n, single_root};
      constexpr std::size_t rows = 11;
      Scores thetas;
      for (std::size_t i = 0; i < rows; ++i) {
        // The third row is beyond the exponents of doubles, the sixth has masks.
        Scores theta = normal_scores(n, i == 2 ? 500 : 2, i);
        if (i == 5 && n > 2) theta[1] = theta[n] = mask;
        thetas.insert(thetas.end(), theta.begin(), theta.end());
      }
      Scores mus(thetas.size());
      Scores log_z(rows);
      set.marginals_block({thetas.data(), rows, n * n}, {mus.data(), rows, n * n}, log_z, scratch);
      for (std::size_t i = 0; i < rows; ++i) {
        Scores mu(n * n);
        const std::span<const double> theta(thetas.data() + i * n * n, n * n);
        EXPECT_EQ(set.marginals(theta, mu, scratch), log_z[i]) << describe(set) << " row " << i;
        EXPECT_TRUE(std::ranges::equal(mu, std::span(mus).subspan(i * n * n, n * n)))
            << describe(set) << " row " << i;
      }
    }
  }
}

TEST(Arborescence, CovarianceProductsAreThoseOfEnumeration) {
  for_each_case(4, [](const Arborescence& set, const std::vector<Heads>& trees, const Scores& theta,
                      Workspace& scratch) {
    const Enumerated expected = enumerate(trees, set.n, theta);
    if (expected.log_z == mask) return;
    const Scores v = normal_scores(set.n, 3, 77);
    double mean = 0;
    for (std::size_t t = 0; t < trees.size(); ++t)
      mean += expected.probabilities[t] * static_cast<double>(score_of(trees[t], v));
    Scores covariance(set.dimension(), 0.0);
    for (std::size_t t = 0; t < trees.size(); ++t) {
      const double weight = expected.probabilities[t] * (static_cast<double>(score_of(trees[t], v)) - mean);
      for (std::size_t m = 0; m < set.n; ++m) covariance[arc_index(set.n, trees[t], m)] += weight;
    }
    Scores mu(set.dimension());
    Scores out(set.dimension());
    set.marginals(theta, mu, scratch);
    set.marginals_jvp(theta, mu, v, out, scratch);
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], covariance[i], 1e-12) << i;
  });
}

TEST(Arborescence, ShiftedScoresGiveTheSameMarginals) {
  Workspace scratch;
  const Arborescence set{6, true};
  const Scores theta = normal_scores(6, 1, 3);
  Scores rounded = theta;
  for (double& score : rounded) score = std::round(score * 1024) / 1024;
  Scores shifted = rounded;
  for (double& score : shifted) score += 1e6;
  Scores mu(36);
  Scores moved(36);
  const double log_z = set.marginals(rounded, mu, scratch);
  EXPECT_NEAR(set.marginals(shifted, moved, scratch), log_z + 6e6, 1e-8);
  EXPECT_EQ(mu, moved);
}

TEST(Arborescence, MarginalsAreTheGradientOfLogPartition) {
  Workspace scratch;
  for (const bool single_root : {false, true}) {
    const Arborescence set{9, single_root};
    const Scores theta = normal_scores(9, 1, 5);
    Scores mu(81);
    set.marginals(theta, mu, scratch);
    for (std::size_t i = 0; i < mu.size(); ++i) {
      constexpr double step = 1e-5;
      Scores up = theta;
      Scores down = theta;
      up[i] += step;
      down[i] -= step;
      const double slope = (set.log_partition(up, scratch) - set.log_partition(down, scratch)) / (2 * step);
      EXPECT_NEAR(mu[i], slope, 1e-9) << i;
    }
  }
}

TEST(Arborescence, KBestAreTheBestOfEnumeration) {
  for_each_case(4, [](const Arborescence& set, const std::vector<Heads>& trees, const Scores& theta,
                      Workspace& scratch) {
    Scores sorted;
    for (const Heads& tree : trees) {
      const auto score = static_cast<double>(score_of(tree, theta));
      if (score > mask) sorted.push_back(score);
    }
    std::ranges::sort(sorted, std::greater<>());
    for (const std::size_t k : {std::size_t{1}, std::size_t{7}, set.n < 5 ? trees.size() + 3 : 40}) {
      std::vector<Structure> found(3);
      set.k_best(theta, k, found, scratch);
      ASSERT_EQ(found.size(), std::min(k, sorted.size()));
      std::set<std::vector<std::uint32_t>> distinct;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(dot(found[i], theta), sorted[i], 1e-12 * (1 + std::abs(sorted[i]))) << i;
        EXPECT_TRUE(is_tree(set.heads(found[i]), set.single_root));
        EXPECT_LE(dot(found[i], theta), dot(found[i > 0 ? i - 1 : 0], theta));
        distinct.insert(found[i].indices);
      }
      EXPECT_EQ(distinct.size(), found.size());
    }
  });
}

TEST(Arborescence, NoTreeLeft) {
  Workspace scratch;
  Structure tree;
  std::vector<Structure> trees(2);
  for (const bool single_root : {false, true}) {
    for (const std::size_t n : {1, 2, 4, 30}) {
      const Arborescence set{n, single_root};
      Scores theta(n * n, 0.0);
      for (std::size_t m = 0; m < n; ++m) theta[m * n + m] = mask;  // no word may be attached to the root
      Scores mu(n * n);
      EXPECT_EQ(set.map(theta, tree, scratch), mask);
      EXPECT_EQ(set.marginals(theta, mu, scratch), mask);
      EXPECT_EQ(set.log_partition(theta, scratch), mask);
      set.k_best(theta, 3, trees, scratch);
      EXPECT_TRUE(trees.empty());
      trees.resize(2);
      Random random(1);
      EXPECT_THROW(set.sample(theta, random, trees, scratch), std::invalid_argument);
    }
  }
  // Two words that only the root may lead to: too many for a single root.
  Scores theta(9, 0.0);
  theta[1] = theta[2] = theta[3] = theta[5] = theta[6] = theta[7] = mask;
  EXPECT_EQ((Arborescence{3, false}.map(theta, tree, scratch)), 0);
  EXPECT_EQ((Arborescence{3, true}.map(theta, tree, scratch)), mask);
  EXPECT_EQ((Arborescence{3, true}.log_partition(theta, scratch)), mask);
}

TEST(Arborescence, HeadsAndStructures) {
  const Arborescence set{4, false};
  const Heads heads{-1, 0, 0, -1};
  EXPECT_THAT(set.structure(heads).indices, testing::ElementsAre(0, 1, 2, 15));
  EXPECT_EQ(set.heads(set.structure(heads)), heads);
  const auto message = [](const Arborescence& tree, const Heads& bad) -> std::string {
    try {
      (void)tree.structure(bad);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(set, {-1, 2, 1, 0}), "heads has a cycle through word 1; expected a tree");
  EXPECT_EQ(message(set, {-1, 1, 1, 0}), "heads[1] is 1; expected -1 (the root) or another word below 4");
  EXPECT_EQ(message(set, {-1, 4, 1, 0}), "heads[1] is 4; expected -1 (the root) or another word below 4");
  EXPECT_EQ(message({4, true}, heads), "heads attaches 2 words to the root; expected exactly 1");
  EXPECT_NE(message(set, {-1, 0}), "");
}

TEST(Arborescence, ChecksPointsAndSizes) {
  const Arborescence set{2, false};
  EXPECT_NO_THROW(set.check_point("mu", Scores{1, 0.5, 0, 0.5}));
  EXPECT_THROW((Arborescence{2, true}.check_point("mu", Scores{1, 0.5, 0, 0.5})), std::invalid_argument);
  EXPECT_THROW(set.check_point("mu", Scores{0.9, 0.5, 0, 0.5}), std::invalid_argument);
  EXPECT_THROW(set.check_point("mu", Scores{1.5, 0.5, -0.5, 0.5}), std::invalid_argument);
  EXPECT_THROW(set.check_point("mu", Scores{0, 1, 1, 0}), std::invalid_argument);
  EXPECT_THROW(set.check_point("mu", Scores{1, 0}), std::invalid_argument);
  EXPECT_THROW((Arborescence{0, false}.check()), std::invalid_argument);
  EXPECT_THROW((Arborescence{65536, false}.check()), std::invalid_argument);
  for (const Arborescence& example : Arborescence::examples()) EXPECT_NO_THROW(example.check());
}

TEST(Arborescence, GoldenCases) {
  std::ifstream stream(std::string(FENCHEL_GOLDEN_DIR) + "/structured.jsonl");
  Workspace scratch;
  int checked = 0;
  for (std::string line; std::getline(stream, line);) {
    const auto golden = nlohmann::json::parse(line);
    const auto& omega = golden["omega"];
    if (!omega.contains("polytope") || omega["polytope"]["name"] != "arborescence" || omega.contains("cost"))
      continue;
    const Arborescence set{omega["polytope"]["n"].get<std::size_t>(),
                           omega["polytope"].value("single_root", false)};
    const std::string name = omega["name"];
    const std::string op = golden["op"];
    if ((name != "map" && name != "marginal") || (op != "predict" && op != "conjugate")) continue;
    const Scores theta = golden["theta"].get<Scores>();
    Scores mu(set.dimension());
    Structure best;
    const double value = name == "map" ? set.map(theta, best, scratch) : set.marginals(theta, mu, scratch);
    if (name == "map") write(best, mu);
    const Scores expected =
        op == "predict" ? golden["expect"].get<Scores>() : Scores{golden["expect"].get<double>()};
    const Scores got = op == "predict" ? mu : Scores{value};
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12) << golden["id"];
    ++checked;
  }
  EXPECT_GE(checked, 9);
}

// So far apart that the best tree is all there is, and that it has to take arcs far below the best of a word.
TEST(Arborescence, MarginalsOfHugeScoresAreTheBestTree) {
  Workspace scratch;
  for (const bool single_root : {false, true}) {
    for (const double scale : {1e3, 1e9, 1e10}) {
      for (const std::size_t n : {3U, 5U, 12U}) {
        const Arborescence set{n, single_root};
        const Scores theta = normal_scores(n, scale, n);
        Scores mu(n * n);
        const double log_partition = set.marginals(theta, mu, scratch);
        Structure best;
        EXPECT_NEAR(log_partition / set.map(theta, best, scratch), 1, 1e-12);
        Scores expected(n * n);
        for (const std::uint32_t index : best.indices) expected[index] = 1;
        for (std::size_t i = 0; i < mu.size(); ++i) {
          EXPECT_NEAR(mu[i], expected[i], 1e-12) << n << ' ' << scale << ' ' << single_root;
        }
      }
    }
  }
}

TEST(Arborescence, HugeScoresStayFinite) {
  Workspace scratch;
  for (const bool single_root : {false, true}) {
    for (const double scale : {1e6, 1e12, 1e290}) {
      const Arborescence set{12, single_root};
      const Scores theta = normal_scores(12, scale, 6);
      Scores mu(144);
      Scores out(144);
      EXPECT_TRUE(std::isfinite(set.marginals(theta, mu, scratch)));
      EXPECT_NO_THROW(set.check_point("mu", mu));
      set.marginals_jvp(theta, mu, theta, out, scratch);
      for (const double entry : out) EXPECT_TRUE(std::isfinite(entry));
      std::vector<Structure> draws(3);
      Random random(2);
      set.sample(theta, random, draws, scratch);
      for (const Structure& draw : draws) EXPECT_TRUE(is_tree(set.heads(draw), single_root));
      Structure best;
      EXPECT_TRUE(std::isfinite(set.map(theta, best, scratch)));
    }
  }
}

}  // namespace
}  // namespace fenchel::test
