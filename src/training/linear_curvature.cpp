// SPDX-License-Identifier: Apache-2.0
// The curvature of a linear objective: ∇²F = Σ_i w_i (∂ŷ_i/∂θ) ⊗ x_i x_iᵀ, about the Jacobian at θ = 0 times
// the second moments of the features.
#include <algorithm>
#include <cmath>
#include <vector>

#include "training/gemm.hpp"
#include "training/linear_parts.hpp"

namespace fenchel {
namespace {

constexpr std::size_t joint_rows = 256;     // rows of features that are multiplied at once
constexpr std::size_t joint_columns = 128;  // by one thread
constexpr std::size_t most_joint = 2048;    // features: a factorisation of a second

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

// The diagonals of ∂ŷ_i/∂θ near w, one row an example. What is flat there gets a small part of the mean: it
// need not stay flat.
template <Real T>
Matrix<double> slopes_at(const LinearProblem<T>& problem, std::span<const double> w, int threads) {
  constexpr double least_share = 1e-3;
  const std::size_t n = problem.examples(), p = problem.features(), outputs = problem.outputs;
  Matrix<double> slopes(n, outputs);
  std::vector<double> offset(outputs, 0.0);
  if (problem.intercept != Intercept::none) std::ranges::copy(w.subspan(p * outputs), offset.begin());
  for (std::size_t j = 0; j < problem.center.size(); ++j) {
    for (std::size_t k = 0; k < outputs; ++k) offset[k] -= problem.center[j] * w[j * outputs + k];
  }
  for_each_block(n, joint_rows, threads, [&](std::size_t first, std::size_t last) {
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto theta = scratch.take<double>(outputs), prediction = scratch.take<double>(outputs);
    const auto direction = scratch.take<double>(outputs), change = scratch.take<double>(outputs);
    std::ranges::fill(direction, 0.0);
    for (std::size_t i = first; i < last; ++i) {
      std::ranges::copy(offset, theta.begin());
      for_each_entry(problem.x, i, [&](std::size_t j, double value) {
        for (std::size_t k = 0; k < outputs; ++k) theta[k] += value * w[j * outputs + k];
      });
      problem.omega.predict(theta, prediction, scratch);
      for (std::size_t k = 0; k < outputs; ++k) {
        direction[k] = 1;
        problem.omega.jvp(theta, prediction, direction, change, scratch);
        direction[k] = 0;
        slopes(i, k) = change[k] > 0 && std::isfinite(change[k]) ? change[k] : 0;
      }
    }
  });
  const double least = least_share * sum_of(slopes.entries()) / static_cast<double>(n * outputs);
  for (double& slope : slopes.entries()) slope += least;
  return slopes;
}

// The second moments of the features less `shift` and of a constant 1 for the intercept, examples weighted by
// their weights and by `slope`: the lower triangle.
template <Real T, class Slope>
void add_moments(const LinearProblem<T>& problem, std::span<const double> shift, Slope slope,
                 std::size_t from, std::size_t to, Matrix<double>& out) {
  const std::size_t n = problem.examples(), p = problem.features(), size = out.rows();
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto memory = scratch.take<double>(joint_rows * size);
  for (std::size_t first = 0; first < n; first += joint_rows) {
    const std::size_t rows = std::min(joint_rows, n - first);
    for (std::size_t i = first; i < first + rows; ++i) {
      double* row = memory.data() + (i - first) * size;
      const double factor = std::sqrt(slope(i) * (problem.weights.empty() ? 1.0 : problem.weights[i]));
      for (std::size_t j = 0; j < p; ++j) row[j] = -factor * shift[j];
      for_each_entry(problem.x, i, [&](std::size_t j, double value) { row[j] += factor * value; });
      if (size > p) row[p] = factor;
    }
    const MatrixView<const double> columns(memory.data() + from, rows, to - from, size);
    const MatrixView<const double> lower(memory.data(), rows, to, size);
    const MatrixView<double> product(out.entries().data() + from * size, to - from, to, size);
    multiply<double>(columns, true, lower, 1, product);
  }
}

template <Real T>
std::vector<Matrix<double>> make_joint(const LinearProblem<T>& problem, std::span<const double> w,
                                       int threads) {
  const std::size_t p = problem.features();
  const std::size_t size = p + (problem.intercept == Intercept::none ? 0 : 1);
  std::vector<double> shift(p, 0.0);
  if (problem.intercept == Intercept::free) {
    shift = moments_of(problem).mean;
  } else {
    std::ranges::copy(problem.center, shift.begin());
  }
  const double everywhere = typical_slope(problem.omega, problem.outputs);
  const Matrix<double> slopes = w.empty() ? Matrix<double>() : slopes_at(problem, w, threads);
  std::vector<Matrix<double>> out(w.empty() ? 1 : problem.outputs, Matrix<double>(size, size));
  const std::size_t parts = (size + joint_columns - 1) / joint_columns;
  for_each_block(out.size() * parts, 1, threads, [&](std::size_t task, std::size_t) {
    const std::size_t k = task / parts, from = task % parts * joint_columns;
    const auto slope = [&](std::size_t i) { return slopes.empty() ? everywhere : slopes(i, k); };
    add_moments(problem, shift, slope, from, std::min(from + joint_columns, size), out[k]);
  });
  return out;
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

std::vector<Matrix<double>> joint_linear_curvature(const LinearProblem<float>& problem,
                                                   std::span<const double> w, int threads) {
  return make_joint(problem, w, threads);
}
std::vector<Matrix<double>> joint_linear_curvature(const LinearProblem<double>& problem,
                                                   std::span<const double> w, int threads) {
  return make_joint(problem, w, threads);
}

double joint_linear_curvature_cost(std::size_t features, std::size_t examples, std::size_t stored,
                                   std::size_t outputs) {
  const auto p = static_cast<double>(features), n = static_cast<double>(examples);
  const auto evaluation = 4 * static_cast<double>(stored) * static_cast<double>(outputs);
  // Afterwards every evaluation takes some p² · outputs more.
  if (features > most_joint || p * p > static_cast<double>(stored)) return infinity;
  return (n * p * p + p * p * p / 3) / evaluation;
}

}  // namespace fenchel
