// SPDX-License-Identifier: Apache-2.0
// How separated values are understood: separators, headers, decimal commas, columns by name and number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/csv_header.hpp"
#include "data/csv_records.hpp"
#include "data/row_of.hpp"
#include "data_dir.hpp"
#include "fenchel/data/csv.hpp"
#include "fenchel/data/read.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Lines = std::vector<std::string>;

TEST(CsvSeparator, CutsAllLinesAlike) {
  EXPECT_EQ(separator_of({"a,b,c", "1,2,3"}), ',');
  EXPECT_EQ(separator_of({"a;b;c", "1;2;3"}), ';');
  EXPECT_EQ(separator_of({"a\tb", "1\t"}), '\t') << "an empty field at the end";
  EXPECT_EQ(separator_of({"a|b", "x y|2"}), '|');
  EXPECT_EQ(separator_of({"a  b c", " 1 2   3 "}), ' ');
  EXPECT_EQ(separator_of({"1,5;2,5", "3,5;4,5"}), ';') << "decimal commas";
  EXPECT_EQ(separator_of({"1,5 2,5 a", "3,5 4,5 b"}), ' ') << "between blanks";
  EXPECT_EQ(separator_of({"1,5 2,5", "3,5 4,5"}, Decimal::point), ',');
  EXPECT_EQ(separator_of({"1,2,3 4", "5,6,7 8"}), ',') << "two in a word";
  EXPECT_EQ(separator_of({"x, one;two", "y, three;four"}), ',') << "commas that are not between digits";
  EXPECT_EQ(separator_of({"\"a,b\",c", "1,2"}), ',') << "quotes hide separators";
  EXPECT_EQ(separator_of({"\"a", "b;c\",2", "1,2"}), ',') << "over several lines";
  EXPECT_EQ(separator_of({"word", "other"}), '\0');
}

HeaderChoice header_of(const Lines& lines, const Lines& known) {
  std::deque<CsvRecord> records;
  for (const std::string& line : lines) {
    records.push_back({});
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find(',', begin), line.size());
      records.back().fields.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return choose_header(records, {}, known);
}

bool has_header(const Lines& lines, const Lines& known = {}) { return header_of(lines, known).header; }
bool is_uncertain(const Lines& lines) { return header_of(lines, {}).uncertain; }

TEST(CsvHeader, IsJudgedByTheLinesBelow) {
  EXPECT_TRUE(has_header({"x,y", "1,a", "2,b"}));
  EXPECT_FALSE(has_header({"1.5,a", "2.5,b"})) << "a label that is a word";
  EXPECT_FALSE(has_header({"1,2", "3,4"}));
  EXPECT_FALSE(has_header({"red,yes", "blue,no", "red,no"})) << "words that occur again";
  EXPECT_TRUE(has_header({"colour,answer", "blue,no", "red,no"}));
  EXPECT_TRUE(has_header({",x,y", "0,1,a", "1,2,b"})) << "a column without a name";
  EXPECT_TRUE(has_header({"x,y"}));
  EXPECT_TRUE(has_header({"red,blue", "red,green"}, {"red"})) << "names of training";
  EXPECT_FALSE(has_header({"1,a", "?,b"}));
  EXPECT_TRUE(has_header({"1990,1995,2000", "1.5,2,3", "2.5,1,0"})) << "even steps above decimals";
  EXPECT_TRUE(has_header({"1,2,3,y", "5,1,3,a", "4,1,2,a"}));
  EXPECT_FALSE(has_header({"1,2,3", "5,1,3", "4,1,2"}));
  EXPECT_FALSE(has_header({"1,2.5,3,a", "5,1,3,a", "4,1,2,b"}));
  EXPECT_TRUE(has_header({"u,w", "1,a", "u,w", "2,b"})) << "again in the middle";
  EXPECT_FALSE(has_header({"nan,1.5,u", "1,2.5,v", "3,3.5,u"})) << "a missing value is no name";
  EXPECT_TRUE(has_header({"10,12,17,class", "1,2,3,a", "2,1,1,b", "3,1,2,a"})) << "the name of a target";
  EXPECT_TRUE(has_header({"year,2001,2002", "a,1.5,2", "b,2.5,1"})) << "years";
  EXPECT_TRUE(is_uncertain({"1,2,3", "1.5,2,4", "2.5,1,7", "3,2,9"})) << "even steps by chance";
  EXPECT_TRUE(is_uncertain({"zz,5,u", "1,2,v", "3,3,u"})) << "a word above numbers, others as below";
  EXPECT_TRUE(is_uncertain({"-,w", "1,a", "2,b"})) << "a sign for a missing value";
}

class CsvDialect : public ::testing::Test {
 protected:
  Reading read(const std::string& text, const ReadOptions& options = {}, const std::string& name = "a.csv") {
    return read_dataset(folder_.write(name, text), options);
  }
  std::string error(const std::string& text, const ReadOptions& options = {},
                    const std::string& name = "a.csv") {
    return error_of(folder_, [&] { read(text, options, name); });
  }

  TemporaryFolder folder_;
};

TEST_F(CsvDialect, DecimalCommas) {
  const Reading reading = read("x;z;y\n1,5;2;0,25\n-2,5e1;3;7\n");
  EXPECT_THAT(entries_of(reading.data), ElementsAre(1.5, 2, -25, 3));
  EXPECT_THAT(reading.data.values.entries(), ElementsAre(0.25, 7));
  EXPECT_THAT(reading.remarks, testing::Contains("with decimal commas"));
  EXPECT_THAT(error("x;z;y\n1,5;2.5;a\n"),
              HasSubstr("'1,5' has a decimal comma and '2.5' a decimal point; give decimal"));
  EXPECT_THAT(error("x,y\n\"1,5\",a\n"), HasSubstr("may be a decimal one"));
  EXPECT_THAT(entries_of(read("x,y\n\"1,5\",a\n2,b\n", {.decimal = Decimal::comma}).data),
              ElementsAre(1.5, 2));
  EXPECT_EQ(read("x;y\n1,5;a\n2,5;b\n", {.decimal = Decimal::point}).data.nominal.size(), 1U);
}

TEST_F(CsvDialect, WithoutAHeader) {
  const Reading reading = read("1.5,2,a\n2.5,3,b\n");
  EXPECT_EQ(reading.data.rows(), 2U);
  EXPECT_EQ(reading.target, "3");
  EXPECT_THAT(reading.data.feature_names, ElementsAre("1", "2"));
  EXPECT_THAT(reading.remarks[1], HasSubstr("without a header"));
  EXPECT_EQ(read("x,y\n1,2\n", {.header = Header::yes}).data.rows(), 1U);
  EXPECT_EQ(read("x,z,y\na,1,2\nb,1,3\n", {.header = Header::no}).data.rows(), 3U);
  // Those of a model that had none either: by place, with or without the target, wherever it was.
  const Reading first = read("a,1.5,2\nb,2.5,3\n", {.target = "1"});
  ReadOptions later;
  later.feature_names = first.data.feature_names;
  later.features = 2;
  later.nominal_columns.emplace();
  EXPECT_THAT(entries_of(read("a,7,8\n", later).data), ElementsAre(7, 8));
  EXPECT_THAT(entries_of(read("7,8\n", later).data), ElementsAre(7, 8));
  EXPECT_EQ(read("7,8\n", later).target, "");
}

TEST_F(CsvDialect, ColumnsByNameAndNumber) {
  const std::string text = "id,x,y,z\n7,1,a,2\n8,3,b,4\n";
  const Reading reading = read(text, {.target = "3", .ignore = {"id"}, .keep = {"id", "4"}});
  EXPECT_EQ(reading.target, "y");
  EXPECT_THAT(reading.data.feature_names, ElementsAre("x", "z"));
  ASSERT_EQ(reading.kept.size(), 2U);
  EXPECT_THAT(reading.kept[0].cells, ElementsAre("7", "8"));
  EXPECT_EQ(reading.kept[1].name, "z");
  EXPECT_THAT(error(text, {.target = "5"}),
              HasSubstr("there is no column '5'; expected 'id', 'x', 'y' and 'z'"));
  ReadOptions later;
  later.feature_names = {"x", "z"};
  later.known_target = "y";
  EXPECT_EQ(read(text, later).target, "y") << "not the last, and not the only one that is no feature";
  EXPECT_EQ(read("id,x,z\n7,1,2\n", later).target, "");
}

TEST_F(CsvDialect, NoFeatures) {
  EXPECT_THAT(error("name\nanna\nbert\n"), HasSubstr("there are no features"));
  EXPECT_THAT(error("1 2 3\n4 5 6\n", {}, "a.tsv"), HasSubstr("there are no features"));
}

TEST_F(CsvDialect, ErrorsBehindTheFirstLinesComeInOrder) {
  EXPECT_THAT(error("x,y\nu,1\n2\n\"open,3\n"), HasSubstr("a.csv:3: 1 field; the header has 2"));
}

TEST_F(CsvDialect, Orders) {
  const Reading reading = read("x,y\n1,b>a=c\n2,a>b~c\n");
  EXPECT_THAT(reading.data.labels.names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(reading.data.labels.indices, ElementsAre(1, 0, 2, 0, 1, 2));
  EXPECT_THAT(reading.data.labels.places, ElementsAre(0, 1, 1, 0, 1, 1));
  const Labels groups = read("x,y\n1,c>ab\n2,ab>c\n3,b>ac\n").data.labels;
  EXPECT_THAT(groups.names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(groups.places, ElementsAre(0, 1, 1, 0, 0, 1, 0, 1, 1));
  EXPECT_THAT(read("x,y\n1,c>ab\n2,ab>c\n3,b>cb\n").data.labels.names, ElementsAre("ab", "b", "c", "cb"))
      << "a letter twice: not groups";
}

TEST_F(CsvDialect, OrdersInOtherNotations) {
  for (const char* text : {"x,y\n1,\"b>{a,c}\"\n2,a=b=c\n3,a>b\n", "x,y\n1,b>>a~c\n2,a=b=c\n3,a > b\n",
                           "x,y\n1,b≻a∼c\n2,a~b~c\n3,a≻b\n"}) {
    const Labels labels = read(text).data.labels;
    EXPECT_EQ(labels.row(0).size(), 3U) << text;
    EXPECT_EQ(labels.row(2).size(), 2U) << text;
  }
  EXPECT_THAT(read("x,y\n1,>50K\n2,<=50K\n3,<b>\n4,a->b\n").data.labels.names,
              ElementsAre("<=50K", "<b>", ">50K", "a->b"));
}

TEST_F(CsvDialect, ThousandsAndTheirDoubts) {
  EXPECT_EQ(read("x;y\n1.234,5;a\n-2.000.000;b\n").data.x.visit([](const auto& x) { return x.cols(); }), 1U);
  EXPECT_THAT(error("x;y\n1.234,5;a\n1.5;b\n"), HasSubstr("give decimal, comma or point"));
  EXPECT_EQ(read("x,y\n\"1,234.5\",a\n\"12,000\",b\n", {.decimal = Decimal::point}).data.nominal.size(), 0U);
  EXPECT_EQ(read("x,y\n\"12,00\",b\n", {.decimal = Decimal::point}).data.nominal.size(), 1U)
      << "no thousands";
  EXPECT_EQ(read("x;y\n1.234;a\n", {.decimal = Decimal::comma}).data.nominal.size(), 0U);
  EXPECT_EQ(read("x;y\n192.168.1.1;a\n").data.nominal.size(), 1U);
}

TEST_F(CsvDialect, WhatStandsBeforeTheRows) {
  for (const char* text :
       {"sep=;\nu;w;y\n1;2;a\n", "# made by hand\n\nu,w,y\n1,2,a\n",
        "# made, as it were, by hand\nu,w,y\n1,2,a\n", "# u,w,y\n1,2,a\n3,4,b\n", "u,w,y,\n1,2,a,\n3,4,b,\n",
        "u,w,y\n1,2,a,\n3,4,b,\n", ",u,w,y\n0,1,2,a\n1,3,4,b\n", "u w y\nr1 1 2 a\nr2 3 4 b\n",
        "u,w,y\r1,2,a\r3,4,b"}) {
    const Reading reading = read(text);
    EXPECT_THAT(reading.data.feature_names, ElementsAre("u", "w")) << text;
    EXPECT_EQ(reading.target, "y") << text;
  }
  EXPECT_EQ(read("#a,1\n#b,2\n#a,3\n").data.rows(), 3U) << "no comments";
  EXPECT_THAT(read("#a,1\n#b,2\nc,3\n").data.nominal[0].values, ElementsAre("#a", "#b", "c"));
  EXPECT_THAT(error("Sales,2020\nu,w,y\nr,1,a\ns,2,b\n"), HasSubstr("3 fields; the header has 2"));
  EXPECT_THAT(error("1,2,3,a\n5,1,3,b\n4,1,2,c\n"), HasSubstr("it is not certain whether this line names"));
}

TEST_F(CsvDialect, Doubts) {
  const auto warnings = [&](const std::string& text) {
    const Reading reading = read(text);
    return reading.warnings.empty() ? std::string() : reading.warnings.front();
  };
  EXPECT_THAT(warnings("x,z,y\n$1.50,1,a\n$2,2,b\n"), HasSubstr("such as '$1.50'; if they are numbers"));
  EXPECT_THAT(warnings("x,z,y\n12 %,1,a\n7%,2,b\n"), HasSubstr("such as '12 %'"));
  EXPECT_THAT(warnings("x,y\n1,\"a,b\"\n2,b\n3,\"a,c\"\n"), HasSubstr("the label 'a,b'"));
  EXPECT_THAT(warnings("x,y\n1,a\n2,a\n"), HasSubstr("there is nothing to learn"));
  EXPECT_EQ(warnings("x,z,y\nred,1,a\nblue,2,b\n"), "");
  const Reading known = read("x,y\n$1,a\n", {.feature_names = {"x"}});
  EXPECT_TRUE(known.warnings.empty()) << "as in training";
}

TEST_F(CsvDialect, TargetsThatAreMissing) {
  EXPECT_THAT(error("x,y\n1,2\n2,NA\n"), HasSubstr("a.csv:3:3: the target is missing"));
  const Dataset data = read("x,y\n1,2\n2,NA\n3,\n", {.unlabelled = true}).data;
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_TRUE(data.labels.row(1).empty());
}

TEST_F(CsvDialect, SideFiles) {
  folder_.write("a.svm.query", "2\n1\n");
  folder_.write("a.svm.weight", "1\n0.5\n2\n");
  const Dataset data = read("1 1:1\n0 1:2\n1 1:3\n", {}, "a.svm").data;
  EXPECT_THAT(data.queries, ElementsAre(0, 2, 3));
  EXPECT_THAT(data.weights, ElementsAre(1, 0.5, 2));
  EXPECT_THAT(error("1 1:1\n0 1:2\n", {}, "a.svm"), HasSubstr("a.svm.query:2:1: a query of 1 rows"));
  folder_.write("a.svm.query", "2\n");
  EXPECT_THAT(error("1 1:1\n0 1:2\n1 1:3\n", {}, "a.svm"), HasSubstr("the queries have 2 rows"));
}

}  // namespace
}  // namespace fenchel::test
