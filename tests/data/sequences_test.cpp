// SPDX-License-Identifier: Apache-2.0
// Sentences (CoNLL), attributes (CRFsuite), images of words (OCR) and time series.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "data_dir.hpp"
#include "fenchel/data/attribute_corpus.hpp"
#include "fenchel/data/ocr.hpp"
#include "fenchel/data/time_series.hpp"
#include "fenchel/data/token_corpus.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;

TEST(Conll, SentencesAndColumns) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "\nHe PRP B-NP\r\n#  #\tB-VP\n \t \n\nHe VB O");
  const TokenCorpus corpus = read_conll(path);
  EXPECT_THAT(corpus.offsets, ElementsAre(0, 2, 3));
  ASSERT_EQ(corpus.columns.size(), 3U);
  EXPECT_THAT(corpus.columns[0].ids, ElementsAre(0, 1, 0));
  EXPECT_EQ(corpus.columns[0][1], "#");
  EXPECT_EQ(corpus.columns[2][1], "B-VP");
  EXPECT_EQ(read_conll({path, path}).sentences(), 4U);
  EXPECT_EQ(error_of(folder, [&] { read_conll(folder.write("b", "a b c\nd e\n")); }),
            "b:2:4: 2 columns; the tokens before have 3");
  EXPECT_EQ(error_of(folder, [&] { read_conll(folder.write("b", "a b\nd e f\n")); }),
            "b:2:5: 3 columns; the tokens before have 2");
  EXPECT_EQ(error_of(folder, [&] { read_conll(folder.write("b", "a\tb\n\tc\n")); }),
            "b:2:1: the column is empty");
  EXPECT_EQ(error_of(folder, [&] { read_conll(folder.write("b", "\n \n")); }), "b: there are no tokens");
}

TEST(Conll, HashtagsAndCommentsBeforeTheFirstToken) {
  const TemporaryFolder folder;
  const auto read = [&](const char* text) { return read_conll(folder.write("hashtags.txt", text)); };
  const TokenCorpus hashtags = read("#so O\n#what O\n\na O\n");
  EXPECT_EQ(hashtags.sentences(), 2U);
  EXPECT_EQ(hashtags.columns[0][1], "#what");
  EXPECT_EQ(read("#so O\n#what O\n").tokens(), 2U);
  EXPECT_EQ(read("# text\n\na O\n").tokens(), 1U);
  EXPECT_EQ(read("# so\n# it\tbegins\n-DOCSTART-\tX\na O\nb O\n").columns.size(),
            2U);  // their tabs say nothing
  EXPECT_EQ(read("#begin document (x); part 000\na DT O\n\n#end document\n").tokens(), 1U);
}

TEST(Conll, Universal) {
  const TemporaryFolder folder;
  const std::string text = "# sent_id = 1\n1-2\tau\n1\tà le\n2\tle\n2.1\tx\n\n";
  const TokenCorpus corpus = read_conll(folder.write("a.conllu", text));
  EXPECT_EQ(corpus.tokens(), 2U);
  EXPECT_EQ(corpus.columns[1][0], "à le");
}

TEST(Conll, RoundTripAndSelection) {
  const TemporaryFolder folder;
  const TokenCorpus corpus = read_conll(folder.write("a", "a x\nb y\n\nc z\n\nd x\n"));
  std::ostringstream out;
  write_conll(corpus, out, '\t');
  const TokenCorpus again = read_conll(folder.write("b", out.str()));
  EXPECT_EQ(again.offsets, corpus.offsets);
  EXPECT_EQ(again.columns[0].ids, corpus.columns[0].ids);
  EXPECT_EQ(again.columns[1].strings, corpus.columns[1].strings);
  const std::vector<std::size_t> chosen{2, 0};
  const TokenCorpus part = select_sentences(corpus, chosen);
  EXPECT_THAT(part.offsets, ElementsAre(0, 1, 3));
  EXPECT_EQ(part.columns[0][0], "d");
  EXPECT_EQ(part.columns[0][2], "b");
  TokenCorpus blank = corpus;
  blank.columns[0].ids[0] = blank.columns[0].strings.add("two words");
  EXPECT_THROW(write_conll(blank, out), std::invalid_argument);
}

// What a file may not begin with, lest it be taken for something else, comes back as it was.
TEST(Conll, FirstWordsThatLookLikeMarks) {
  const TemporaryFolder folder;
  for (const std::string word : {"\xEF\xBB\xBFN", "\x1F\x8Bx", "BZh91AY&SY", "BZhang"}) {
    const TokenCorpus corpus = read_conll(folder.write("a", "\n" + word + " x\n"));
    ASSERT_EQ(corpus.columns[0][0], word);
    std::ostringstream out;
    write_conll(corpus, out);
    EXPECT_EQ(read_conll(folder.write("b", out.str())).columns[0][0], word);
    EXPECT_EQ(out.str().starts_with("BZhang"), word == "BZhang");
  }
}

TEST(Crfsuite, AttributesValuesAndEscapes) {
  const TemporaryFolder folder;
  const AttributeCorpus corpus =
      read_crfsuite(folder.write("a", "B-NP\tw=He\tpos=PRP\nO\tw=\\:\tx\\\\y:0.5\t\n\nB-NP\tw=He\n"));
  EXPECT_THAT(corpus.offsets, ElementsAre(0, 2, 3));
  EXPECT_THAT(corpus.labels, ElementsAre(0, 1, 0));
  EXPECT_THAT(corpus.item_offsets, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(corpus.attributes, ElementsAre(0, 1, 2, 3, 0));
  EXPECT_THAT(corpus.values, ElementsAre(1, 1, 1, 0.5, 1));
  EXPECT_THAT(corpus.attribute_names.strings(), ElementsAre("w=He", "pos=PRP", "w=:", "x\\y"));
  const std::vector<std::size_t> chosen{1};
  const AttributeCorpus part = select_sequences(corpus, chosen);
  EXPECT_THAT(part.item_offsets, ElementsAre(0, 1));
  EXPECT_THAT(part.values, ElementsAre(1));
  EXPECT_TRUE(read_crfsuite(folder.write("b", "A\tx\ty\n")).values.empty());
  EXPECT_EQ(error_of(folder, [&] { read_crfsuite(folder.write("c", "A\tx\nA\ty:z\n")); }),
            "c:2:5: value 'z' is not a finite number");
  EXPECT_EQ(error_of(folder, [&] { read_crfsuite(folder.write("c", "A\tx:1e308\n")); }),
            "c:1:5: value '1e308' is too large for single precision, which values have here");
  EXPECT_EQ(error_of(folder, [&] { read_crfsuite(folder.write("c", "A\tx:1e999\n")); }),
            "c:1:5: value '1e999' is not a finite number");
  EXPECT_EQ(error_of(folder, [&] { read_crfsuite(folder.write("c", "A\tx\\y\n")); }),
            "c:1:4: a backslash must be followed by : or another backslash");
  EXPECT_EQ(error_of(folder, [&] { read_crfsuite(folder.write("c", "")); }), "c: there are no items");
}

TEST(Ocr, WordsAndPixels) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "7\t0\to\t0110\r\n7\t1\tm\t0000\n\n3\t0\to\t1001");
  const AttributeCorpus corpus = read_ocr(path);
  EXPECT_THAT(corpus.offsets, ElementsAre(0, 2, 3));
  EXPECT_THAT(corpus.labels, ElementsAre(0, 1, 0));
  EXPECT_THAT(corpus.label_names.strings(), ElementsAre("o", "m"));
  EXPECT_THAT(corpus.item_offsets, ElementsAre(0, 3, 4, 7));
  EXPECT_THAT(corpus.attributes, ElementsAre(0, 2, 3, 0, 0, 1, 4));
  EXPECT_TRUE(corpus.values.empty());
  EXPECT_THAT(corpus.attribute_names.strings(), ElementsAre("bias", "p0", "p1", "p2", "p3"));
  EXPECT_THAT(read_ocr({path, path}).offsets, ElementsAre(0, 2, 3, 5, 6));
}

TEST(Ocr, Malformed) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text) {
    return error_of(folder, [&] { read_ocr(folder.write("a", text)); });
  };
  EXPECT_EQ(error("0\t0\ta\t01\n0\t1\ta\n"),
            "a:2:1: 3 columns; expected word, position, letter and pixels, separated by tabs");
  EXPECT_EQ(error("0 0 a 01\n"),
            "a:1:1: 1 column; expected word, position, letter and pixels, separated by tabs");
  EXPECT_EQ(error("0\t0\t\t01\n"), "a:1:5: the letter is missing");
  EXPECT_EQ(error("0\t0\ta\t\n"), "a:1:7: the pixels are missing");
  EXPECT_EQ(error("0\t0\ta\t01\n0\t2\tb\t01\n"),
            "a:2:3: position '2'; expected 1, counting from 0 in each word");
  EXPECT_EQ(error("0\t0\ta\t01\n1\t1\tb\t01\n"),
            "a:2:3: position '1'; expected 0, counting from 0 in each word");
  EXPECT_EQ(error("0\tx\ta\t01\n"), "a:1:3: position 'x'; expected 0, counting from 0 in each word");
  EXPECT_EQ(error("0\t0\ta\t012\n"), "a:1:9: pixel '2'; expected 0 or 1");
  EXPECT_EQ(error("0\t0\ta\t01\n0\t1\ta\t011\n"), "a:2:9: 3 pixels; the letters before have 2");
  EXPECT_EQ(error("0\t0\ta\t01\n0\t1\ta\t0\n"), "a:2:8: 1 pixel; the letters before have 2");
  EXPECT_EQ(error(" \n"), "a: there are no letters");
  const std::string cut("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x33", 11);
  EXPECT_EQ(error(cut), "a: the gzip data end too early; the file is cut off");
}

TEST(TimeSeries, RowsOfBothKinds) {
  const TemporaryFolder folder;
  const TimeSeries rows = read_time_series(folder.write("a.tsv", "1\t0.5\t1.5\tNaN\n2\t3\t4\t5\n"));
  EXPECT_THAT(rows.offsets, ElementsAre(0, 2, 5));
  EXPECT_THAT(rows.series(1), ElementsAre(3, 4, 5));
  EXPECT_THAT(rows.labels.names, ElementsAre("1", "2"));
  EXPECT_THAT(rows.targets.entries(), ElementsAre(1, 2));
  EXPECT_THROW(to_dataset(rows), std::invalid_argument);
  const TimeSeries channels = read_time_series(
      folder.write("b.ts", "#c\n@problemName x\n@classLabel true a b\n@data\n1,2:3,4:a\n5,6:7,8:b\n"));
  EXPECT_EQ(channels.channels, 2U);
  EXPECT_THAT(channels.series(0), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(channels.labels.names, ElementsAre("a", "b"));
  EXPECT_EQ(to_dataset(channels).x.cols(), 4U);
  const TimeSeries unlabelled =
      read_time_series(folder.write("c.ts", "@classLabel false\n@data\n1,2\n3,4\n"));
  EXPECT_EQ(unlabelled.labels.rows(), 0U);
  EXPECT_EQ(unlabelled.size(), 2U);
  EXPECT_THAT(read_time_series(folder.write("d", "1 2 ? 4\n"), {.missing = Missing::impute}).series(0),
              ElementsAre(2, 3, 4));
}

TEST(TimeSeries, NothingBetweenSeparatorsIsMissing) {
  const TemporaryFolder folder;
  const auto first = [&](const std::string& text) {
    const TimeSeries read = read_time_series(folder.write("a", text), {.missing = Missing::impute});
    EXPECT_EQ(read.warnings.size(), 0U);
    return std::vector<double>(read.series(0).begin(), read.series(0).end());
  };
  EXPECT_THAT(first("@data\n1,,2,3:a\n"), ElementsAre(1, 2, 2, 3));
  EXPECT_THAT(first("@data\n,1,3,:a\n"), ElementsAre(2, 1, 3));  // one separator may end a line
  EXPECT_THAT(first("a,1,,3,\n"), ElementsAre(1, 2, 3));
  EXPECT_THAT(first("a\t1\t\t3\n"), ElementsAre(1, 2, 3));
  EXPECT_THAT(first("a   1  3 \n"), ElementsAre(1, 3));
  EXPECT_THAT(first("a,1,2,,,\n"), ElementsAre(1, 2));  // padded
}

TEST(TimeSeries, DifferencesFromTheHeaderAreTold) {
  const TemporaryFolder folder;
  const std::string header = "@seriesLength 2\n@classLabel true 1 b\n@data\n";
  EXPECT_THAT(read_time_series(folder.write("a", header + "1,2:1.0\n3,4:b\n5,6:?\n")).warnings,
              ElementsAre());
  EXPECT_THAT(read_time_series(folder.write("b", header + "1,2:c\n3,4,5:b\n")).warnings,
              ElementsAre("line 4: the label 'c' is not among those that @classLabel names: 1, b",
                          "line 5: the series has 3 values; @seriesLength is 2"));
}

TEST(TimeSeries, Malformed) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text) {
    return error_of(folder, [&] { read_time_series(folder.write("a", text)); });
  };
  EXPECT_EQ(error("1 2 x\n"), "a:1:5: 'x' is not a finite number");
  const std::string problem = "a value of the series is missing; missing=impute fills such cells in";
  EXPECT_EQ(error("1 2 ? 4\n"), "a:1:5: " + problem);
  EXPECT_EQ(error("1,2,,4\n"), "a:1:5: " + problem);
  EXPECT_EQ(error("@data\n1,2,3,4:1,,3, NaN:a\n"), "a:2:11: " + problem);
  EXPECT_EQ(error("1\n"), "a:1:1: the series has no values");
  EXPECT_EQ(error("@data\n1,2:3:a\n"), "a:2:5: the channels of a series differ in length");
  EXPECT_EQ(error("@data\n1,2:a\n1,2:3,4:a\n"), "a:3:1: 2 channels; the series before have 1");
  EXPECT_EQ(error("@timeStamps true\n"), "a:1:1: series with time stamps are not read; expected values only");
  EXPECT_EQ(error(""), "a: there are no series");
}

}  // namespace
}  // namespace fenchel::test
