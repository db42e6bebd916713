// SPDX-License-Identifier: Apache-2.0
// Every real data set is read and has the sizes that its description states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "data/text_source.hpp"
#include "data_dir.hpp"
#include "fenchel/data/dependency_tree.hpp"
#include "fenchel/data/ocr.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/data/time_series.hpp"
#include "fenchel/data/token_corpus.hpp"
#include "fenchel/data/treebank.hpp"

namespace fenchel::test {
namespace {

struct Rows {
  const char* file;
  DataFormat format;
  std::size_t rows;
  std::size_t features;
  std::size_t labels;
  std::size_t queries = 0;
};
std::ostream& operator<<(std::ostream& out, const Rows& set) { return out << set.file; }

class RealRows : public testing::TestWithParam<Rows> {};

TEST_P(RealRows, HasItsSizes) {
  const auto folder = data_dir();
  if (!folder) GTEST_SKIP() << "skipped: no data";
  const Rows& expected = GetParam();
  const Reading reading = read_dataset((*folder / expected.file).string());
  EXPECT_EQ(reading.format, expected.format);
  EXPECT_EQ(reading.data.rows(), expected.rows);
  EXPECT_EQ(reading.data.x.cols(), expected.features);
  EXPECT_EQ(reading.data.labels.names.size(), expected.labels);
  EXPECT_EQ(reading.data.labels.rows(), expected.rows);
  EXPECT_EQ(reading.data.queries.size(), expected.queries == 0 ? 0 : expected.queries + 1);
}

using enum DataFormat;
INSTANTIATE_TEST_SUITE_P(
    Sets, RealRows,
    testing::Values(Rows{"mulan/birds/birds-train.arff", arff, 322, 271, 19},
                    Rows{"mulan/birds/birds-test.arff", arff, 323, 271, 19},
                    Rows{"mulan/cal500/cal500.arff", arff, 502, 68, 174},
                    Rows{"mulan/emotions/emotions-train.arff", arff, 391, 72, 6},
                    Rows{"mulan/emotions/emotions-test.arff", arff, 202, 72, 6},
                    Rows{"mulan/scene/scene-train.arff", arff, 1211, 294, 6},
                    Rows{"mulan/scene/scene-test.arff", arff, 1196, 294, 6},
                    Rows{"mulan/yeast/yeast-train.arff", arff, 1500, 103, 14},
                    Rows{"mulan/yeast/yeast-test.arff", arff, 917, 103, 14},
                    Rows{"mulan/tmc2007-500/tmc2007-500-train.arff", arff, 21519, 500, 22},
                    Rows{"mulan/tmc2007-500/tmc2007-500-test.arff", arff, 7077, 500, 22},
                    Rows{"sparse_multilabel/rcv1sub1/rcv1sub1-train.svm.gz", svmlight, 3000, 47236, 100},
                    Rows{"sparse_multilabel/yahoo_arts/yahoo_arts-train.svm.gz", svmlight, 4989, 23146, 26},
                    Rows{"sparse_multilabel/ng20/ng20-train.svm.gz", svmlight, 12866, 1006, 20},
                    Rows{"sparse_multilabel/ng20/ng20-test.svm.gz", svmlight, 6434, 1006, 20},
                    Rows{"rank/mq2008_fold1/train.txt.gz", svmlight, 9630, 46, 3, 471},
                    Rows{"rank/mq2008_fold1/vali.txt.gz", svmlight, 2707, 46, 3, 157},
                    Rows{"rank/mq2008_fold1/test.txt.gz", svmlight, 2874, 46, 3, 156},
                    Rows{"label_ranking/iris.txt", csv, 150, 4, 3},
                    Rows{"label_ranking/vowel.txt", csv, 528, 10, 11},
                    Rows{"label_ranking/vehicle.txt", csv, 846, 18, 4},
                    Rows{"label_ranking/authorship.txt", csv, 841, 70, 4},
                    Rows{"ucr/GunPoint/GunPoint_TRAIN.txt", time_series, 50, 150, 2},
                    Rows{"ucr/GunPoint/GunPoint_TEST.txt", time_series, 150, 150, 2},
                    Rows{"ucr/ItalyPowerDemand/ItalyPowerDemand_TRAIN.ts", time_series, 67, 24, 2},
                    Rows{"ucr/ItalyPowerDemand/ItalyPowerDemand_TEST.ts", time_series, 1029, 24, 2},
                    Rows{"libsvm/dna.scale", svmlight, 2000, 180, 3},
                    Rows{"libsvm/dna.scale.t", svmlight, 1186, 180, 3},
                    Rows{"libsvm/letter.scale.svm.gz", svmlight, 20000, 16, 26},
                    Rows{"libsvm/w8a.gz", svmlight, 49749, 300, 2}));

TEST(RealData, LabelCountsAndOrdinalColumns) {
  const auto folder = data_dir();
  if (!folder) GTEST_SKIP() << "skipped: no data";
  const std::string birds = (*folder / "mulan/birds/birds-train.arff").string();
  const Dataset data = read_dataset(birds, {.nominal = Nominal::ordinal}).data;
  EXPECT_EQ(data.x.cols(), 260U);
  std::size_t none = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) none += data.labels.row(i).empty() ? 1 : 0;
  EXPECT_EQ(none, 143U);
  const Dataset w8a = read_dataset((*folder / "libsvm/w8a.gz").string()).data;
  EXPECT_THAT(w8a.labels.names, testing::ElementsAre("-1", "1"));
  EXPECT_EQ(std::count(w8a.labels.indices.begin(), w8a.labels.indices.end(), 1), 1479);
  std::size_t empty = 0;
  w8a.x.visit([&](const auto& x) {
    for (std::size_t i = 0; i < x.rows(); ++i) empty += x.sparse_rows().indices(i).empty() ? 1 : 0;
  });
  EXPECT_EQ(empty, 4203U);
}

TEST(RealData, Sentences) {
  const auto folder = data_dir();
  if (!folder) GTEST_SKIP() << "skipped: no data";
  const TokenCorpus train = read_conll((*folder / "conll2000/train.txt.gz").string());
  EXPECT_EQ(train.sentences(), 8936U);
  EXPECT_EQ(train.tokens(), 211727U);
  EXPECT_EQ(train.columns.back().strings.size(), 22U);
  const TokenCorpus test = read_conll((*folder / "conll2000/test.txt.gz").string());
  EXPECT_EQ(test.sentences(), 2012U);
  EXPECT_EQ(test.tokens(), 47377U);
  EXPECT_EQ(test.columns.back().strings.size(), 19U);
  const TokenCorpus vietnamese = read_conll((*folder / "ud/vi_vtb/vi_vtb-ud-train.conllu").string());
  EXPECT_EQ(vietnamese.sentences(), 1400U);
  EXPECT_EQ(vietnamese.tokens(), 20285U);
  const TokenCorpus english = read_conll((*folder / "ud/en_ewt/en_ewt-ud-train.conllu.gz").string());
  EXPECT_EQ(english.sentences(), 12544U);
  EXPECT_EQ(english.tokens(), 204577U);
}

/// Sizes as `grep` counts them; non-projective trees by the words between the ends of each arc.
struct Trees {
  const char* file;
  std::size_t sentences;
  std::size_t words;
  std::size_t multiword_tokens;
  std::size_t empty_nodes;
  std::size_t non_projective;
};
std::ostream& operator<<(std::ostream& out, const Trees& set) { return out << set.file; }

class RealTrees : public testing::TestWithParam<Trees> {};

/// The bytes of a file, unpacked, with LF for line ends.
std::string lines_of(const std::string& path) {
  TextSource source(path);
  std::string text;
  for (std::string_view line; source.next_line(line);) text.append(line) += '\n';
  return text;
}

TEST_P(RealTrees, AreWrittenAsTheyWereRead) {
  const auto folder = data_dir();
  if (!folder) GTEST_SKIP() << "skipped: no data";
  const Trees& expected = GetParam();
  const std::string path = (*folder / "ud" / expected.file).string();
  const Treebank bank = read_conllu(path);
  EXPECT_EQ(bank.sentences(), expected.sentences);
  EXPECT_EQ(bank.words(), expected.words);
  EXPECT_EQ(bank.others.count(OtherLines::Kind::multiword), expected.multiword_tokens);
  EXPECT_EQ(bank.others.count(OtherLines::Kind::empty_node), expected.empty_nodes);
  std::size_t non_projective = 0;
  for (std::size_t s = 0; s < bank.sentences(); ++s)
    non_projective += is_projective(bank.heads_of(s)) ? 0 : 1;
  EXPECT_EQ(non_projective, expected.non_projective);
  EXPECT_TRUE(conllu_text(bank) == lines_of(path));
}

INSTANTIATE_TEST_SUITE_P(
    Sets, RealTrees,
    testing::Values(Trees{"en_ewt/en_ewt-ud-dev.conllu", 2001, 25147, 359, 4, 31},
                    Trees{"en_ewt/en_ewt-ud-test.conllu", 2077, 25094, 354, 2, 26},
                    Trees{"en_ewt/en_ewt-ud-train.conllu.gz", 12544, 204577, 2614, 37, 288},
                    Trees{"ja_gsd_r1.4/ja-ud-dev.conllu", 918, 9101, 0, 0, 89},
                    Trees{"ja_gsd_r1.4/ja-ud-test.conllu", 299, 2760, 0, 0, 40},
                    Trees{"ja_gsd_r1.4/ja-ud-train.conllu.gz", 8277, 80172, 0, 0, 912},
                    Trees{"ro_nonstandard_part/ro_nonstandard-ud-dev.conllu", 1052, 18569, 0, 0, 35},
                    Trees{"ro_nonstandard_part/ro_nonstandard-ud-test.conllu", 1052, 20986, 0, 0, 47},
                    Trees{"ro_nonstandard_part/ro_nonstandard-ud-train.pop.conllu.gz", 2197, 43378, 0, 0, 70},
                    Trees{"ro_rrt_devtest/ro_rrt-ud-dev.conllu", 752, 17073, 0, 0, 74},
                    Trees{"ro_rrt_devtest/ro_rrt-ud-test.conllu", 729, 16324, 0, 0, 61},
                    Trees{"vi_vtb/vi_vtb-ud-dev.conllu", 800, 11514, 0, 0, 17},
                    Trees{"vi_vtb/vi_vtb-ud-test.conllu", 800, 11955, 0, 0, 26},
                    Trees{"vi_vtb/vi_vtb-ud-train.conllu", 1400, 20285, 0, 0, 44},
                    Trees{"zh_gsd_r1.4/zh-ud-dev.conllu", 500, 12663, 0, 0, 2},
                    Trees{"zh_gsd_r1.4/zh-ud-test.conllu", 500, 12012, 0, 0, 2},
                    Trees{"zh_gsd_r1.4/zh-ud-train.conllu.gz", 3997, 98608, 0, 0, 12}));

TEST(RealData, ImagesOfWords) {
  const auto folder = data_dir();
  if (!folder) GTEST_SKIP() << "skipped: no data";
  const std::string path = (*folder / "ocr/ocr-train.txt.gz").string();
  EXPECT_EQ(guess_format(path), DataFormat::ocr);
  const AttributeCorpus train = read_ocr(path);
  EXPECT_EQ(train.sequences(), 626U);
  EXPECT_EQ(train.items(), 4617U);
  EXPECT_EQ(train.label_names.size(), 26U);
  EXPECT_EQ(train.attribute_names.size(), 129U);
  const AttributeCorpus test = read_ocr((*folder / "ocr/ocr-test.txt.gz").string());
  EXPECT_EQ(test.sequences(), 6251U);
  EXPECT_EQ(test.items(), 47535U);
}

}  // namespace
}  // namespace fenchel::test
