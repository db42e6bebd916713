// SPDX-License-Identifier: Apache-2.0
// Weights of sentences and distributions of labels, for every loss over chains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/models/tagger_corpus.hpp"
#include "fenchel/polytopes/chain.hpp"
#include "fenchel/regularizers/sparsemap.hpp"
#include "fenchel/training/fit.hpp"
#include "fenchel/training/problem.hpp"
#include "messages.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel {
namespace {

const std::vector<std::string> losses{"crf",        "sparsemap",  "sparsemap:polytope=sequence",
                                      "hinge",      "entropic",   "hinge:polytope=sequence",
                                      "perceptron", "crf+margin", "structured_sparsemax"};

struct Evaluated {
  double value = 0;
  std::vector<double> gradient;
};

// F and its gradient, as a whole and one sentence at a time.
std::vector<Evaluated> evaluate(const TaggerData& data, const TaggerFeatures& features,
                                const std::string& loss, std::span<const double> w) {
  const ChainProblem problem{data, features, TaggingLoss{features.labels, features.boundary}(loss)};
  std::vector<Evaluated> found(2);
  for (Evaluated& each : found) each.gradient.resize(w.size());
  found[0].value = make_objective(problem, 1)->evaluate(w, found[0].gradient);
  const auto examples = make_examples(problem);
  Workspace scratch;
  for (std::size_t i = 0; i < examples->size(); ++i) {
    std::vector<double> theta(examples->scores_size(i));
    std::vector<double> gradient(theta.size());
    examples->scores(i, w, theta);
    found[1].value += examples->loss(i, theta, gradient, scratch);
    examples->add(i, gradient, 1, found[1].gradient);
  }
  return found;
}

void expect_near(const Evaluated& a, const Evaluated& b, double tolerance) {
  EXPECT_NEAR(a.value, b.value, tolerance * (1 + std::abs(b.value)));
  ASSERT_EQ(a.gradient.size(), b.gradient.size());
  for (std::size_t j = 0; j < a.gradient.size(); ++j)
    EXPECT_NEAR(a.gradient[j], b.gradient[j], tolerance) << j;
}

TaggerData sentences() { return test::random_tagging({.sentences = 9, .labels = 3, .values = true}, 8); }

// The same with random distributions in place of about half of the labels.
TaggerData softened(const TaggerData& data, std::uint64_t seed) {
  TaggerData soft = data;
  soft.labels.clear();
  Random random(seed);
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    std::vector<double> p(data.label_names.size());
    p[static_cast<std::size_t>(data.labels[t])] = 1;
    if (random.uniform() < 0.5) {
      const double share = 0.2 + 0.5 * random.uniform();
      const std::size_t other = (static_cast<std::size_t>(data.labels[t]) + 1) % p.size();
      p[static_cast<std::size_t>(data.labels[t])] = 1 - share;
      p[other] = share;
    }
    soft.add_label("p", p);
  }
  return soft;
}

// Every sequence of a sentence that its distributions allow, weighted by its probability.
TaggerData spelt_out(const TaggerData& soft) {
  std::vector<std::size_t> numbers;
  std::vector<std::int32_t> labels;
  std::vector<double> weights;
  for (std::size_t s = 0; s < soft.sentence_count(); ++s) {
    const auto first = static_cast<std::size_t>(soft.sentences[s]);
    const auto n = static_cast<std::size_t>(soft.sentences[s + 1]) - first;
    for (const auto& sequence : test::all_sequences(n, soft.label_names.size())) {
      double weight = soft.weight(s);
      for (std::size_t t = 0; t < n; ++t) {
        double p = 0;
        soft.for_each_label(first + t, [&](std::int32_t label, double share) {
          if (label == sequence[t]) p = share;
        });
        weight *= p;
      }
      if (weight == 0) continue;
      numbers.push_back(s);
      weights.push_back(weight);
      labels.insert(labels.end(), sequence.begin(), sequence.end());
    }
  }
  TaggerData hard = select_sentences(soft, numbers);
  hard.soft = {};
  hard.labels = labels;
  hard.weights = weights;
  return hard;
}

TEST(ChainLosses, WeightsAreRepetitions) {
  TaggerData data = softened(sentences(), 5);
  const TaggerFeatures features = tagger_features(data, {.all_states = true, .boundary = true});
  const std::vector<double> w = test::random_weights(features.parameters(), 1, 3);
  std::vector<std::size_t> repeated;
  for (std::size_t s = 0; s < data.sentence_count(); ++s) {
    data.weights.push_back(static_cast<double>(s % 3));
    repeated.insert(repeated.end(), s % 3, s);
  }
  TaggerData copies = select_sentences(data, repeated);
  copies.weights.clear();
  for (const std::string& loss : losses) {
    SCOPED_TRACE(loss);
    const auto weighted = evaluate(data, features, loss, w);
    const auto many = evaluate(copies, features, loss, w);
    for (std::size_t k = 0; k < 2; ++k) expect_near(weighted[k], many[k], 1e-10);
    expect_near(weighted[0], weighted[1], 1e-10);
  }
}

TEST(ChainLosses, CertainDistributionsAreLabels) {
  const TaggerData data = sentences();
  TaggerData certain = data;
  certain.labels.clear();
  for (const std::int32_t label : data.labels) {
    std::vector<double> p(data.label_names.size());
    p[static_cast<std::size_t>(label)] = 1;
    certain.add_label("p", p);
  }
  EXPECT_FALSE(certain.soft.empty());
  EXPECT_EQ(certain.labels, data.labels);
  const TaggerFeatures features = tagger_features(data);
  EXPECT_EQ(tagger_features(certain).states, features.states);
  EXPECT_EQ(tagger_features(certain).transitions, features.transitions);
  const std::vector<double> w = test::random_weights(features.parameters(), 1, 3);
  for (const std::string& loss : losses) {
    const auto hard = evaluate(data, features, loss, w);
    const auto soft = evaluate(certain, features, loss, w);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(hard[k].value, soft[k].value) << loss;
      EXPECT_EQ(hard[k].gradient, soft[k].gradient) << loss;
    }
  }
}

TEST(ChainLosses, RandomFieldOfDistributionsIsTheirDivergence) {
  const TaggerData soft = softened(sentences(), 6);
  const TaggerFeatures features = tagger_features(soft, {.all_states = true, .boundary = true});
  const std::vector<double> w = test::random_weights(features.parameters(), 1, 3);
  const TaggerData hard = spelt_out(soft);
  const auto mixed = evaluate(hard, features, "crf", w);
  double entropy = 0;
  for (const double q : hard.weights) entropy -= q * std::log(q);
  for (const Evaluated& found : evaluate(soft, features, "crf", w)) {
    EXPECT_NEAR(found.value, mixed[0].value - entropy, 1e-10);
    expect_near({0, found.gradient}, {0, mixed[0].gradient}, 1e-10);
  }
}

TEST(ChainLosses, GradientsOfDistributionsAreMeansOverSequences) {
  // Without a cost: that of the mean is not the mean of the costs.
  const TaggerData soft = softened(sentences(), 7);
  const TaggerFeatures features = tagger_features(soft, {.all_states = true});
  const std::vector<double> w = test::random_weights(features.parameters(), 1, 4);
  const TaggerData hard = spelt_out(soft);
  for (const std::string loss :
       {"sparsemap", "sparsemap:polytope=sequence", "entropic", "structured_sparsemax"}) {
    SCOPED_TRACE(loss);
    const auto mixed = evaluate(hard, features, loss, w);
    for (const Evaluated& found : evaluate(soft, features, loss, w)) {
      expect_near({0, found.gradient}, {0, mixed[0].gradient}, 1e-8);
    }
  }
}

TEST(ChainLosses, SparseMapOfDistributionsFromTheDefinition) {
  const TaggerData soft = softened(test::random_tagging({.sentences = 1, .labels = 3}, 12), 7);
  const TaggerFeatures features = tagger_features(soft, {.all_states = true});
  const std::vector<double> w = test::random_weights(features.parameters(), 1, 4);
  const TaggerData hard = spelt_out(soft);
  const std::size_t n = soft.tokens();
  ASSERT_GE(n, 2U);
  const Chain chain{n, 3};
  std::vector<double> y(chain.dimension());
  std::vector<double> dense(y.size());
  for (std::size_t s = 0; s < hard.sentence_count(); ++s) {
    const auto labels = test::labels_of(hard, s);
    write(chain.structure(std::vector<int>(labels.begin(), labels.end())), dense);
    for (std::size_t k = 0; k < y.size(); ++k) y[k] += hard.weights[s] * dense[k];
  }
  const ChainProblem problem{soft, features, TaggingLoss{3}("sparsemap")};
  std::vector<double> theta(y.size());
  make_examples(problem)->scores(0, w, theta);
  const double expected = FenchelYoungLoss{SparseMap{chain}}.value(theta, y);
  EXPECT_NEAR(evaluate(soft, features, "sparsemap", w)[0].value, expected, 1e-10);
}

// A clamp of a loss that should not be there would show as a value below a tangent elsewhere.
TEST(ChainLosses, ValuesLieAboveTangents) {
  const TaggerData soft = softened(sentences(), 9);
  const TaggerFeatures features = tagger_features(soft, {.all_states = true});
  for (const std::string& loss : losses) {
    std::vector<std::vector<double>> points;
    std::vector<Evaluated> found;
    for (const double scale : {0.0, 0.3, 3.0, 100.0}) {
      points.push_back(test::random_weights(features.parameters(), scale, 4));
      found.push_back(evaluate(soft, features, loss, points.back())[0]);
    }
    for (std::size_t a = 0; a < points.size(); ++a) {
      for (std::size_t b = 0; b < points.size(); ++b) {
        double tangent = found[b].value;
        for (std::size_t k = 0; k < points[a].size(); ++k) {
          tangent += found[b].gradient[k] * (points[a][k] - points[b][k]);
        }
        EXPECT_GE(found[a].value, tangent - 1e-9 * (1 + std::abs(tangent))) << loss << " " << a << " " << b;
      }
    }
  }
}

TEST(ChainLosses, LabelsBeyondThoseOfTheFeaturesAreRefused) {
  TaggerData data = softened(sentences(), 5);
  const TaggerFeatures features = tagger_features(data);
  data.label_names.add("another");
  data.soft.labels.back() = 3;
  const ChainProblem problem{data, features, TaggingLoss{features.labels}("sparsemap")};
  EXPECT_THROW(make_examples(problem), std::invalid_argument);
  EXPECT_THROW(make_objective(problem, 1), std::invalid_argument);
  data.labels[0] = -1;
  EXPECT_THROW(with_soft_labels(data), std::invalid_argument);
}

TEST(ChainLosses, ProbabilitiesMayBeZero) {
  const TaggerData hard = sentences();
  TaggerData zeros = hard;
  zeros.soft.offsets = {0};
  for (std::size_t t = 0; t < hard.tokens(); ++t) {
    for (std::int32_t label = 0; label < 3; ++label) {
      zeros.soft.labels.push_back(label);
      zeros.soft.probabilities.push_back(label == hard.labels[t] ? 1 : 0);
    }
    zeros.soft.offsets.push_back(static_cast<std::int64_t>(zeros.soft.labels.size()));
  }
  const TaggerFeatures features = tagger_features(hard, {.all_states = true});
  const std::vector<double> w = test::random_weights(features.parameters(), 1, 3);
  for (const std::string& loss : losses) {
    SCOPED_TRACE(loss);
    const auto expected = evaluate(hard, features, loss, w);
    for (const Evaluated& found : evaluate(zeros, features, loss, w)) expect_near(found, expected[0], 1e-8);
  }
}

TEST(ChainLosses, SoftLabelsOfText) {
  TaggerData data;
  for (const char* label : {"NP:0.75,VP:0.25", "O", ",", ":", "a:b:0.5,NP:0.5"}) {
    data.labels.push_back(data.label_names.add(label));
    data.offsets.push_back(0);
  }
  data.sentences.push_back(5);
  const TaggerData soft = with_soft_labels(data);
  soft.check();
  EXPECT_EQ(soft.label_names.strings(), (std::vector<std::string>{"NP", "VP", "O", ",", ":", "a:b"}));
  EXPECT_EQ(soft.soft.labels, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 0, 5}));
  EXPECT_EQ(soft.soft.probabilities, (std::vector<double>{0.75, 0.25, 1, 1, 1, 0.5, 0.5}));
  EXPECT_EQ(soft.labels, (std::vector<std::int32_t>{0, 2, 3, 4, 0}));
  for (const char* wrong : {"NP:0.75", "NP:x,VP:1", ":1", "NP:1.5,VP:-0.5", "NP:0.5,VP", "NP:nan"}) {
    TaggerData bad = data;
    bad.labels[0] = bad.label_names.add(wrong);
    EXPECT_THROW(with_soft_labels(bad), std::invalid_argument) << wrong;
  }
}

TEST(ChainLosses, BadWeightsAndDistributionsAreNamed) {
  const auto message = [](const auto& change) {
    TaggerData data = softened(sentences(), 5);
    change(data);
    return test::message_of([&] { data.check(); });
  };
  using testing::HasSubstr;
  const std::size_t count = sentences().sentence_count();
  EXPECT_THAT(message([](TaggerData& data) { data.weights = {1, 2}; }), HasSubstr("weights"));
  for (const double wrong : {-1.0, std::nan(""), infinity}) {
    EXPECT_THAT(message([&](TaggerData& data) {
                  data.weights.assign(count, 1);
                  data.weights[3] = wrong;
                }),
                HasSubstr("weights[3] is"));
  }
  EXPECT_THAT(message([](TaggerData& data) { data.soft.probabilities[0] += 0.1; }),
              HasSubstr("soft.probabilities"));
  EXPECT_THAT(message([](TaggerData& data) { data.soft.probabilities[0] = std::nan(""); }),
              HasSubstr("soft.probabilities"));
  EXPECT_THAT(message([](TaggerData& data) { data.soft.labels[0] = 7; }), HasSubstr("soft.labels[0] is 7"));
  EXPECT_THAT(message([](TaggerData& data) { data.soft.offsets.pop_back(); }), HasSubstr("soft.offsets"));
  TaggerData data;
  data.label_names.add("a");
  data.label_names.add("b");
  EXPECT_THAT(test::message_of([&] {
                data.add_label("y[0]", std::vector<double>{0.5, 0.4});
              }),
              HasSubstr("y[0]"));
}

}  // namespace
}  // namespace fenchel
