// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "fenchel/training/problem.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel {
namespace {

using test::random_tagging;
using test::random_weights;

/// Sets with every way of having weights: seen or all, boundary or not, values or not, few and many labels.
struct Case {
  test::RandomTagging shape;
  TaggerFeatureOptions features;
};
std::vector<Case> cases() {
  return {{{}, {}},
          {{.values = true}, {.all_states = true, .all_transitions = true}},
          {{.labels = 5}, {.boundary = true}},
          {{.labels = 1}, {}},
          {{.sentences = 3, .labels = 9, .attributes = 3}, {.all_transitions = true, .boundary = true}},
          {{.sentences = 40, .labels = 4, .attributes = 2, .values = true},
           {.all_states = true, .min_count = 3}}};
}

ChainProblem problem_of(const TaggerData& data, const TaggerFeatures& features, const std::string& loss,
                        double cost = 1) {
  return {data, features, TaggingLoss{features.labels, features.boundary, cost}(loss)};
}

/// Σ_s log Σ_y exp score(y) − score(truth), or Σ_s max_y (score(y) + cost · wrong) − score(truth).
double enumerated(const TaggerData& data, const TaggerFeatures& features, std::span<const double> w,
                  const std::string& loss) {
  double sum = 0;
  for (std::size_t s = 0; s < data.sentence_count(); ++s) {
    const auto truth = test::labels_of(data, s);
    std::vector<double> scores;
    for (const auto& y : test::all_sequences(truth.size(), features.labels)) {
      double score = test::sequence_score(data, features, w, s, y);
      for (std::size_t t = 0; loss == "hinge" && t < y.size(); ++t) score += y[t] != truth[t] ? 1 : 0;
      scores.push_back(score);
    }
    const double top = std::ranges::max(scores);
    double z = 0;
    for (const double score : scores) z += std::exp(score - top);
    sum += top + (loss == "crf" ? std::log(z) : 0) - test::sequence_score(data, features, w, s, truth);
  }
  return sum;
}

TEST(ChainObjective, ValueIsThatOfTheEnumeration) {
  for (const Case& one : cases()) {
    const TaggerData data = random_tagging(one.shape, 3);
    const TaggerFeatures features = tagger_features(data, one.features);
    for (const double scale : {0.0, 0.05, 1.0, 8.0, 1000.0}) {
      const auto w = random_weights(features.parameters(), scale, 5);
      std::vector<double> gradient(w.size());
      for (const std::string loss : {"crf", "hinge", "perceptron"}) {
        const auto objective = make_objective(problem_of(data, features, loss), 1);
        const double expected = enumerated(data, features, w, loss);
        EXPECT_NEAR(objective->evaluate(w, gradient), expected,
                    1e-12 * (1 + std::abs(expected) + 100 * scale))
            << loss << " scale " << scale;
      }
    }
  }
}

TEST(ChainObjective, GradientIsThatOfFiniteDifferences) {
  for (const Case& one : cases()) {
    const TaggerData data = random_tagging(one.shape, 11);
    const TaggerFeatures features = tagger_features(data, one.features);
    for (const std::string loss : {"crf", "sparsemap", "hinge", "entropic", "structured_sparsemax"}) {
      const auto objective = make_objective(problem_of(data, features, loss), 1);
      auto w = random_weights(features.parameters(), 0.7, 7);
      std::vector<double> gradient(w.size());
      std::vector<double> unused(w.size());
      objective->evaluate(w, gradient);
      constexpr double h = 1e-6;
      for (std::size_t k = 0; k < w.size(); ++k) {
        const double at = w[k];
        w[k] = at + h;
        const double above = objective->evaluate(w, unused);
        w[k] = at - h;
        const double below = objective->evaluate(w, unused);
        w[k] = at;
        EXPECT_NEAR(gradient[k], (above - below) / (2 * h), 2e-6) << loss << " parameter " << k;
      }
    }
  }
}

/// Spread beyond the linear domain: the value and the gradient come from logarithms then.
TEST(ChainObjective, LargeWeights) {
  const TaggerData data = random_tagging({.sentences = 12}, 2);
  const TaggerFeatures features = tagger_features(data, {.boundary = true});
  const auto w = random_weights(features.parameters(), 1e6, 9);
  std::vector<double> gradient(w.size());
  const auto objective = make_objective(ChainProblem{data, features}, 1);
  const double expected = enumerated(data, features, w, "crf");
  EXPECT_NEAR(objective->evaluate(w, gradient), expected, 1e-12 * expected);
  for (const double g : gradient) EXPECT_TRUE(std::isfinite(g));
}

TEST(ChainObjective, SameBitsForAnyNumberOfThreads) {
  const TaggerData data = random_tagging({.sentences = 300, .labels = 6, .attributes = 20}, 4);
  const TaggerFeatures features = tagger_features(data, {.boundary = true});
  const auto w = random_weights(features.parameters(), 1, 6);
  for (const std::string loss : {"crf", "sparsemap", "hinge", "perceptron"}) {
    std::vector<double> one(w.size());
    std::vector<double> more(w.size());
    const double value = make_objective(problem_of(data, features, loss), 1)->evaluate(w, one);
    for (const int threads : {2, 3}) {
      const auto objective = make_objective(problem_of(data, features, loss), threads);
      for (int repeat = 0; repeat < 2; ++repeat) {
        EXPECT_EQ(value, objective->evaluate(w, more));
        EXPECT_EQ(one, more);
      }
    }
  }
}

TEST(ChainObjective, EqualsTheSumOfItsExamples) {
  for (const Case& one : cases()) {
    const TaggerData data = random_tagging(one.shape, 13);
    const TaggerFeatures features = tagger_features(data, one.features);
    const auto w = random_weights(features.parameters(), 1.5, 8);
    for (const std::string loss : {"crf", "sparsemap", "hinge", "perceptron"}) {
      const ChainProblem problem = problem_of(data, features, loss, 0.7);
      const auto objective = make_objective(problem, 1);
      const auto examples = make_examples(problem);
      std::vector<double> gradient(w.size());
      const double value = objective->evaluate(w, gradient);
      std::vector<double> sum(w.size(), 0.0);
      double total = 0;
      Workspace scratch;
      ASSERT_EQ(examples->size(), data.sentence_count());
      for (std::size_t i = 0; i < examples->size(); ++i) {
        std::vector<double> theta(examples->scores_size(i));
        std::vector<double> change(theta.size());
        examples->scores(i, w, theta);
        total += examples->loss(i, theta, change, scratch);
        examples->add(i, change, 1, sum);
      }
      EXPECT_NEAR(value, total, 1e-9 * (1 + total));
      for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(gradient[k], sum[k], 1e-7);
      EXPECT_EQ(objective->predictions().status, Status::converged);
    }
  }
}

TEST(ChainObjective, BadData) {
  TaggerData data = random_tagging({}, 3);
  const TaggerFeatures features = tagger_features(data);
  data.labels[2] = -1;
  EXPECT_THROW(make_objective(ChainProblem{data, features}), std::invalid_argument);
  EXPECT_THROW(tagger_features(data), std::invalid_argument);
  data.labels.clear();
  EXPECT_THROW(make_objective(ChainProblem{data, features}), std::invalid_argument);
  data = random_tagging({.values = true}, 3);
  data.values[0] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(make_objective(ChainProblem{data, features}), std::invalid_argument);
}

}  // namespace
}  // namespace fenchel
