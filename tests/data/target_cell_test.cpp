// SPDX-License-Identifier: Apache-2.0
#include "data/target_cell.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

namespace fenchel {
namespace {

std::string spelled(std::string_view cell) {
  std::string text;
  for (const auto& [name, place] : labels_of_order(cell)) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", name, place);
  }
  return text;
}

TEST(TargetCell, OrdersInAllNotations) {
  EXPECT_EQ(spelled("b>a=c"), "b:0 a:1 c:1");
  for (const char* cell : {"b > {a, c}", "b>>(a c)", "b≻a∼c", "b>[a;c]", "{b}>a~c", "[b>a≈c]", "b>{a=c}"}) {
    EXPECT_EQ(spelled(cell), "b:0 a:1 c:1") << cell;
  }
  EXPECT_EQ(spelled("{a,b,c}"), "a:0 b:0 c:0");
  EXPECT_EQ(spelled("a∼b=c"), "a:0 b:0 c:0");
}

TEST(TargetCell, BracketsInsideANameStay) {
  EXPECT_EQ(spelled("tuna (sea water)>eel"), "tuna (sea water):0 eel:1");
  EXPECT_EQ(spelled("eel>{tuna (raw),sea bass}"), "eel:0 tuna (raw):1 sea bass:1");
  EXPECT_EQ(spelled("(raw) tuna>eel"), "(raw) tuna:0 eel:1");
  EXPECT_EQ(spelled("{a>b"), "{a:0 b:1");
}

TEST(TargetCell, ItemsThatAreMissingAreEmpty) {
  EXPECT_EQ(spelled("a>>>b"), "a:0 :1 b:2");
  EXPECT_EQ(spelled("{}>a"), ":0 a:1");
  EXPECT_EQ(spelled(">a"), ":0 a:1");
  EXPECT_EQ(spelled("a>"), "a:0 :1");
}

TEST(TargetCell, CellsEndBehindTheirBrackets) {
  EXPECT_EQ(end_of_cell("{a,b}>c,1", ','), 7U);
  EXPECT_EQ(end_of_cell("a>{b,c},1", ','), 7U);
  EXPECT_EQ(end_of_cell("[0,5),[5,10]", ','), 2U);  // intervals are no groups
  EXPECT_EQ(end_of_cell("f(a,b),1", ','), 3U);
  EXPECT_EQ(end_of_cell("{a,b", ','), 2U);
  EXPECT_EQ(end_of_cell("a;b", ','), 3U);
  EXPECT_TRUE(has_half_a_bracket("{a"));
  EXPECT_FALSE(has_half_a_bracket("{a}>c"));
}

TEST(TargetCell, TheTextMayBeALabelOrAnOrder) {
  const auto names = [](const char* cell, TargetText text) {
    LabelRows labels;
    EXPECT_EQ(push_target(cell, labels, text), "");
    Dataset data;
    labels.finish(data);
    return data.labels;
  };
  EXPECT_EQ(names("A>G", TargetText::label).names, std::vector<std::string>{"A>G"});
  EXPECT_TRUE(names("A>G", TargetText::label).places.empty());
  EXPECT_EQ(names("a=b", TargetText::order).names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names("a=b", TargetText::automatic).names, std::vector<std::string>{"a=b"});
  LabelRows labels;
  EXPECT_EQ(push_target("a>b>a", labels), "item 'a' appears twice in the ranking");
  EXPECT_EQ(push_target("a>", labels), "an item of the ranking is missing; expected an order such as a>b=c");
}

}  // namespace
}  // namespace fenchel
