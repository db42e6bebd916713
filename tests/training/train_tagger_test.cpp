// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/train_tagger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "data_dir.hpp"
#include "fenchel/metrics/chunks.hpp"
#include "fenchel/models/tagger_corpus.hpp"
#include "training/tagging_data.hpp"

namespace fenchel {
namespace {

constexpr std::array all_omegas{TaggerOmega::crf, TaggerOmega::sparsemap, TaggerOmega::hinge,
                                TaggerOmega::perceptron};

TaggerTrainOptions options_of(TaggerOmega omega) {
  TaggerTrainOptions options;
  options.omega = omega;
  options.train.penalty = L2(0.5);
  options.train.threads = 1;
  options.train.max_iterations = 300;
  return options;
}

TEST(TrainTagger, EveryOmega) {
  const TaggerData data = test::random_tagging({.sentences = 20, .labels = 4}, 3);
  for (const TaggerOmega omega : all_omegas) {
    const TaggerTrainOptions options = options_of(omega);
    const TrainedTagger trained = train_tagger(data, options);
    EXPECT_EQ(trained.tagger.omega, omega);
    EXPECT_EQ(trained.tagger.parameters.size(), trained.tagger.features.parameters());
    ChainObjective objective(data, trained.tagger.features, {.omega = omega, .threads = 1});
    const auto& w = trained.tagger.parameters;
    std::vector<double> gradient(w.size());
    const double value = objective.evaluate(w, gradient) + options.train.penalty.value(w, 1);
    EXPECT_NEAR(value, trained.result.standing.objective, 1e-6 * (1 + value)) << to_string(omega);
    const std::vector<double> zero(w.size(), 0.0);
    EXPECT_LE(value, objective.evaluate(zero, gradient)) << to_string(omega);
    if (!smooth(omega)) continue;
    EXPECT_TRUE(trained.result.report.converged()) << to_string(omega);
    objective.evaluate(w, gradient);
    options.train.penalty.add_smooth_gradient(w, gradient);
    // ‖∇‖²/(2λ) is the duality gap that the solver stopped at.
    const double square = std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0);
    EXPECT_LE(square, 2 * options.train.penalty.l2 * options.train.tolerance * value * 1.01)
        << to_string(omega);
  }
}

TEST(TrainTagger, SameBitsForAnyNumberOfThreads) {
  const TaggerData data = test::random_tagging({.sentences = 100, .labels = 5, .attributes = 15}, 9);
  TaggerTrainOptions options = options_of(TaggerOmega::crf);
  const auto one = train_tagger(data, options).tagger.parameters;
  options.train.threads = 2;
  EXPECT_EQ(one, train_tagger(data, options).tagger.parameters);
}

TEST(TrainTagger, WarmStart) {
  const TaggerData data = test::random_tagging({.sentences = 20, .labels = 4}, 3);
  TaggerTrainOptions options = options_of(TaggerOmega::crf);
  options.features.boundary = true;
  const Tagger tagger = train_tagger(data, options).tagger;
  EXPECT_EQ(transfer_parameters(tagger, data, tagger.features), tagger.parameters);
  // To more weights, and back to those in common.
  const TaggerFeatures all =
      tagger_features(data, {.all_states = true, .all_transitions = true, .boundary = true});
  const auto wider = transfer_parameters(tagger, data, all);
  const auto sum = [](const std::vector<double>& w) { return std::accumulate(w.begin(), w.end(), 0.0); };
  EXPECT_EQ(wider.size(), all.parameters());
  EXPECT_NEAR(sum(wider), sum(tagger.parameters), 1e-9);
  options.train.start = tagger.parameters;
  EXPECT_LE(train_tagger(data, options).result.report.iterations, 2);
}

TaggerData first_sentences(const std::filesystem::path& file, std::size_t count) {
  std::vector<std::size_t> first(count);
  std::iota(first.begin(), first.end(), 0);
  return tagger_data(select_sentences(read_conll(file), first),
                     FeatureTemplates::preset("crfsuite-chunking", 2));
}

/// Chunk F1 in percent on other sentences.
double chunk_f1(const Tagger& tagger, const TaggerData& test) {
  const TaggerData mine = renumber(test, tagger);
  const auto tags = TagPredictor(tagger).tag(mine, 1);
  std::vector<std::string_view> truth;
  std::vector<std::string_view> predicted;
  for (std::size_t t = 0; t < tags.size(); ++t) {
    truth.push_back(test.label_names[test.labels[t]]);
    predicted.push_back(tagger.labels[tags[t]]);
  }
  return 100 * metrics::evaluate_chunks(truth, predicted, mine.sentences).overall().f1;
}

TEST(TrainTagger, SomeOfConll2000) {
  const auto folder = test::data_dir();
  if (!folder) GTEST_SKIP() << "skipped: no data";
  const TaggerData train = first_sentences(*folder / "conll2000" / "train.txt.gz", 150);
  const TaggerData held_out = first_sentences(*folder / "conll2000" / "test.txt.gz", 200);
  for (const TaggerOmega omega : {TaggerOmega::crf, TaggerOmega::sparsemap, TaggerOmega::hinge}) {
    TaggerTrainOptions options = options_of(omega);
    options.train.penalty = L2(0.1);
    options.train.max_iterations = 20;
    const TrainedTagger trained = train_tagger(train, options);
    EXPECT_GT(chunk_f1(trained.tagger, held_out), 75) << to_string(omega);
  }
}

}  // namespace
}  // namespace fenchel
