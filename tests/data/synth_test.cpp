// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/synth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <sstream>

#include "data/draws.hpp"
#include "data_dir.hpp"
#include "fenchel/data/svmlight.hpp"

namespace fenchel::test {
namespace {

double words_of(const Dataset& data, std::size_t i) {
  return data.x.visit([i](const auto& x) {
    double sum = 0;
    for (const auto value : x.sparse_rows().values(i)) sum += static_cast<double>(value);
    return sum;
  });
}

TEST(Synth, PoissonMoments) {
  Random random(8);
  for (const double mean : {0.5, 2.0, 31.0, 400.0}) {
    constexpr int draws = 4000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < draws; ++i) {
      const auto value = static_cast<double>(draw_poisson(random, mean));
      sum += value;
      squares += (value - mean) * (value - mean);
    }
    // Five standard errors of the sample mean and variance.
    EXPECT_NEAR(sum / draws, mean, 5 * std::sqrt(mean / draws));
    EXPECT_NEAR(squares / draws, mean, 5 * std::sqrt((mean + 2 * mean * mean) / draws));
  }
}

TEST(Synth, Proportions) {
  const Dataset data = synth_proportions({.classes = 10, .samples = 500, .mean_length = 200, .seed = 1});
  EXPECT_EQ(data.rows(), 500U);
  EXPECT_EQ(data.x.cols(), 10U);
  EXPECT_EQ(data.labels.names.size(), 10U);
  double words = 0;
  for (std::size_t i = 0; i < 500; ++i) {
    const auto labels = data.labels.row(i);
    ASSERT_GE(labels.size(), 1U);
    ASSERT_LE(labels.size(), 10U);
    EXPECT_TRUE(std::is_sorted(labels.begin(), labels.end()));
    const double* weights = data.labels.weights.data() + data.labels.offsets[i];
    EXPECT_NEAR(std::accumulate(weights, weights + labels.size(), 0.0), 1, 1e-12);
    words += words_of(data, i);
  }
  EXPECT_NEAR(words / 500, 200, 5 * std::sqrt(200.0 / 500));
  const double labels = static_cast<double>(data.labels.indices.size()) / 500;
  EXPECT_NEAR(labels, 2 / (1 - std::exp(-2.0)), 0.3);  // Poisson(2) without 0
}

TEST(Synth, FrequenciesAreCountsOverLengths) {
  const Dataset counts = synth_proportions({.samples = 40, .seed = 3});
  const Dataset frequencies = synth_proportions({.samples = 40, .frequencies = true, .seed = 3});
  const auto rows = [](const Dataset& data) {
    return data.x.visit([](const auto& x) {
      std::vector<std::vector<double>> values;
      for (std::size_t i = 0; i < 40; ++i) {
        const auto row = x.sparse_rows().values(i);
        values.emplace_back(row.begin(), row.end());
      }
      return values;
    });
  };
  const auto expected = rows(counts);
  const auto found = rows(frequencies);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(words_of(frequencies, i), 1, 1e-14);
    ASSERT_EQ(found[i].size(), expected[i].size());
    for (std::size_t j = 0; j < found[i].size(); ++j)
      EXPECT_EQ(found[i][j], expected[i][j] / words_of(counts, i));
  }
}

TEST(Synth, SeedsDecideAndFilesKeepEverything) {
  const TemporaryFolder folder;
  const auto text = [](const Dataset& data) {
    std::ostringstream out;
    write_svmlight(data, out);
    return out.str();
  };
  const SynthProportions options{.samples = 50, .uniform = true, .seed = 4};
  EXPECT_EQ(text(synth_proportions(options)), text(synth_proportions(options)));
  EXPECT_NE(text(synth_proportions(options)),
            text(synth_proportions({.samples = 50, .uniform = true, .seed = 5})));
  const Dataset read = read_svmlight(folder.write("a.svm", text(synth_proportions(options))));
  EXPECT_EQ(text(read), text(synth_proportions(options)));
  EXPECT_EQ(text(synth_ranking({.seed = 1})), text(synth_ranking({.seed = 1})));
  EXPECT_EQ(text(synth_classification({.seed = 1})), text(synth_classification({.seed = 1})));
}

TEST(Synth, RankingLevelsAndTags) {
  const Dataset data = synth_ranking({.queries = 50, .documents = 20, .levels = 3});
  std::vector<int> counts(3);
  for (const std::int32_t level : data.labels.indices) ++counts[static_cast<std::size_t>(level)];
  for (const int count : counts) EXPECT_GT(count, 200);
  const TokenCorpus corpus =
      synth_tagging({.tags = 4, .sentences = 200, .vocabulary = 30, .mean_length = 10});
  EXPECT_EQ(corpus.sentences(), 200U);
  EXPECT_EQ(corpus.columns[1].strings.size(), 4U);
  EXPECT_LE(corpus.columns[0].strings.size(), 30U);
  EXPECT_NEAR(static_cast<double>(corpus.tokens()) / 200, 10, 5 * std::sqrt(10.0 / 200));
}

TEST(Synth, WrongOptions) {
  EXPECT_THROW(synth_proportions({.classes = 0}), std::invalid_argument);
  EXPECT_THROW(synth_proportions({.mean_length = 0}), std::invalid_argument);
  EXPECT_THROW(synth_proportions({.mean_labels = 1e9}), std::invalid_argument);
  EXPECT_THROW(synth_tagging({.tags = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace fenchel::test
