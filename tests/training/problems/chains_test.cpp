// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/problems/chains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "data_dir.hpp"
#include "fenchel/metrics/chunks.hpp"
#include "fenchel/models/evaluation.hpp"
#include "fenchel/models/tagger_corpus.hpp"
#include "fenchel/polytopes/chain.hpp"
#include "fenchel/regularizers/marginal.hpp"
#include "fenchel/regularizers/sparsemap.hpp"
#include "fenchel/training/fit.hpp"
#include "messages.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel {
namespace {

TrainOptions training(double lambda = 0.5) {
  return {.penalty = L2(lambda), .max_iterations = 300, .threads = 1};
}

struct Trained {
  Tagger tagger;
  TrainResult result;
};
Trained train_tagger(const TaggerData& data, const LossOfSize& loss, const TaggerFeatures& features,
                     const TrainOptions& options) {
  const ChainProblem problem{data, features, loss};
  TrainResult result = train(problem, options);
  return {make_tagger(problem, result.parameters), result};
}
Trained train_tagger(const TaggerData& data, const std::string& loss, const TaggerFeatureOptions& weights,
                     const TrainOptions& options) {
  const TaggerFeatures features = tagger_features(data, weights);
  return train_tagger(data, TaggingLoss{features.labels, features.boundary}(loss), features, options);
}

TEST(Chains, EveryLoss) {
  const TaggerData data = test::random_tagging({.sentences = 20, .labels = 4}, 3);
  TrainOptions options = training();
  options.tolerance = default_tolerance;
  for (const std::string loss :
       {"crf", "sparsemap", "hinge", "perceptron", "entropic", "structured_sparsemax"}) {
    const Trained trained = train_tagger(data, loss, {}, options);
    EXPECT_EQ(trained.tagger.loss, loss);
    EXPECT_EQ(trained.tagger.parameters.size(), trained.tagger.features.parameters());
    const ChainProblem problem{data, trained.tagger.features, loss_of(trained.tagger)};
    const auto objective = make_objective(problem, 1);
    const auto& w = trained.tagger.parameters;
    std::vector<double> gradient(w.size());
    const double value = objective->evaluate(w, gradient) + options.penalty.value(w, 1);
    EXPECT_NEAR(value, trained.result.last_step.objective, 1e-6 * (1 + value)) << loss;
    const std::vector<double> zero(w.size(), 0.0);
    EXPECT_LE(value, objective->evaluate(zero, gradient)) << loss;
    if (!facts_of(problem).smooth) continue;
    EXPECT_TRUE(trained.result.report.converged()) << loss;
    if (trained.result.choice.solver.traits().dual) {
      EXPECT_LE(*trained.result.last_step.gap, *options.tolerance * value * 1.01) << loss;
      continue;
    }
    objective->evaluate(w, gradient);
    options.penalty.add_smooth_gradient(w, gradient);
    // ‖∇‖²/(2λ) is the duality gap that the solver stopped at.
    const double square = std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0);
    EXPECT_LE(square, 2 * options.penalty.l2 * *options.tolerance * value * 1.01) << loss;
  }
}

TEST(Chains, LossOfOnesOwn) {
  // SparseMAP with the same cost as the hinge: nobody has given it a name.
  const TaggerData data = test::random_tagging({.sentences = 12, .labels = 3}, 5);
  const TaggerFeatures features = tagger_features(data);
  const LossOfSize own = [&](std::size_t tokens) -> LossChoice {
    const Chain chain{tokens, features.labels, features.boundary};
    return {.loss = {SparseMap{chain}, [](std::span<const double> y, std::span<double> cost) {
                       for (std::size_t k = 0; k < y.size(); ++k) cost[k] = 0.5 - y[k];
                     }}};
  };
  const Trained trained = train_tagger(data, own, features, training());
  EXPECT_TRUE(trained.result.report.converged());
  EXPECT_EQ(trained.tagger.loss, "");
  const Trained plain = train_tagger(data, "sparsemap", {}, training());
  EXPECT_NE(trained.tagger.parameters, plain.tagger.parameters);
}

// Half of SparseMAP's Ω, of which nobody knows but this file.
struct HalfSparseMap {
  AnyPolytope polytope;
  static constexpr Traits traits{.name = "half_sparsemap", .domain = Domain::polytope};
  double value(std::span<const double> mu) const { return SparseMap{polytope}.value(mu) / 2; }
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
    std::ranges::transform(theta, out.begin(), [](double score) { return 2 * score; });
    return SparseMap{polytope}.predict(out, out, scratch);
  }
};

TEST(Chains, OmegaOfOnesOwnFromFitToEvaluation) {
  const auto data =
      std::make_shared<const TaggerData>(test::random_tagging({.sentences = 12, .labels = 3}, 5));
  const LossOfSize own = [](std::size_t tokens) -> LossChoice {
    return {.loss = HalfSparseMap{Chain{tokens, 3, true}}};
  };
  FitOptions options{.lambda = 0.5, .tolerance = 1e-9, .threads = 1};
  options.tagger.boundary = true;
  const auto fit = make_fit(data, own, options);
  run(fit->algorithm());
  EXPECT_TRUE(fit->algorithm().report().converged());
  options.omega = "sparsemap:temperature=0.5";  // the same by a name
  const auto named = make_fit(data, options);
  run(named->algorithm());

  const Tagger tagger = std::get<Tagger>(fit->model());
  const Tagger known = std::get<Tagger>(named->model());
  Workspace scratch;
  for (std::size_t s = 0; s < data->sentence_count(); ++s) {
    const std::size_t n = sentence(*data, s).tokens();
    std::vector<double> mine(n * 3), theirs(n * 3);
    TagPredictor(tagger).outputs(sentence(*data, s), mine, scratch);
    TagPredictor(known).outputs(sentence(*data, s), theirs, scratch);
    for (std::size_t k = 0; k < mine.size(); ++k) EXPECT_NEAR(mine[k], theirs[k], 1e-3);
  }
  EXPECT_EQ(evaluate(tagger, *data).metrics.front().value, evaluate(known, *data).metrics.front().value);
}

TEST(Chains, LossOfAnotherSize) {
  const TaggerData data = test::random_tagging({.sentences = 12, .labels = 3}, 5);
  const TaggerFeatures features = tagger_features(data);
  const LossOfSize own = [](std::size_t) -> LossChoice { return {.loss = Marginal{Chain{50, 3, false}}}; };
  EXPECT_THAT(test::message_of([&] {
                make_objective(ChainProblem{data, features, own}, 1);
              }),
              testing::HasSubstr("takes 159 scores; expected"));
  Tagger tagger = train_tagger(data, "crf", {}, training()).tagger;
  tagger.losses = own;
  Workspace scratch;
  std::vector<double> out(sentence(data, 0).tokens() * 3);
  EXPECT_THAT(test::message_of([&] { TagPredictor(tagger).outputs(sentence(data, 0), out, scratch); }),
              testing::HasSubstr("takes 159 scores; expected"));
}

// Sequences in which the first label never follows itself: a set that no kernel for chains knows.
struct Restless {
  Chain chain;
  static constexpr PolytopeTraits traits{.name = "restless", .sphere = false};
  std::size_t dimension() const { return chain.dimension(); }
  std::vector<double> forbidding(std::span<const double> theta) const {
    std::vector<double> scores(theta.begin(), theta.end());
    scores[chain.n * chain.m] = -infinity;
    return scores;
  }
  double map(std::span<const double> theta, Structure& y, Workspace& scratch) const {
    return chain.map(forbidding(theta), y, scratch);
  }
  double marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const {
    return chain.marginals(forbidding(theta), mu, scratch);
  }
};

TEST(Chains, SetOfOnesOwnIsNotTakenForAllSequences) {
  TaggerData data = test::random_tagging({.sentences = 12, .labels = 3}, 5);
  for (std::size_t t = 1; t < data.labels.size(); ++t) {
    if (data.labels[t - 1] == 0 && data.labels[t] == 0) data.labels[t] = 1;
  }
  const TaggerFeatures features = tagger_features(data, {.boundary = false});
  const LossOfSize own = [](std::size_t tokens) -> LossChoice {
    return {.loss = Marginal{Restless{Chain{tokens, 3, false}}}};
  };
  const auto objective = make_objective(ChainProblem{data, features, own}, 1);
  std::vector<double> gradient(features.parameters());
  double expected = 0;  // Σ log |Y|
  for (std::size_t s = 0; s < data.sentence_count(); ++s) {
    double first = 1, others = 2;  // sequences by their last label
    for (std::size_t t = 1; t < sentence(data, s).tokens(); ++t) {
      first = std::exchange(others, 2 * (first + others));
    }
    if (sentence(data, s).tokens() > 0) expected += std::log(first + others);
  }
  EXPECT_NEAR(objective->evaluate(std::vector<double>(gradient.size(), 0.0), gradient), expected, 1e-9);
  const Trained trained = train_tagger(data, own, features, training());
  EXPECT_TRUE(trained.result.report.converged());
  const TagPredictor predictor(trained.tagger);
  Workspace scratch;
  const std::size_t n = sentence(data, 0).tokens();
  std::vector<double> mine(n * 3), all(n * 3);
  predictor.outputs(sentence(data, 0), mine, scratch);
  predictor.marginals(sentence(data, 0), all, scratch);
  EXPECT_NE(mine, all);
}

TEST(Chains, UnknownLosses) {
  const auto message = [](const std::string& text) {
    return test::message_of([&] { TaggingLoss{3}(text)(2); });
  };
  EXPECT_THAT(message("crff"), testing::HasSubstr("crf"));
  EXPECT_THAT(message("norm:q=2"), testing::HasSubstr("tagging needs"));
  EXPECT_THAT(message(R"({"name": "sparsemap", "polytope": {"name": "cube", "d": 3}})"),
              testing::HasSubstr("taggers have chain (the default) and sequence"));
}

TEST(Chains, SameBitsForAnyNumberOfThreads) {
  const TaggerData data = test::random_tagging({.sentences = 100, .labels = 5, .attributes = 15}, 9);
  TrainOptions options = training();
  const auto one = train_tagger(data, "crf", {}, options).tagger.parameters;
  options.threads = 2;
  EXPECT_EQ(one, train_tagger(data, "crf", {}, options).tagger.parameters);
}

TEST(Chains, WarmStart) {
  const TaggerData data = test::random_tagging({.sentences = 20, .labels = 4}, 3);
  TrainOptions options = training();
  const TaggerFeatureOptions weights{.boundary = true};
  const Tagger tagger = train_tagger(data, "crf", weights, options).tagger;
  EXPECT_EQ(transfer_parameters(tagger, data, tagger.features), tagger.parameters);
  // To more weights, and back to those in common.
  const TaggerFeatures all =
      tagger_features(data, {.all_states = true, .all_transitions = true, .boundary = true});
  const auto wider = transfer_parameters(tagger, data, all);
  const auto sum = [](const std::vector<double>& w) { return std::accumulate(w.begin(), w.end(), 0.0); };
  EXPECT_EQ(wider.size(), all.parameters());
  EXPECT_NEAR(sum(wider), sum(tagger.parameters), 1e-9);
  options.start = tagger.parameters;
  EXPECT_LE(train_tagger(data, "crf", weights, options).result.report.iterations, 2);
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

TEST(Chains, SomeOfConll2000) {
  const auto folder = test::data_dir();
  if (!folder) GTEST_SKIP() << "skipped: no data";
  const auto train =
      std::make_shared<TaggerData>(first_sentences(*folder / "conll2000" / "train.txt.gz", 150));
  const TaggerData held_out = first_sentences(*folder / "conll2000" / "test.txt.gz", 200);
  // Squared counts of transitions do worse than any other: they prefer chunks that change.
  for (const auto& [loss, least] : {std::pair<std::string, double>{"crf", 75},
                                    {"sparsemap", 70},
                                    {"sparsemap:polytope=sequence", 75},
                                    {"hinge", 75}}) {
    const auto fit = make_fit(std::shared_ptr<const TaggerData>(train),
                              {.omega = loss, .lambda = 0.1, .max_iterations = 20, .threads = 1});
    run(fit->algorithm());
    EXPECT_GT(chunk_f1(std::get<Tagger>(fit->model()), held_out), least) << loss;
  }
}

}  // namespace
}  // namespace fenchel
