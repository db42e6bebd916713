// SPDX-License-Identifier: Apache-2.0
// The texts about sets of structures, and the shapes of their scores.
#include "fenchel/polytopes/explain.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "fenchel/polytopes/all.hpp"
#include "fenchel/polytopes/spec.hpp"

namespace fenchel::test {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(ExplainPolytope, EveryOneHasARowAndAPage) {
  const std::string table = table_of_polytopes();
  for (const PolytopeEntry& entry : polytope_list()) {
    EXPECT_TRUE(contains(table, entry.traits.name)) << entry.traits.name;
    EXPECT_TRUE(contains(explain_polytope(entry.traits.name), entry.traits.layout)) << entry.traits.name;
  }
  EXPECT_TRUE(contains(explain(Sequence{.n = 7, .m = 3}), "\"n\":7"));
  EXPECT_EQ(explain_polytope("sequence:n=7,m=3"), explain(Sequence{.n = 7, .m = 3}));
  EXPECT_TRUE(contains(explain(Birkhoff{.n = 2}), "none: log Z"));
  EXPECT_THROW(explain_polytope("sequense"), std::invalid_argument);
}

TEST(Polytopes, ShapesHaveAsManyEntriesAsDimensions) {
  for (const PolytopeEntry& entry : polytope_list()) {
    for (const AnyPolytope& set : entry.examples) {
      const auto shape = set.shape();
      EXPECT_EQ(std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>()),
                set.dimension())
          << to_json(set.spec());
    }
  }
  EXPECT_EQ(AnyPolytope(Sequence{.n = 4, .m = 3}).shape(), (std::vector<std::size_t>{4, 3, 3}));
  EXPECT_EQ(AnyPolytope(Alignment{.m = 2, .n = 5}).shape(), (std::vector<std::size_t>{2, 5}));
  EXPECT_EQ(AnyPolytope(Cube{.d = 4}).shape(), (std::vector<std::size_t>{4}));
}

}  // namespace
}  // namespace fenchel::test
