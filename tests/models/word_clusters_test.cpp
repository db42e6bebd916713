// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/word_clusters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "data_dir.hpp"
#include "fenchel/data/data_error.hpp"

namespace fenchel {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ClusterFiles : public testing::Test {
 protected:
  WordClusters read(std::string_view content) { return WordClusters::read(folder_.write("c", content)); }
  /// The message about a file, without the folder's name.
  std::string error(std::string_view content) {
    try {
      read(content);
    } catch (const DataError& problem) {
      const std::string text = problem.what();
      const std::string name = folder_ / "c";
      EXPECT_THAT(text, StartsWith(name));
      return text.substr(name.size());
    }
    return {};
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(ClusterFiles, OfBrown) {
  const WordClusters clusters = read(
      "\xEF\xBB\xBF"
      "0110\tthe\t120\r\n\n0110\ta\t0\n10\t#\t7\n0\t10\t3\n0110\tthe\t9");
  EXPECT_EQ(clusters.size(), 4U);
  EXPECT_EQ(clusters.names().size(), 3U);
  EXPECT_TRUE(clusters.paths());
  EXPECT_EQ(clusters.find("the"), "0110");
  EXPECT_EQ(clusters.find("a"), "0110");
  EXPECT_EQ(clusters.find("#"), "10");
  EXPECT_EQ(clusters.find("10"), "0");
  EXPECT_EQ(clusters.find("The"), "");
  EXPECT_EQ(read("0110\tNew York\t3\n").find("New York"), "0110");
}

TEST_F(ClusterFiles, OfTwoColumns) {
  for (const char* text : {"the 57\na  57\n dog x7 \n", "the\t57\na\t57\ndog\tx7\n"}) {
    const WordClusters clusters = read(text);
    EXPECT_EQ(clusters.size(), 3U);
    EXPECT_FALSE(clusters.paths());
    EXPECT_EQ(clusters.find("a"), "57");
    EXPECT_EQ(clusters.find("dog"), "x7");
  }
  EXPECT_TRUE(read("the 0110\n0 10\n").paths());
  EXPECT_EQ(read("New York\t57\n").find("New York"), "57");
}

TEST_F(ClusterFiles, ThatAreDamaged) {
  EXPECT_THAT(error(""), HasSubstr("the file is empty"));
  EXPECT_THAT(error("\n  \n"), HasSubstr("the file is empty"));
  EXPECT_THAT(error(std::string("the 1\na \0 2\n", 12)), StartsWith(":2:3: a byte 0"));
  EXPECT_THAT(error("the 1\na 2\nthe 2\n"), StartsWith(":3:1: the word 'the' has the cluster 1 already"));
  EXPECT_THAT(error("01\tthe\t5\n10\tthe\t5\n"),
              StartsWith(":2:4: the word 'the' has the cluster 01 already"));
  EXPECT_THAT(error("01\tthe\t5\n12\ta\t5\n"), StartsWith(":2:1: '12' is no path of 0 and 1"));
  EXPECT_THAT(error("the\t01\t5\n"), StartsWith(":1:1: 'the' is no path"));
  EXPECT_THAT(error("01\tthe\tmany\n"), StartsWith(":1:8: 'many' is no count"));
  EXPECT_THAT(error("01\tthe\t\n"), StartsWith(":1:8: '' is no count"));
  EXPECT_THAT(error("01\t\t5\n"), HasSubstr("there is no word"));
  EXPECT_THAT(error("01\t \t5\n"), HasSubstr("there is no word"));
  EXPECT_THAT(error("01\tthe\t5\na 2\n"), StartsWith(":2:1: 1 columns between tabs; expected 3"));
  EXPECT_THAT(error("01\tthe\t5\n01\ta\n"), StartsWith(":2:1: 2 columns between tabs; expected 3"));
  EXPECT_THAT(error("the\t57\na 57\n"), StartsWith(":2:1: 1 columns between tabs; expected 2"));
  EXPECT_THAT(error("the\t\n"), HasSubstr("a cluster is empty"));
  EXPECT_THAT(error("the\t5 7\n"), StartsWith(":1:5: the cluster '5 7' has blanks"));
  EXPECT_THAT(error("the 57\na\t57\n"), StartsWith(":2:1: expected two columns"));
  EXPECT_THAT(error("the 57\nword\n"), StartsWith(":2:1: expected two columns"));
  EXPECT_THAT(error("the 57 3\n"), StartsWith(":1:8: expected two columns"));
  EXPECT_THAT(error("1\t2\t3\t4\n"), StartsWith(":1:1: expected two columns"));
}

TEST_F(ClusterFiles, ThatAreAmbiguous) {
  EXPECT_THAT(error("\n0110 the\n0111 a\n"),
              StartsWith(":2: the words in the first column are all made of 0 and 1"));
  EXPECT_THAT(error("0110\tthe\n"), HasSubstr("expected lines `word cluster`"));
  EXPECT_THAT(error("0 1\n"), HasSubstr("all made of 0 and 1"));
  EXPECT_EQ(error("0 1\ntwo 1\n"), "");
}

TEST_F(ClusterFiles, OfHugeLines) {
  const std::string huge(1 << 20, 'x');
  EXPECT_THAT(error("the 1\n" + huge + " 2\n"), StartsWith(":2:1: the word 'xxx"));
  EXPECT_LT(error("the 1\n" + huge + " 2\n").size(), 200U);
  EXPECT_LT(error(huge).size(), 300U);
  EXPECT_THAT(error("the " + huge + "\n"), HasSubstr("has 1048576 bytes; expected at most 1000"));
  EXPECT_LT(error(std::string(1 << 20, '0') + "x\tthe\t1\n").size(), 300U);
  EXPECT_NE(error("0\tthe\t" + huge + "\n"), "");
}

TEST(WordClusters, OneForEachWord) {
  WordClusters clusters;
  EXPECT_FALSE(clusters.paths());
  clusters.add("a", "1");
  clusters.add("a", "1");
  EXPECT_EQ(clusters.size(), 1U);
  EXPECT_THROW(clusters.add("a", "2"), std::invalid_argument);
  EXPECT_THROW(clusters.add("", "2"), std::invalid_argument);
  EXPECT_THROW(clusters.add("b", ""), std::invalid_argument);
  EXPECT_THROW(clusters.add("b\n", "1"), std::invalid_argument);
  WordClusters other;
  other.add("a", "1");
  EXPECT_EQ(fingerprint(clusters), fingerprint(other));
  other.add("b", "1");
  EXPECT_NE(fingerprint(clusters), fingerprint(other));
  EXPECT_EQ(load_clusters(""), nullptr);
  EXPECT_ANY_THROW(load_clusters("/no/such/file"));
}

}  // namespace
}  // namespace fenchel
