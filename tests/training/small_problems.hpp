// SPDX-License-Identifier: Apache-2.0
// Small random problems for tests of training algorithms, their objective from its definition, and how to run
// an algorithm to its end.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/problem.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel::test {

/// Features and targets that a problem's views point at.
struct SmallData {
  Matrix<double> dense;
  CsrMatrix<double> sparse;
  std::vector<std::int32_t> labels;
  Matrix<double> targets;
  std::vector<double> weights;
  std::vector<double> center;
};

/// n × p features, about a third of them 0, the same in `dense` and `sparse`; row 2 is all 0. Labels follow
/// the scores of a random W, with noise; targets are one-hot or random points of the simplex.
inline SmallData small_data(std::size_t n, std::size_t p, std::size_t outputs, std::uint64_t seed) {
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

/// F(W) + G(W) from the definition.
inline double objective_of(const LinearProblem<double>& problem, const Penalty& penalty,
                           std::span<const double> w) {
  const std::size_t k = problem.outputs;
  const FenchelYoungLoss<AnyRegularizer> loss{problem.omega};
  double total = penalty.value(w.first(problem.shape().penalised), k);
  std::vector<double> theta(k), y(k), cost(k);
  for (std::size_t i = 0; i < problem.examples(); ++i) {
    std::vector<double> x(problem.features(), 0.0);
    if (problem.x.sparse()) {
      const auto indices = problem.x.sparse_rows().indices(i);
      for (std::size_t e = 0; e < indices.size(); ++e)
        x[static_cast<std::size_t>(indices[e])] = problem.x.sparse_rows().values(i)[e];
    } else {
      std::ranges::copy(problem.x.dense_rows().row(i), x.begin());
    }
    for (std::size_t j = 0; j < problem.center.size(); ++j) x[j] -= problem.center[j];
    if (problem.intercept != Intercept::none) x.push_back(1);
    std::ranges::fill(y, 0.0);
    if (problem.y.are_labels()) {
      y[static_cast<std::size_t>(problem.y.label(i))] = 1;
    } else {
      std::ranges::copy(problem.y.rows().row(i), y.begin());
    }
    problem.cost.write(y, cost);
    for (std::size_t c = 0; c < k; ++c) {
      theta[c] = cost[c];
      for (std::size_t j = 0; j < x.size(); ++j) theta[c] += x[j] * w[j * k + c];
    }
    total += (problem.weights.empty() ? 1 : problem.weights[i]) *
             loss.value(std::span<const double>(theta), std::span<const double>(y));
  }
  return total;
}

/// Steps until done, checking what every standing promises.
inline Standing run_to_end(Algorithm& algorithm) {
  Standing standing;
  while (!standing.done) {
    standing = algorithm.step();
    EXPECT_TRUE(std::isfinite(standing.objective));
    EXPECT_GE(standing.gap.value_or(0), 0);
    if (standing.gap && standing.dual) {
      EXPECT_NEAR(*standing.dual + *standing.gap, standing.objective,
                  1e-9 * (1 + std::abs(standing.objective)));
    }
  }
  return standing;
}

/// Runs one algorithm through, another for `before` steps, and a third from the second's state to the end:
/// the same bits.
inline void expect_resumes(const std::function<std::unique_ptr<Algorithm>()>& make, int before, int after) {
  const auto whole = make();
  for (int t = 0; t < before + after; ++t) whole->step();
  const auto first = make();
  for (int t = 0; t < before; ++t) first->step();
  const auto second = make();
  second->restore(first->save());
  Standing last;
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
