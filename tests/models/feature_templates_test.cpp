// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/feature_templates.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "data_dir.hpp"

namespace fenchel {
namespace {

using Strings = std::vector<std::string>;

/// The attributes of token t of a sentence of two columns.
Strings attributes(const FeatureTemplates& templates, const std::vector<std::string_view>& cells,
                   std::size_t t) {
  ExpandedSentence out;
  templates.expand({cells, 2}, out);
  return {out.attributes.begin() + static_cast<std::ptrdiff_t>(out.offsets[t]),
          out.attributes.begin() + static_cast<std::ptrdiff_t>(out.offsets[t + 1])};
}

const std::vector<std::string_view> dog{"the", "DT", "dog", "NN", "barks", "VB"};

TEST(FeatureTemplates, FromAFileOrByName) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "some.template";
  std::ofstream(path) << "U00:%x[0,1]\nB\n";
  EXPECT_EQ(load_templates(path.string(), 2).text(), "U00:%x[0,1]\nB\n");
  EXPECT_EQ(load_templates("", 2).text(), FeatureTemplates::preset("default", 2).text());
  EXPECT_EQ(load_templates("crfsuite-chunking", 2).text(), "crfsuite-chunking");
  EXPECT_THROW(load_templates("nothing", 2), std::invalid_argument);
}

TEST(FeatureTemplates, CrfPlusPlusSyntax) {
  const auto templates = FeatureTemplates::parse(
      "# Unigrams\n"
      "U00:%x[-2,0]\n"
      "U01:%x[0,0]/%x[1,1]\r\n"
      "\n"
      "   \n"
      "U02:[%x[2,1]]\n"
      "U99\n"
      "B\n");
  EXPECT_TRUE(templates.bigrams());
  EXPECT_EQ(templates.columns(), 2U);
  EXPECT_EQ(attributes(templates, dog, 0), (Strings{"U00:_B-2", "U01:the/NN", "U02:[VB]", "U99"}));
  EXPECT_EQ(attributes(templates, dog, 1), (Strings{"U00:_B-1", "U01:dog/VB", "U02:[_B+1]", "U99"}));
  EXPECT_EQ(attributes(templates, dog, 2), (Strings{"U00:the", "U01:barks/_B+1", "U02:[_B+2]", "U99"}));
}

TEST(FeatureTemplates, CrfsuiteChunking) {
  const auto templates = FeatureTemplates::preset("crfsuite-chunking", 2);
  EXPECT_EQ(templates.text(), "crfsuite-chunking");
  EXPECT_EQ(attributes(templates, dog, 0),
            (Strings{"w[0]=the", "w[1]=dog", "w[2]=barks", "w[0]|w[1]=the|dog", "pos[0]=DT", "pos[1]=NN",
                     "pos[2]=VB", "pos[0]|pos[1]=DT|NN", "pos[1]|pos[2]=NN|VB",
                     "pos[0]|pos[1]|pos[2]=DT|NN|VB", "__BOS__"}));
  EXPECT_EQ(attributes(templates, dog, 2).back(), "__EOS__");
  EXPECT_EQ(attributes(templates, dog, 1).size(), 11U);
}

TEST(FeatureTemplates, Default) {
  EXPECT_EQ(FeatureTemplates::preset("default", 1).columns(), 1U);
  EXPECT_EQ(attributes(FeatureTemplates::preset("chunking", 1), dog, 0).size(), 7U);
  EXPECT_EQ(attributes(FeatureTemplates::preset("chunking", 2), dog, 0).size(), 19U);
  EXPECT_EQ(attributes(FeatureTemplates::preset("default", 2), dog, 0),
            attributes(FeatureTemplates::preset("ner", 2), dog, 0));
  EXPECT_GT(attributes(FeatureTemplates::preset("pos", 2), dog, 0).size(), 15U);
}

SharedClusters clusters_of(const std::vector<std::pair<const char*, const char*>>& pairs) {
  auto clusters = std::make_shared<WordClusters>();
  for (const auto& [word, cluster] : pairs) clusters->add(word, cluster);
  return clusters;
}

TEST(FeatureTemplates, ClustersOfWords) {
  const SharedClusters clusters = clusters_of({{"the", "0110"}, {"dog", "10111"}, {"NN", "0"}});
  const FeatureTemplates templates = FeatureTemplates::parse(
      "U1:%cluster[0,0]\nU2:%cluster[0,0,4]\nU3:%cluster[0,0,5]\nU4:%cluster[-1,0]/%cluster[0,0,1]\n"
      "U5:%cluster[0,1]\nU6:%clusters\n",
      "some", clusters);
  EXPECT_EQ(templates.clusters(), clusters);
  EXPECT_EQ(attributes(templates, dog, 0), (Strings{"U1:0110", "U2:0110", "U4:_B-1/0", "U6:%clusters"}));
  EXPECT_EQ(attributes(templates, dog, 1),
            (Strings{"U1:10111", "U2:1011", "U3:10111", "U4:0110/1", "U5:0", "U6:%clusters"}));
  EXPECT_EQ(attributes(templates, dog, 2), (Strings{"U6:%clusters"}));  // it is in no cluster
}

TEST(FeatureTemplates, PresetsUseClustersWhereThereAreAny) {
  const SharedClusters paths = clusters_of({{"the", "0110"}, {"dog", "10111"}});
  const SharedClusters numbers = clusters_of({{"the", "57"}, {"dog", "1"}});
  const auto count = [](const FeatureTemplates& templates) { return attributes(templates, dog, 1).size(); };
  for (const char* name : {"default", "ner", "pos", "chunking"}) {
    const std::size_t plain = count(FeatureTemplates::preset(name, 2));
    EXPECT_EQ(count(FeatureTemplates::preset(name, 2, numbers)), plain + 3) << name;  // no word follows
    EXPECT_EQ(count(FeatureTemplates::preset(name, 2, paths)), plain + 5) << name;
    EXPECT_EQ(load_templates(name, 2, paths).text(), FeatureTemplates::preset(name, 2, paths).text());
  }
  EXPECT_THROW(FeatureTemplates::preset("crfsuite-chunking", 2, paths), std::invalid_argument);
}

TEST(FeatureTemplates, ClustersThatAreMissingOrNotRead) {
  const auto error = [](const char* text, const SharedClusters& clusters) {
    try {
      FeatureTemplates::parse(text, "t", clusters);
    } catch (const std::invalid_argument& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  const SharedClusters clusters = clusters_of({{"the", "0"}});
  EXPECT_EQ(error("U1:%x[0,0]\nU2:a%cluster[0,0]\n", nullptr),
            "t:2:5: %cluster needs clusters, a file with words and their clusters");
  EXPECT_EQ(error("U1:%x[0,0]\n", clusters),
            "t: no template reads the clusters; expected one such as U70:%cluster[0,0]");
  EXPECT_NE(error("U1:%cluster[0]\n", clusters), "");
  EXPECT_NE(error("U1:%cluster[0,0,0]\n", clusters), "");
  EXPECT_NE(error("U1:%cluster[0,0,]\n", clusters), "");
  EXPECT_NE(error("U1:%cluster[0,-1]\n", clusters), "");
}

TEST(FeatureTemplates, FormsOfWords) {
  const FeatureTemplates templates =
      FeatureTemplates::parse("U1:%low[0,0]/%shape[0,0]\nU2:%pre[0,0,2]\nU3:%suf[0,0,9]\nU4:%low[-1,0]\n");
  EXPECT_EQ(attributes(templates, dog, 0), (std::vector<std::string>{"U1:the/x", "U2:th", "U4:_B-1"}));
}

std::string message(std::string_view text) {
  try {
    FeatureTemplates::parse(text, "f.template");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(FeatureTemplates, ErrorsSayWhere) {
  EXPECT_EQ(message("U0:%x[0,0]\nX1:%x[0,0]\n"),
            "f.template:2:1: 'X' starts no template; expected U, B or # for a comment");
  EXPECT_EQ(message("U0:%x(0,0)\n"), "f.template:1:6: expected '[' of %x[row,column]");
  EXPECT_EQ(message("U0:%x[0;0]"), "f.template:1:8: expected ',' of %x[row,column]");
  EXPECT_EQ(message("U0:%x[0,0"), "f.template:1:10: expected ']' of %x[row,column]");
  EXPECT_EQ(message("U0:%x[a,0]"), "f.template:1:7: expected a number from -1000 to 1000");
  EXPECT_EQ(message("U0:%x[99999999999,0]"), "f.template:1:7: expected a number from -1000 to 1000");
  EXPECT_EQ(message("U0:%x[0,-1]"), "f.template:1:9: column -1 of a cell; columns count from 0");
  EXPECT_EQ(message("\nB1:%x[0,0]"),
            "f.template:2:4: bigram templates that look at the tokens are not supported; only a plain B is");
  EXPECT_EQ(message("B\n"), "f.template: no template of the form U01:%x[0,0] was found");
  EXPECT_EQ(message(" U0:%x[0,0]"), "f.template:1:1: a template starts at the beginning of its line");
  EXPECT_EQ(message("U0:%pre[0,0]"), "f.template:1:12: expected ',' of %pre[row,column,letters]");
  EXPECT_EQ(message("U0:%suf[0,0,0]"), "f.template:1:13: 0 letters of a word; expected 1 or more");
  EXPECT_THROW(FeatureTemplates::preset("chunks", 2), std::invalid_argument);
  EXPECT_THROW(FeatureTemplates::preset("crfsuite-chunking", 1), std::invalid_argument);
  ExpandedSentence out;
  EXPECT_THROW(FeatureTemplates::parse("U:%x[0,2]").expand({dog, 2}, out), std::invalid_argument);
}

TEST(AttributeBuilder, CollectsSentences) {
  AttributeBuilder builder(FeatureTemplates::parse("U:%x[0,0]"));
  const std::vector<std::string_view> labels{"B", "I", "O"};
  builder.add({dog, 2}, labels);
  builder.add({std::span(dog).first(2), 2}, std::span(labels).last(1));
  EXPECT_THROW(builder.add({dog, 2}, std::span(labels).last(1)), std::invalid_argument);
  const TaggerData data = builder.take();
  data.check();
  EXPECT_EQ(data.sentences, (std::vector<std::int64_t>{0, 3, 4}));
  EXPECT_EQ(data.attributes, (std::vector<std::int32_t>{0, 1, 2, 0}));
  EXPECT_EQ(data.labels, (std::vector<std::int32_t>{0, 1, 2, 2}));
  EXPECT_EQ(data.attribute_names[1], "U:dog");
}

}  // namespace
}  // namespace fenchel
