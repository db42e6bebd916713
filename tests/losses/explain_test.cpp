// SPDX-License-Identifier: Apache-2.0
// The texts about regularizers: every Ω is in the table and has a readable page.
#include "fenchel/losses/explain.hpp"

#include <gtest/gtest.h>

#include "fenchel/polytopes/arborescence.hpp"
#include "fenchel/regularizers/combinators.hpp"
#include "fenchel/regularizers/sparsemap.hpp"
#include "fenchel/regularizers/tsallis.hpp"

namespace fenchel::test {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(ExplainRegularizer, EveryOneHasARowAndAPage) {
  const std::string table = table_of_regularizers();
  for (const RegularizerEntry& entry : regularizer_list()) {
    EXPECT_TRUE(contains(table, entry.name)) << entry.name;
    const std::string page = explain_regularizer(entry.name);
    EXPECT_TRUE(contains(page, "Omega")) << entry.name;
    for (const ParameterEntry& parameter : entry.parameters)
      EXPECT_TRUE(contains(page, parameter.meaning)) << entry.name;
  }
}

TEST(ExplainRegularizer, ShowsWhatIsParticular) {
  EXPECT_TRUE(contains(explain(Tsallis{.alpha = 1.2}), "\"alpha\":1.2"));
  EXPECT_TRUE(contains(explain(Tsallis{.alpha = 1.5}), "margin        2 (d=2) 2 (d=3) 2 (d=10)"));
  EXPECT_TRUE(contains(explain(SparseMap{Arborescence{3}}), "margin        1 (d=9)"));
  EXPECT_EQ(explain_regularizer("sparsemax"), explain(Tsallis{.alpha = 2}));
  EXPECT_THROW(explain_regularizer("sparsmax"), std::invalid_argument);
}

TEST(AnyRegularizer, KnowsItsPolytope) {
  const AnyRegularizer omega = SparseMap{Arborescence{3}};
  ASSERT_NE(omega.polytope(), nullptr);
  EXPECT_EQ(omega.polytope()->shape(), (std::vector<std::size_t>{3, 3}));
  const AnyRegularizer wrapped = Constant{Temperature{omega, 2}, 1};
  EXPECT_EQ(wrapped.polytope(), omega.polytope());
  EXPECT_EQ(AnyRegularizer(Tsallis{}).polytope(), nullptr);
}

}  // namespace
}  // namespace fenchel::test
