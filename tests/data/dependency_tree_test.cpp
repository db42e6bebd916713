// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/dependency_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace fenchel::test {
namespace {

using Heads = std::vector<std::int32_t>;

std::string problem(const Heads& heads) {
  const auto fault = tree_fault(heads);
  return fault ? std::to_string(fault->word) + ": " + fault->problem : "";
}

TEST(DependencyTree, Faults) {
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem({0}), "");
  EXPECT_EQ(problem({2, 0, 2}), "");
  EXPECT_EQ(problem({-1, -1}), "");
  EXPECT_EQ(problem({0, 2, 1}), "1: word 2 is its own head");
  EXPECT_EQ(problem({0, 4, 1}), "1: the head of word 2 is 4; expected 0 to 3");
  EXPECT_EQ(problem({0, -2, 1}), "1: the head of word 2 is -2; expected 0 to 3");
  EXPECT_EQ(problem({0, 1, -1}), "2: word 3 has no head, the words before have one; expected all or none");
  EXPECT_EQ(problem({-1, 1, 0}), "1: word 2 has a head, the words before have none; expected all or none");
  EXPECT_EQ(problem({0, 1, 5, 1, 3}), "0: the heads of words 3, 5 form a cycle");
  EXPECT_EQ(problem({2, 3, 1}), "0: the heads of words 1, 2, 3 form a cycle");
  EXPECT_EQ(problem({2, 3, 2, 0}), "0: the heads of words 2, 3 form a cycle");
  EXPECT_EQ(problem({0, 1, 0}), "0: words 1, 3 have the head 0; expected one root");
  EXPECT_EQ(problem(Heads(20, 0)), "0: words 1, 2, 3, 4, 5, 6, 7, 8, … have the head 0; expected one root");
}

/// Whether a word depends on another, directly or not.
bool depends(const Heads& heads, std::int32_t word, std::int32_t on) {
  for (std::size_t steps = 0; steps <= heads.size() && word != 0; ++steps) {
    if (word == on) return true;
    word = heads[static_cast<std::size_t>(word) - 1];
  }
  return on == 0 && word == 0;
}

/// By the definition: the head of an arc is above every word between its ends.
bool projective_by_definition(const Heads& heads) {
  for (std::int32_t word = 1; word <= std::ssize(heads); ++word) {
    const std::int32_t head = heads[static_cast<std::size_t>(word) - 1];
    for (std::int32_t between = std::min(word, head) + 1; between < std::max(word, head); ++between) {
      if (!depends(heads, between, head)) return false;
    }
  }
  return true;
}

/// All heads of n words: trees are told from non-trees, and projective trees from other trees.
TEST(DependencyTree, AllOfSmallSentences) {
  const std::size_t trees[] = {1, 2, 9, 64, 625};       // nⁿ⁻¹ with one root
  const std::size_t projective[] = {1, 2, 7, 30, 143};  // Yuret 1998, with one root
  for (std::int32_t n = 1; n <= 5; ++n) {
    std::size_t found = 0;
    std::size_t found_projective = 0;
    Heads heads(static_cast<std::size_t>(n), 0);
    for (bool more = true; more;) {
      const bool tree = std::ranges::count(heads, 0) == 1 && [&] {
        for (std::int32_t word = 1; word <= n; ++word) {
          if (!depends(heads, word, 0)) return false;
        }
        return true;
      }();
      ASSERT_EQ(!tree_fault(heads), tree);
      if (tree) {
        ++found;
        found_projective += is_projective(heads) ? 1 : 0;
        ASSERT_EQ(is_projective(heads), projective_by_definition(heads));
      }
      more = false;
      for (std::int32_t& head : heads) {
        if (++head <= n) {
          more = true;
          break;
        }
        head = 0;
      }
    }
    EXPECT_EQ(found, trees[n - 1]);
    EXPECT_EQ(found_projective, projective[n - 1]);
  }
}

TEST(DependencyTree, UnknownHeadsAreNotProjective) {
  EXPECT_FALSE(is_projective(Heads{-1, -1}));
  EXPECT_FALSE(is_projective(Heads{}));
}

TEST(DependencyTree, LongChains) {
  Heads chain(100000);
  std::iota(chain.begin(), chain.end(), 0);
  EXPECT_FALSE(tree_fault(chain));
  EXPECT_TRUE(is_projective(chain));
  std::iota(chain.begin(), chain.end(), 2);
  chain.back() = 0;
  EXPECT_FALSE(tree_fault(chain));
  EXPECT_TRUE(is_projective(chain));
  chain.back() = 1;
  EXPECT_TRUE(tree_fault(chain));
}

}  // namespace
}  // namespace fenchel::test
