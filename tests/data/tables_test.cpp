// SPDX-License-Identifier: Apache-2.0
// ARFF and CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/row_of.hpp"
#include "data/text_source.hpp"
#include "data_dir.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/data/arff.hpp"
#include "fenchel/data/csv.hpp"
#include "fenchel/data/read.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string header =
    "% a comment\n@RELATION r\n@attribute 'first one' numeric\n@attribute colour {red, 'dark green', blue}\n"
    "@attribute on {0,1}\n@attribute 'it\\'s' {0,1}\n@attribute other {0,1}\n\n@data\n";
const std::string xml =
    "<?xml version=\"1.0\"?><labels xmlns=\"x\"><label name=\"other\"></label><label "
    "name=\"it's\"/></labels>";

TEST(Arff, LabelsAreMatchedByName) {
  const TemporaryFolder folder;
  folder.write("a.xml", xml);
  const std::string path =
      folder.write("a-train.arff", header + "1.5,red,0,1,0\n-2,'dark green',1,1,1\n% c\n3, blue ,1,0,0\n");
  const Dataset data = read_arff(path);
  EXPECT_THAT(data.feature_names,
              ElementsAre("first one", "colour=red", "colour=dark green", "colour=blue", "on"));
  EXPECT_THAT(entries_of(data), ElementsAre(1.5, 1, 0, 0, 0, -2, 0, 1, 0, 1, 3, 0, 0, 1, 1));
  EXPECT_THAT(data.labels.names, ElementsAre("it's", "other"));
  EXPECT_THAT(data.labels.offsets, ElementsAre(0, 1, 3, 3));
  EXPECT_THAT(data.labels.indices, ElementsAre(0, 0, 1));
  const Dataset ordinal = read_arff(path, {.nominal = Nominal::ordinal});
  EXPECT_THAT(entries_of(ordinal), ElementsAre(1.5, 0, 0, -2, 1, 1, 3, 2, 1));
  EXPECT_EQ(read_dataset(path).format, DataFormat::arff);
}

TEST(Arff, SparseRows) {
  const TemporaryFolder folder;
  folder.write("a.xml", xml);
  const std::string path =
      folder.write("a.arff", header + "{0 1.5, 3 1}\n{1 'dark green',2 1,3 1,4 1}\n{}\n");
  const Dataset data = read_arff(path);
  EXPECT_THAT(entries_of(data), ElementsAre(1.5, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0));
  EXPECT_THAT(data.labels.offsets, ElementsAre(0, 1, 3, 3));
  const Dataset dense = read_arff(path, {.storage = Storage::dense});
  EXPECT_FALSE(dense.x.sparse());
  EXPECT_EQ(entries_of(dense), entries_of(data));
  const Dataset sparse = read_arff(path, {.single = true, .storage = Storage::sparse});
  EXPECT_TRUE(sparse.x.sparse());
  EXPECT_EQ(entries_of(sparse), entries_of(data));
}

TEST(Arff, TargetsWithoutAnXmlFile) {
  const TemporaryFolder folder;
  const std::string text =
      "@relation r\n@attribute x real\n@attribute Class {no,yes}\n@attribute z "
      "integer\n@data\n1,yes,2\n3,no,4\n";
  const Dataset data = read_arff(folder.write("a.arff", text));
  EXPECT_THAT(data.feature_names, ElementsAre("x", "z"));
  EXPECT_THAT(data.labels.names, ElementsAre("no", "yes"));
  EXPECT_THAT(data.labels.indices, ElementsAre(1, 0));
  const Dataset regression = read_arff(folder / "a.arff", {.target = "z"});
  EXPECT_THAT(regression.values.entries(), ElementsAre(2, 4));
  EXPECT_EQ(read_arff(folder / "a.arff", {.target = "-"}).x.cols(), 3U);
  EXPECT_EQ(error_of(folder, [&] { read_arff(folder / "a.arff", {.target = "q"}); }),
            "a.arff: there is no column 'q'; expected 'x', 'Class' and 'z', or a number from 1 to 3");
  EXPECT_THAT(read_arff(folder / "a.arff", {.target = "3"}).values.entries(), ElementsAre(2, 4));
  EXPECT_THAT(read_arff(folder / "a.arff", {.ignore = {"z"}}).feature_names, ElementsAre("x"));
}

TEST(Arff, MissingValues) {
  const TemporaryFolder folder;
  const std::string text =
      "@relation r\n@attribute x real\n@attribute c {a,b,d}\n@attribute y "
      "{0,1}\n@data\n1,a,1\n?,b,0\n3,?,1\n5,b,0\n";
  const std::string path = folder.write("a.arff", text);
  EXPECT_EQ(error_of(folder, [&] { read_arff(path); }),
            "a.arff:7:1: the value of attribute 'x' is missing; missing=impute fills such cells in");
  const Dataset data = read_arff(path, {.nominal = Nominal::ordinal, .missing = Missing::impute});
  EXPECT_THAT(entries_of(data), ElementsAre(1, 0, 3, 1, 3, 1, 5, 1));
}

TEST(Arff, Malformed) {
  const TemporaryFolder folder;
  folder.write("a.xml", xml);
  const auto error = [&](const std::string& text) {
    return error_of(folder, [&] { read_arff(folder.write("a.arff", text)); });
  };
  EXPECT_EQ(error(header + "1,red,0,1\n"),
            "a.arff:10:9: the row ends after 4 values; there are 5 attributes");
  EXPECT_EQ(error(header + "1,red,0,1,0,9\n"), "a.arff:10:12: more values than the 5 attributes");
  EXPECT_EQ(error(header + "1,pink,0,1,0\n"), "a.arff:10:3: 'pink' is not a value of attribute 'colour'");
  EXPECT_EQ(error(header + "x,red,0,1,0\n"),
            "a.arff:10:1: 'x' is not a finite number (attribute 'first one')");
  EXPECT_EQ(error(header + "1,red,,1,0\n"), "a.arff:10:7: a value of attribute 'on' is missing");
  EXPECT_EQ(error(header + "1,'red,0,1,0\n"), "a.arff:10:3: the quote is not closed");
  EXPECT_EQ(error(header + "{2 1,1 red}\n"), "a.arff:10:6: index 1 after 2; indices must increase");
  EXPECT_EQ(error(header + "{5 1}\n"), "a.arff:10:2: index 5 is beyond the 5 attributes");
  EXPECT_EQ(error(header + "{0 1\n"), "a.arff:10:4: expected , or } after a value");
  EXPECT_EQ(error(header + "1,red,0,1,0\n{0 1}\n"), "a.arff:11:1: a sparse row among rows of the other kind");
  EXPECT_EQ(
      error_of(folder,
               [&] { read_arff(folder.write("c.arff", "@attribute x real\n@attribute y {}\n@data\n{}\n")); }),
      "c.arff:4:3: the row leaves out attribute 'y', which has no values to choose from");
  EXPECT_EQ(error(header), "a.arff: there are no rows");
  EXPECT_EQ(error("@relation r\n@attribute x relational\n@data\n"),
            "a.arff:2:14: attribute 'x' has type 'relational'; expected numeric, real, integer or values in "
            "braces");
  EXPECT_EQ(error("@relation r\n@attribute x real\n@attribute x real\n"), "a.arff:3:14: attribute 'x' twice");
  EXPECT_EQ(error("@relation r\n@attribute x real\n"), "a.arff: the header has no @data");
  EXPECT_EQ(error("1,2,3\n"), "a.arff:1:1: '1,2,3' in the header; expected @relation, @attribute or @data");
  folder.write("b.xml", "<labels><label name=\"nothing\"/></labels>");
  EXPECT_EQ(error_of(folder, [&] { read_arff(folder.write("b-test.arff", header + "1,red,0,1,0\n")); }),
            "b.xml: label 'nothing' is not an attribute of b-test.arff");
  EXPECT_THAT(
      error_of(
          folder,
          [&] { read_arff(folder / "b-test.arff", {.labels_file = folder.write("c.xml", "<labels>")}); }),
      HasSubstr("c.xml: not an XML file of labels"));
}

TEST(Csv, HeaderQuotesAndTarget) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv",
                                        "x,\"the, colour\",class\r\n1.5,\"a \"\"b\"\"\",yes\r\n\r\n2,c,no\n"
                                        "3,\"two\nlines\",yes\n");
  const Dataset data = read_csv(path);
  EXPECT_THAT(data.feature_names,
              ElementsAre("x", "the, colour=a \"b\"", "the, colour=c", "the, colour=two\nlines"));
  EXPECT_THAT(entries_of(data), ElementsAre(1.5, 1, 0, 0, 2, 0, 1, 0, 3, 0, 0, 1));
  EXPECT_THAT(data.labels.names, ElementsAre("no", "yes"));
  EXPECT_THAT(data.labels.indices, ElementsAre(1, 0, 1));
  const Dataset other = read_csv(path, {.target = "x", .nominal = Nominal::ordinal});
  EXPECT_THAT(other.values.entries(), ElementsAre(1.5, 2, 3));
  EXPECT_EQ(other.x.cols(), 2U);
  EXPECT_EQ(read_csv(path, {.target = "-"}).labels.rows(), 0U);
}

TEST(Csv, QuotedFieldsKeepTheirBytes) {
  const TemporaryFolder folder;
  std::string text = "x,word,class\r\n1,\"two\r\nlines\r\",yes\r\n2,\"two\nlines\",no\r\n";
  for (int i = 0; i < 200; ++i) text += "3,c,no\r\n";  // behind the lines by which the separator is judged
  text += "4,\"\r\n\r\n\",yes\r\n5,\"d\"\r\n\r\n";
  text.insert(text.rfind("\r\n\r\n"), ",no");
  const Dataset data = read_csv(folder.write("a.csv", text));
  EXPECT_EQ(data.rows(), 204U);
  EXPECT_THAT(data.labels.names, ElementsAre("no", "yes"));
  EXPECT_THAT(data.feature_names, ElementsAre("x", "word=\r\n\r\n", "word=c", "word=d", "word=two\nlines",
                                              "word=two\r\nlines\r"));
}

TEST(Csv, SeparatorsAndNoHeader) {
  const TemporaryFolder folder;
  EXPECT_THAT(entries_of(read_csv(folder.write("a", "a;b;c\n1;2;x\n"))), ElementsAre(1, 2));
  EXPECT_THAT(entries_of(read_csv(folder.write("b", "a\tb\tc\n1\t2\tx\n"))), ElementsAre(1, 2));
  const Dataset plain = read_csv(folder.write("c", "1,2,3\n4,5,6\n"));
  EXPECT_THAT(entries_of(plain), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(plain.values.entries(), ElementsAre(3, 6));
  const Dataset joined = read_csv({folder / "c", folder.write("d", "7,8,9\n")});
  EXPECT_EQ(joined.rows(), 3U);
}

TEST(Csv, Rankings) {
  const TemporaryFolder folder;
  const Dataset data = read_csv(folder.write("a.csv", "x,ranking\n1,b>a>c\n2, c > b \n"));
  EXPECT_THAT(data.labels.names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(data.labels.indices, ElementsAre(1, 0, 2, 2, 1));
  EXPECT_THAT(data.labels.offsets, ElementsAre(0, 3, 5));
  EXPECT_EQ(error_of(folder, [&] { read_csv(folder.write("b.csv", "x,r\n1,b>a>b\n")); }),
            "b.csv:2:3: item 'b' appears twice in the ranking");
  EXPECT_EQ(error_of(folder, [&] { read_csv(folder.write("b.csv", "x,r\n1,b>\n")); }),
            "b.csv:2:3: an item of the ranking is missing; expected an order such as a>b=c");
}

std::string words_text(std::size_t words) {
  std::string text = "name,x,y\n";
  for (std::size_t i = 0; i < words; ++i) {
    text += "w" + std::to_string(i) + "," + std::to_string(i % 5) + "," + std::to_string(i % 2) + "\n";
  }
  return text;
}

// Rows of thousands of columns with one 1 each are sparse: dense they would take gigabytes.
TEST(Csv, ManyWordsMakeSparseRows) {
  const TemporaryFolder folder;
  const Dataset few = read_csv(folder.write("few.csv", "c,x,z,y\nr,1,2,a\ng,3,4,b\nb,5,6,a\n"));
  EXPECT_FALSE(few.x.sparse());
  const Dataset many = read_csv(folder.write("many.csv", words_text(20'000)));
  EXPECT_EQ(many.x.cols(), 20'001U);
  ASSERT_TRUE(many.x.sparse());
  many.x.visit([](const auto& x) { EXPECT_LE(x.size(), 40'000U); });
  const Dataset some = read_csv(folder.write("some.csv", words_text(70)));
  EXPECT_TRUE(some.x.sparse());
  EXPECT_EQ(entries_of(some), entries_of(read_csv(folder / "some.csv", {.storage = Storage::dense})));
}

TEST(Csv, WordsThatNameRowsAreRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(
      error_of(folder, [&] { read_csv(folder.write("a.csv", words_text(100'001))); }),
      "a.csv:100002:1: column 'name' has more than 100000 different words, each of which would be a feature; "
      "leave it out if it names the rows, or put numbers in their place");
}

TEST(Csv, Malformed) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text, const ReadOptions& options = {}) {
    return error_of(folder, [&] { read_csv(folder.write("a.csv", text), options); });
  };
  EXPECT_EQ(error("x,y\n1,2,3\n"), "a.csv:2:5: 3 fields; the header has 2");
  EXPECT_EQ(error("x,y\n1,a\nb,a\n"),
            "a.csv:3:1: 'b' is not a finite number; column 'x' has held numbers so far; a missing value is "
            "an empty cell, NA or nan, and ignore=x leaves the column out");
  EXPECT_EQ(error("x,z,y\n1,2,a\n2,,a\n"),
            "a.csv:3:3: a value of column 'z' is missing; missing=impute fills such cells in");
  EXPECT_EQ(error("x,y\n1,\n"),
            "a.csv:2:3: the target is missing (column 'y'); give target if another column is meant, or leave "
            "such rows out (`fenchel convert --labelled`)");
  EXPECT_EQ(error("x,y\n1,\"a\n2,b\n"), "a.csv:2:3: the quote is not closed");
  EXPECT_EQ(error("x,y\n\"1\"2,b\n"), "a.csv:2:1: text after the closing quote");
  EXPECT_EQ(error("x,y\n1,2\n", {.target = "q"}),
            "a.csv: there is no column 'q'; expected 'x' and 'y', or a number from 1 to 2");
  EXPECT_EQ(error("x,y\n"), "a.csv: there are no rows");
  EXPECT_EQ(error(""), "a.csv: there are no rows");
  EXPECT_EQ(error("x,y\n1e400,2\n"),
            "a.csv:2:1: '1e400' is not a finite number; column 'x' has held numbers so far");
  EXPECT_THAT(
      entries_of(read_csv(folder.write("b.csv", "x,y\n1,a\nNA,a\n3,b\n"), {.missing = Missing::impute})),
      ElementsAre(1, 2, 3));
  EXPECT_EQ(
      error_of(
          folder,
          [&] {
            read_csv({folder / "b.csv", folder.write("c.csv", "x,z\n1,a\n")}, {.missing = Missing::impute});
          }),
      "c.csv:1:1: the header differs from the first file's: 'y' is missing, 'z' is not in it");
}

TEST(Csv, NanIsMissingWhereNumbersAre) {
  const TemporaryFolder folder;
  const std::string first = folder.write("a.csv", "x,y\nnan,a\nNaN,a\n1,b\n3,b\n");
  const std::string later = folder.write("b.csv", "x,y\n1,a\n-nan,a\n3,b\n");
  const std::string alone = folder.write("c.csv", "w,x,y\n1,nan,a\n2,nan,a\n");
  const std::string target = folder.write("d.csv", "x,y\n1,2.5\n2,nan\n");
  const std::string missing = "a value of column 'x' is missing; missing=impute fills such cells in";
  EXPECT_EQ(error_of(folder, [&] { read_csv(first); }), "a.csv:2:1: " + missing);
  EXPECT_EQ(error_of(folder, [&] { read_csv(later); }), "b.csv:3:1: " + missing);
  EXPECT_EQ(error_of(folder, [&] { read_csv(alone); }), "c.csv:2:3: " + missing);
  EXPECT_EQ(error_of(folder, [&] { read_csv(target); }),
            "d.csv:3:3: the target is missing ('nan'), and no other target is a word");
  const ReadOptions impute{.missing = Missing::impute};
  EXPECT_THAT(entries_of(read_csv(first, impute)), ElementsAre(2, 2, 1, 3));
  EXPECT_THAT(entries_of(read_csv(later, impute)), ElementsAre(1, 2, 3));
  EXPECT_THAT(entries_of(read_csv(alone, impute)), ElementsAre(1, 0, 2, 0));
}

TEST(Csv, InfIsAnErrorWhereNumbersAre) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) { return read_csv(folder.write("a.csv", text)); };
  const auto error = [&](const std::string& text) { return error_of(folder, [&] { read(text); }); };
  const std::string end = "' is not a finite number, and no other value of column 'x' is a word";
  for (const std::string word : {"inf", "-Infinity", "+INF"}) {
    EXPECT_EQ(error("x,y\n" + word + ",a\n2,b\n"), "a.csv:2:1: '" + word + end);
    EXPECT_EQ(error("w,x,y\n1," + word + ",a\n1,inf,a\n"), "a.csv:2:3: '" + word + end);  // and nothing else
    EXPECT_EQ(error("x,y\n2,b\n" + word + ",a\n"),
              "a.csv:3:1: '" + word + "' is not a finite number; column 'x' has held numbers so far");
    // A row of a file without a header.
    EXPECT_EQ(error("1," + word + ",3\n"), "a.csv:1:3: '" + word + "' is not a finite number");
    EXPECT_EQ(error("x,y\n1,2.5\n2," + word + "\n"),
              "a.csv:3:3: target '" + word + "' is not a finite number, and no other target is a word");
  }
}

TEST(Tables, NumbersTooLargeForSinglePrecision) {
  const TemporaryFolder folder;
  const ReadOptions single{.single = true};
  const std::string csv = folder.write("a.csv", "x,y\n1e39,a\n");
  const std::string arff =
      folder.write("a.arff", "@relation r\n@attribute x real\n@attribute y {a,b}\n@data\n1e39,a\n");
  EXPECT_EQ(error_of(folder, [&] { read_csv(csv, single); }),
            "a.csv:2:1: '1e39' is too large for single precision (column 'x')");
  EXPECT_EQ(error_of(folder, [&] { read_arff(arff, single); }),
            "a.arff:5:1: '1e39' is too large for single precision (attribute 'x')");
  EXPECT_THAT(entries_of(read_csv(csv)), ElementsAre(1e39));
  EXPECT_THAT(entries_of(read_arff(arff)), ElementsAre(1e39));
}

TEST(Csv, NanAndInfAmongWordsAreWords) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv", "grandmother,y\nnan,inf\ninf,inf\nfoo,a\nnan,3\n");
  const Dataset data = read_csv(path, {.nominal = Nominal::ordinal});
  EXPECT_THAT(entries_of(data), ElementsAre(2, 1, 0, 2));
  EXPECT_THAT(data.labels.names, ElementsAre("3", "a", "inf"));
  // A missing value is neither.
  const std::string gaps = folder.write("b.csv", "x,y\nnan,a\n?,a\nbar,b\n");
  EXPECT_THAT(read_csv(gaps, {.missing = Missing::impute}).nominal[0].values, ElementsAre("bar", "nan"));
  EXPECT_EQ(read_csv(folder.write("c.csv", "nan,inf\n1,a\n")).feature_names[0], "nan");
}

TEST(Arff, NanAndInfAreErrorsUnlessTheHeaderDeclaresThem) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& type) {
    const std::string text = "@relation r\n@attribute x " + type + "\n@attribute y {a,b}\n@data\nnan,a\n";
    return read_arff(folder.write("a.arff", text));
  };
  EXPECT_EQ(error_of(folder, [&] { read("numeric"); }),
            "a.arff:5:1: 'nan' is not a finite number (attribute 'x')");
  EXPECT_THAT(entries_of(read("{inf,nan}")), ElementsAre(1));
}

TEST(Tables, RandomDamageIsReportedNotSuffered) {
  const TemporaryFolder folder;
  folder.write("x.xml", xml);
  const std::string arff = header + "1.5,red,0,1,0\n-2,'dark green',1,1,1\n3, blue ,1,0,0\n";
  const std::string csv = "x,\"y\",class\n1,\"a\",b\n2,c,d\n3,e,f>g\n";
  Random random(2);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bad = i % 2 == 0 ? arff : csv;
    for (std::uint64_t k = 1 + random.below(4); k > 0; --k) {
      bad[random.below(bad.size())] = static_cast<char>(random.below(256));
    }
    if (random.below(4) == 0) bad.resize(random.below(bad.size()));
    const std::string path = folder.write(i % 2 == 0 ? "x.arff" : "x.csv", bad);
    try {
      const Dataset data = read_dataset(path, {.missing = Missing::impute}).data;
      EXPECT_LE(data.rows(), 20U);
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace fenchel::test
