// SPDX-License-Identifier: Apache-2.0
#include "training/problems_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "fenchel/core/random.hpp"
#include "fenchel/losses/fenchel_young.hpp"

namespace fenchel::test {
namespace {

template <class T>
double plain(const LinearProblem<T>& problem, std::span<const double> w) {
  const std::size_t k = problem.outputs;
  double total = 0;
  for (std::size_t i = 0; i < problem.examples(); ++i) {
    Vector x(problem.features());
    problem.x.for_each(i, [&](std::size_t j, double value) { x[j] = value; });
    for (std::size_t j = 0; j < problem.center.size(); ++j) x[j] -= problem.center[j];
    if (problem.intercept != Intercept::none) x.push_back(1);
    Vector y(k), theta(k);
    problem.y.write(i, std::span(y));
    problem.loss.cost().write(y, theta);
    for (std::size_t c = 0; c < k; ++c) {
      for (std::size_t j = 0; j < x.size(); ++j) theta[c] += x[j] * w[j * k + c];
    }
    total += (problem.weights.empty() ? 1 : problem.weights[i]) * loss_value(problem.loss.omega(), theta, y);
  }
  return total;
}

}  // namespace

SmallData small_data(std::size_t n, std::size_t p, std::size_t outputs, std::uint64_t seed) {
  Random random(seed);
  SmallData data{.dense = Matrix<double>(n, p), .targets = Matrix<double>(n, outputs)};
  data.sparse.cols = p;
  std::vector<double> truth(p * outputs);
  for (double& entry : truth) entry = random.normal();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < p; ++j) {
      const double value = i == 2 || random.uniform() < 0.35 ? 0 : random.normal();
      data.dense(i, j) = value;
      if (value == 0) continue;
      data.sparse.indices.push_back(static_cast<std::int32_t>(j));
      data.sparse.values.push_back(value);
    }
    data.sparse.offsets.push_back(static_cast<std::int64_t>(data.sparse.values.size()));
    std::size_t best = 0;
    double top = -1e300;
    double sum = 0;
    for (std::size_t k = 0; k < outputs; ++k) {
      double score = 2 * random.normal();
      for (std::size_t j = 0; j < p; ++j) score += data.dense(i, j) * truth[j * outputs + k];
      if (score > top) best = k;
      top = std::max(top, score);
      data.targets(i, k) = random.uniform() < 0.5 && k > 0 ? 0 : random.exponential() + 0.01;
      sum += data.targets(i, k);
    }
    for (std::size_t k = 0; k < outputs; ++k) data.targets(i, k) /= sum;
    data.labels.push_back(static_cast<std::int32_t>(best));
    data.weights.push_back(i % 5 == 3 ? 0 : 0.25 + 2 * random.uniform());
  }
  for (std::size_t j = 0; j < p; ++j) data.center.push_back(0.3 * random.normal());
  return data;
}

double plain_objective(const LinearProblem<float>& problem, std::span<const double> w) {
  return plain(problem, w);
}
double plain_objective(const LinearProblem<double>& problem, std::span<const double> w) {
  return plain(problem, w);
}

LinearProblem<double> labelled_problem(const SmallData& data, const FenchelYoungLoss& loss,
                                       Intercept intercept) {
  return {.x = data.sparse,
          .y = data.labels,
          .outputs = data.targets.cols(),
          .loss = loss,
          .intercept = intercept};
}

TrainOptions single_threaded(const Penalty& penalty, double tolerance, int max_iterations) {
  TrainOptions options;
  options.penalty = penalty;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.threads = 1;
  return options;
}

double objective_of(const LinearProblem<double>& problem, const Penalty& penalty, std::span<const double> w) {
  return plain(problem, w) + penalty.value(w.first(problem.shape().penalised), problem.outputs);
}

std::string numbered(std::string_view prefix, std::size_t number) {
  std::string name(prefix);
  name += std::to_string(number);
  return name;
}

TaggerData random_tagging(const RandomTagging& shape, std::uint64_t seed) {
  Random random(seed);
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random.uniform() * static_cast<double>(n));
  };
  TaggerData data;
  for (std::size_t i = 0; i < shape.labels; ++i) data.label_names.add(numbered("L", i));
  for (std::size_t a = 0; a < shape.attributes; ++a) data.attribute_names.add(numbered("a", a));
  for (std::size_t s = 0; s < shape.sentences; ++s) {
    const std::size_t tokens = s == 1 ? 0 : 1 + below(4);
    for (std::size_t t = 0; t < tokens; ++t) {
      const std::size_t count = below(5);
      for (std::size_t k = 0; k < count; ++k) {
        data.attributes.push_back(static_cast<std::int32_t>(below(shape.attributes)));
        if (shape.values) data.values.push_back(static_cast<float>(below(9)) / 4 - 1);
      }
      const auto own = data.attribute_names.add(numbered("own", data.tokens()));
      if (t % 2 == 0) {
        data.attributes.push_back(own);
        if (shape.values) data.values.push_back(0.5F);
      }
      data.offsets.push_back(static_cast<std::int64_t>(data.attributes.size()));
      data.labels.push_back(static_cast<std::int32_t>(below(shape.labels)));
    }
    data.sentences.push_back(static_cast<std::int64_t>(data.tokens()));
  }
  return data;
}

double sequence_score(const TaggerData& data, const TaggerFeatures& features, std::span<const double> w,
                      std::size_t s, std::span<const std::int32_t> labels) {
  const auto first = static_cast<std::size_t>(data.sentences[s]);
  double score = 0;
  for (std::size_t t = 0; t < labels.size(); ++t) {
    for (auto k = static_cast<std::size_t>(data.offsets[first + t]);
         k < static_cast<std::size_t>(data.offsets[first + t + 1]); ++k) {
      const auto a = static_cast<std::size_t>(data.attributes[k]);
      for (std::size_t f = features.state_begin(a); f < features.state_begin(a + 1); ++f) {
        if (features.label(f) != labels[t]) continue;
        score += w[f] * (data.values.empty() ? 1 : static_cast<double>(data.values[k]));
      }
    }
    for (std::size_t k = 0; t > 0 && k < features.transitions.size(); ++k) {
      if (features.transitions[k] == labels[t - 1] * static_cast<std::int32_t>(features.labels) + labels[t]) {
        score += w[features.state_weights() + k];
      }
    }
  }
  if (features.boundary && !labels.empty()) {
    score += w[features.boundary_begin() + static_cast<std::size_t>(labels.front())];
    score += w[features.boundary_begin() + features.labels + static_cast<std::size_t>(labels.back())];
  }
  return score;
}

std::vector<std::vector<std::int32_t>> all_sequences(std::size_t n, std::size_t m) {
  std::vector<std::vector<std::int32_t>> out{{}};
  for (std::size_t t = 0; t < n; ++t) {
    std::vector<std::vector<std::int32_t>> longer;
    for (const auto& head : out) {
      for (std::size_t i = 0; i < m; ++i) {
        longer.push_back(head);
        longer.back().push_back(static_cast<std::int32_t>(i));
      }
    }
    out = std::move(longer);
  }
  return out;
}

std::span<const std::int32_t> labels_of(const TaggerData& data, std::size_t s) {
  const auto first = static_cast<std::size_t>(data.sentences[s]);
  return std::span(data.labels).subspan(first, static_cast<std::size_t>(data.sentences[s + 1]) - first);
}

std::vector<double> random_weights(std::size_t count, double scale, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> w(count);
  for (double& x : w) x = scale * (2 * random.uniform() - 1);
  return w;
}

StepReport run_to_end(Algorithm& algorithm) {
  StepReport last_step;
  while (!last_step.done) {
    last_step = algorithm.step();
    EXPECT_TRUE(std::isfinite(last_step.objective));
    const double rounding = 1e-9 * (1 + std::abs(last_step.objective));
    if (last_step.dual) {  // not the gap, which is clamped at 0
      EXPECT_LE(*last_step.dual, last_step.objective + rounding);
    }
    if (last_step.gap && last_step.dual) {
      EXPECT_NEAR(*last_step.dual + *last_step.gap, last_step.objective, rounding);
    }
  }
  return last_step;
}

void expect_resumes(const std::function<std::unique_ptr<Algorithm>()>& make, int before, int after) {
  const auto whole = make();
  for (int t = 0; t < before + after; ++t) whole->step();
  const auto first = make();
  for (int t = 0; t < before; ++t) first->step();
  const auto second = make();
  second->restore(first->save());
  StepReport last;
  for (int t = 0; t < after; ++t) last = second->step();
  ASSERT_EQ(whole->parameters().size(), second->parameters().size());
  for (std::size_t j = 0; j < whole->parameters().size(); ++j) {
    ASSERT_EQ(whole->parameters()[j], second->parameters()[j]) << "parameter " << j;
  }
  EXPECT_EQ(whole->report().iterations, second->report().iterations);
  EXPECT_EQ(whole->report().residual, second->report().residual);
  const State saved = whole->save();
  EXPECT_EQ(saved.arrays(), second->save().arrays());
}

}  // namespace fenchel::test
