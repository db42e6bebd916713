// SPDX-License-Identifier: Apache-2.0
// The curvature of a linear objective: ∇²F = Σ_i w_i (∂ŷ_i/∂θ) ⊗ x_i x_iᵀ, about the Jacobian at θ = 0 times
// the second moments of the features.
#include <algorithm>
#include <cmath>
#include <vector>

#include "training/linear_parts.hpp"

namespace fenchel {
namespace {

// Means of the features and mean squares of what differs from them.
struct Moments {
  double weight = 0;  // of all examples
  std::vector<double> mean, variance;
};

template <Real T, class Body>
void for_each_entry(const FeaturesView<T>& x, std::size_t i, Body body) {
  if (x.sparse()) {
    const auto columns = x.sparse_rows().indices(i);
    const auto values = x.sparse_rows().values(i);
    for (std::size_t e = 0; e < columns.size(); ++e) {
      body(static_cast<std::size_t>(columns[e]), static_cast<double>(values[e]));
    }
  } else {
    const auto row = x.dense_rows().row(i);
    for (std::size_t j = 0; j < row.size(); ++j) body(j, static_cast<double>(row[j]));
  }
}

template <Real T>
Moments moments_of(const LinearProblem<T>& problem) {
  const std::size_t n = problem.examples(), p = problem.features();
  const auto weight = [&](std::size_t i) { return problem.weights.empty() ? 1.0 : problem.weights[i]; };
  Moments out{0, std::vector<double>(p, 0.0), std::vector<double>(p, 0.0)};
  std::vector<double> stored(p, 0.0);  // the weight of rows that hold an entry; the others are 0
  for (std::size_t i = 0; i < n; ++i) {
    const double w = weight(i);
    out.weight += w;
    for_each_entry(problem.x, i, [&](std::size_t j, double value) {
      out.mean[j] += w * value;
      stored[j] += w;
    });
  }
  if (!(out.weight > 0)) return out;
  for (double& mean : out.mean) mean /= out.weight;
  for (std::size_t i = 0; i < n; ++i) {
    const double w = weight(i);
    for_each_entry(problem.x, i, [&](std::size_t j, double value) {
      const double away = value - out.mean[j];
      out.variance[j] += w * away * away;
    });
  }
  for (std::size_t j = 0; j < p; ++j) {
    out.variance[j] += std::max(out.weight - stored[j], 0.0) * out.mean[j] * out.mean[j];
    out.variance[j] /= out.weight;
  }
  return out;
}

// An entry of the diagonal of ∂ŷ/∂θ at θ = 0, which stands for all of them.
double typical_slope(const AnyRegularizer& omega, std::size_t outputs) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto theta = scratch.take<double>(outputs), prediction = scratch.take<double>(outputs);
  const auto direction = scratch.take<double>(outputs), change = scratch.take<double>(outputs);
  std::ranges::fill(theta, 0.0);
  std::ranges::fill(direction, 0.0);
  direction[0] = 1;
  omega.predict(theta, prediction, scratch);
  omega.jvp(theta, prediction, direction, change, scratch);
  return change[0] > 0 && std::isfinite(change[0]) ? change[0] : 1.0 / static_cast<double>(outputs);
}

template <Real T>
Curvature make(const LinearProblem<T>& problem) {
  const Moments moments = moments_of(problem);
  const double slope = typical_slope(problem.omega, problem.outputs) * moments.weight;
  const bool free = problem.intercept == Intercept::free;
  Curvature out;
  for (std::size_t j = 0; j < problem.features(); ++j) {
    const double mean = moments.mean[j] - (problem.center.empty() ? 0 : problem.center[j]);
    out.diagonal.push_back(slope * (moments.variance[j] + (free ? 0 : mean * mean)));
    if (free) out.mean.push_back(mean);
  }
  if (problem.intercept != Intercept::none) out.diagonal.push_back(slope);
  return out;
}

}  // namespace

Curvature linear_curvature(const LinearProblem<float>& problem) { return make(problem); }
Curvature linear_curvature(const LinearProblem<double>& problem) { return make(problem); }

}  // namespace fenchel
