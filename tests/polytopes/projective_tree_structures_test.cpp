// SPDX-License-Identifier: Apache-2.0
// Projective trees as structures: draws, the k best, heads and back, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "messages.hpp"
#include "polytopes/chi_squared.hpp"
#include "polytopes/projective_tree_reference.hpp"

namespace fenchel::test {
namespace {

using namespace projective;

TEST(ProjectiveTree, SampleFrequencies) {
  Random random(8);
  for (const double lure : {0.0, 3000.0}) {  // plain and logarithmic sums
    for (const bool single_root : {false, true}) {
      const ProjectiveTree set{4, single_root};
      Vector theta = random_scores(random, set.dimension(), 1, 0.1);
      // Words 0 and 1 prefer each other as head, which is impossible: the range grows, the odds do not.
      theta[1 * 4 + 0] += lure;
      theta[0 * 4 + 1] += lure;
      const Exact exact(set, theta);
      ASSERT_GT(exact.best, -infinity);
      constexpr std::size_t count = 20000;
      std::vector<Structure> draws(count);
      Workspace scratch;
      set.sample(theta, random, draws, scratch);
      const auto& all = every_tree(set);
      std::map<std::vector<std::uint32_t>, double> seen;
      for (const Structure& y : draws) seen[y.indices] += 1;
      double statistic = 0;
      double rest_expected = 0;
      double rest_seen = 0;
      double cells = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double expected = exact.probabilities[i] * count;
        const double observed = seen[all[i].indices];
        if (expected == 0) {
          EXPECT_EQ(observed, 0);
        } else if (expected < 8) {
          rest_expected += expected;
          rest_seen += observed;
        } else {
          statistic += (observed - expected) * (observed - expected) / expected;
          ++cells;
        }
      }
      if (rest_expected > 0) {
        statistic += (rest_seen - rest_expected) * (rest_seen - rest_expected) / rest_expected;
      }
      EXPECT_EQ(seen.size(), all.size());  // nothing but trees was drawn
      EXPECT_GT(chi_squared_tail(statistic, std::max(1.0, cells)), 1e-4);
    }
  }
}

TEST(ProjectiveTree, KBest) {
  Random random(9);
  Workspace scratch;
  for (const ProjectiveTree& set : sets(4)) {
    for (const double scale : {0.0, 0.05, 1.0, 8.0, 1e3}) {
      for (const std::size_t k : {1, 4, 20, 60}) {
        const Vector theta = random_scores(random, set.dimension(), scale, scale == 8 ? 0.2 : 0);
        Vector scores;
        for (const Structure& y : every_tree(set)) {
          if (dot(y, theta) > -infinity) scores.push_back(dot(y, theta));
        }
        std::ranges::sort(scores, std::greater<>());
        std::vector<Structure> found;
        set.k_best(theta, k, found, scratch);
        ASSERT_EQ(found.size(), std::min(k, scores.size()));
        std::set<std::vector<std::uint32_t>> distinct;
        for (std::size_t i = 0; i < found.size(); ++i) {
          EXPECT_NEAR(dot(found[i], theta), scores[i], 1e-13 * (1 + std::abs(scores[i])));
          EXPECT_NE(std::ranges::find(every_tree(set), found[i]), every_tree(set).end());
          distinct.insert(found[i].indices);
        }
        EXPECT_EQ(distinct.size(), found.size());
      }
    }
  }
}

TEST(ProjectiveTree, HeadsAndStructures) {
  for (const ProjectiveTree& set : sets(5)) {
    std::size_t accepted = 0;
    every_head_vector(set.n, [&](const Heads& heads) {
      Structure y;
      const std::string message = message_of([&] { y = set.structure(heads); });
      EXPECT_EQ(message.empty(), is_projective_tree(heads, set.single_root)) << message;
      if (!message.empty()) return;
      ++accepted;
      EXPECT_EQ(y, tree_of(heads));
      EXPECT_EQ(set.heads(y), heads);
    });
    EXPECT_EQ(accepted, every_tree(set).size());
  }
}

TEST(ProjectiveTree, Messages) {
  using testing::HasSubstr;
  const ProjectiveTree set{3};
  auto refused = [&](const Heads& heads) { return message_of([&] { set.structure(heads); }); };
  EXPECT_THAT(refused({-1, 0}), HasSubstr("heads"));
  EXPECT_THAT(refused({-1, 5, 0}), HasSubstr("heads[1] is 5; expected another word in [0, 2], or -1"));
  EXPECT_THAT(refused({-1, 1, 0}), HasSubstr("heads[1] is 1"));
  EXPECT_THAT(refused({1, 0, -1}), HasSubstr("cycle"));
  EXPECT_THAT(refused({2, -1, -1}), HasSubstr("cross"));
  EXPECT_THAT(message_of([] {
                ProjectiveTree{2, true}.structure(Heads{-1, -1});
              }),
              HasSubstr("2 words under the root; expected 1"));
  EXPECT_THAT(message_of([&] { set.heads({{0, 1}, {}}); }), HasSubstr("word 2 no head"));
  EXPECT_THAT(message_of([&] { set.heads({{0, 3, 5}, {}}); }), HasSubstr("word 0 two heads"));
  EXPECT_THAT(message_of([&] { set.heads({{0, 1, 9}, {}}); }), HasSubstr("entry 9"));
  EXPECT_THAT(message_of([] { ProjectiveTree{0}.check(); }), HasSubstr("n is 0"));
  EXPECT_THAT(message_of([] { ProjectiveTree{70000}.check(); }), HasSubstr("n is 70000"));
  for (const ProjectiveTree& example : ProjectiveTree::examples()) EXPECT_NO_THROW(example.check());
}

TEST(ProjectiveTree, CheckPoint) {
  using testing::HasSubstr;
  const ProjectiveTree set{2, true};
  EXPECT_NO_THROW(set.check_point("mu", Vector{0.5, 0.5, 0.5, 0.5}));
  EXPECT_THAT(message_of([&] {
                set.check_point("mu", Vector{1, 0, 0, 1});
              }),
              HasSubstr("the diagonal of mu sums to 2; expected 1"));
  EXPECT_THAT(message_of([&] {
                set.check_point("mu", Vector{1, 0.5, 0, 0});
              }),
              HasSubstr("column 1 of mu sums to 0.5; expected 1"));
  EXPECT_THAT(message_of([&] { set.check_point("mu", Vector{2, 1, -1, 0}); }), HasSubstr("mu[0] is 2"));
}

// Scores whose sums overflow have no exact answer; the oracles still return.
TEST(ProjectiveTree, HugeScoresEnd) {
  Workspace scratch;
  Random random(10);
  for (const bool single_root : {false, true}) {
    const ProjectiveTree set{7, single_root};
    Vector theta(set.dimension());
    for (double& score : theta) score = random.uniform() < 0.5 ? 1e308 : -1e308;
    Structure y;
    set.map(theta, y, scratch);
    Vector mu(theta.size());
    set.marginals(theta, mu, scratch);
    std::vector<Structure> found;
    set.k_best(theta, 3, found, scratch);
    EXPECT_EQ(y.size(), set.n);
  }
}

}  // namespace
}  // namespace fenchel::test
