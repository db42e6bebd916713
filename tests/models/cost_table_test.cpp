// SPDX-License-Identifier: Apache-2.0
// Costs by the names of classes, from files and texts.
#include "fenchel/models/cost_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_dir.hpp"
#include "messages.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

CostTable read(const std::string& text) {
  const TemporaryFolder folder;
  return read_cost_table(folder.write("costs", text));
}

// c_y of a class.
Vector costs_of(const CostTable& table, const std::vector<std::string>& classes, std::size_t truth) {
  Vector y(classes.size()), cost(classes.size());
  y[truth] = 1;
  cost_of(table, classes).write(y, cost);
  return cost;
}

TEST(CostTable, EveryNotationOfOneTable) {
  const std::vector<std::string> classes{"a", "b", "c"};
  for (const char* text :
       {"0,1,4\n1,0,2\n5,2,0\n", "a,b,c\n0,1,4\n1,0,2\n5,2,0\n",
        "true\ta\tb\tc\na\t0\t1\t4\nb\t1\t0\t2\nc\t5\t2\t0\n", "c;b;a\n0;2;5\n2;0;1\n4;1;0\n",
        "a 0 1 4\nb 1 0 2\nc 5 2 0\n", "[[0, 1, 4], [1, 0, 2], [5, 2, 0]]",
        R"({"classes": ["c", "b", "a"], "costs": [[0, 2, 5], [2, 0, 1], [4, 1, 0]]})",
        "\n\"a\",\"b\",\"c\"\r\n0,1,4\r\n1,0,2\r\n5,2,0"}) {
    const CostTable table = read(text);
    EXPECT_EQ(costs_of(table, classes, 0), (Vector{0, 1, 4})) << text;
    EXPECT_EQ(costs_of(table, classes, 2), (Vector{5, 2, 0})) << text;
    EXPECT_EQ(costs_of(parse_cost_table(table.text()), classes, 2), (Vector{5, 2, 0})) << text;
  }
}

TEST(CostTable, NumbersAsClasses) {
  const std::vector<std::string> classes{"1", "2"};
  EXPECT_EQ(costs_of(read("true,2.0,1\n2,0,3\n1,7,0\n"), classes, 0), (Vector{0, 7}));
  EXPECT_EQ(costs_of(parse_cost_table(R"({"classes": [2, 1], "costs": [[0, 3], [7, 0]]})"), classes, 1),
            (Vector{3, 0}));
}

TEST(CostTable, Mistakes) {
  const std::vector<std::string> classes{"a", "b"};
  const auto message = [](const std::string& text) { return message_of([&] { read(text); }); };
  EXPECT_THAT(message(""), HasSubstr("is empty"));
  EXPECT_THAT(message("0,1\n1\n"), HasSubstr("row 2 has 1 numbers; expected 2"));
  EXPECT_THAT(message("a,b\n0,x\n1,0\n"), HasSubstr("row 1 has 'x'"));
  EXPECT_THAT(message("true,a,b\nb,0,1\na,1,0\n"), HasSubstr("another order"));
  EXPECT_THAT(message("a,b\n"), HasSubstr("no costs"));
  EXPECT_THAT(message("[[0, 1], 3]"), HasSubstr("row 2 is not a list"));
  EXPECT_THAT(message("{\"cost\": []}"), HasSubstr("unknown key 'cost'"));
  EXPECT_THAT(message("[[0, 1"), HasSubstr("not JSON"));
  EXPECT_THAT(message("0,nan\n1,0\n"), HasSubstr("names"));
  const auto refused = [&](const std::string& text) {
    return message_of([&] { cost_of(read(text), classes); });
  };
  EXPECT_THAT(refused("0,1,1\n1,0,1\n1,1,0\n"), HasSubstr("3 rows; expected 2, one for each class (a, b)"));
  EXPECT_THAT(refused("a,x\n0,1\n1,0\n"), HasSubstr("'x' is not one of the classes"));
  EXPECT_THAT(refused("a,a\n0,1\n1,0\n"), HasSubstr("twice"));
  EXPECT_THAT(refused("a\n0\n"), HasSubstr("'b' has no costs"));
}

}  // namespace
}  // namespace fenchel::test
