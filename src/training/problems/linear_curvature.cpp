// SPDX-License-Identifier: Apache-2.0
// The curvature of a linear objective: ∇²F = Σ_i w_i (∂ŷ_i/∂θ) ⊗ x_i x_iᵀ, about the Jacobian at θ = 0 times
// the second moments of the features.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/feature_moments.hpp"
#include "losses/row_loss.hpp"
#include "training/problems/gemm.hpp"
#include "training/problems/linear_parts.hpp"

namespace fenchel {
namespace {

constexpr std::size_t joint_rows = 256;     // rows of features that are multiplied at once
constexpr std::size_t joint_columns = 128;  // by one thread
constexpr std::size_t most_joint = 2048;    // features: a factorisation of a second
constexpr double most_slower = 8;           // an evaluation may take that many times as long afterwards

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

// The diagonals of ∂ŷ_i/∂θ near w, one row per example. What is flat there gets a small part of the mean: it
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
      problem.x.for_each(i, [&](std::size_t j, double value) {
        for (std::size_t k = 0; k < outputs; ++k) theta[k] += value * w[j * outputs + k];
      });
      if (!usable_scores(theta)) continue;
      problem.loss.omega().predict(theta, prediction, scratch);
      for (std::size_t k = 0; k < outputs; ++k) {
        direction[k] = 1;
        problem.loss.omega().jvp(theta, prediction, direction, change, scratch);
        direction[k] = 0;
        slopes(i, k) = change[k] > 0 && std::isfinite(change[k]) ? change[k] : 0;
      }
    }
  });
  const double least = least_share * sum_of(slopes.entries()) / static_cast<double>(n * outputs);
  for (double& slope : slopes.entries()) slope += least;
  return slopes;
}

// Rows from, …, to − 1 of the second moments of the features less `shift` and of a constant 1 for the
// intercept, examples weighted by `weight`: the lower triangle. Dense features by
// products of blocks.
template <Real T, class Weight>
void add_dense_moments(const LinearProblem<T>& problem, std::span<const double> shift, Weight weight,
                       std::size_t from, std::size_t to, Matrix<double>& out) {
  const std::size_t n = problem.examples(), p = problem.features(), size = out.rows();
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto memory = scratch.take<double>(joint_rows * size);
  for (std::size_t first = 0; first < n; first += joint_rows) {
    const std::size_t rows = std::min(joint_rows, n - first);
    for (std::size_t i = first; i < first + rows; ++i) {
      double* row = memory.data() + (i - first) * size;
      const double factor = std::sqrt(weight(i));
      const auto x = problem.x.dense_rows().row(i);
      for (std::size_t j = 0; j < p; ++j) row[j] = factor * (static_cast<double>(x[j]) - shift[j]);
      if (size > p) row[p] = factor;
    }
    const MatrixView<const double> columns(memory.data() + from, rows, to - from, size);
    const MatrixView<const double> lower(memory.data(), rows, to, size);
    const MatrixView<double> product(out.entries().data() + from * size, to - from, to, size);
    multiply<double>(columns, true, lower, 1, product);
  }
}

// Sparse features pair by pair; the shift comes off afterwards: Σ (x − m)(x − m)ᵀ = Σ x xᵀ − a mᵀ − m aᵀ + s
// m mᵀ with a = Σ x and s the number of examples, all weighted.
template <Real T, class Weight>
void add_sparse_moments(const LinearProblem<T>& problem, std::span<const double> shift, Weight weight,
                        std::size_t from, std::size_t to, Matrix<double>& out) {
  const std::size_t p = problem.features(), size = out.rows();
  const auto& x = problem.x.sparse_rows();
  std::vector<double> sum(size, 0.0);  // a, and s for the intercept
  double total = 0;
  for (std::size_t i = 0; i < problem.examples(); ++i) {
    const auto columns = x.indices(i);
    const auto values = x.values(i);
    const double w = weight(i);
    total += w;
    for (std::size_t e = 0; e < columns.size(); ++e) {
      const auto j = static_cast<std::size_t>(columns[e]);
      const double value = w * static_cast<double>(values[e]);
      sum[j] += value;
      if (j < from || j >= to) continue;
      for (std::size_t f = 0; f <= e; ++f) {
        out(j, static_cast<std::size_t>(columns[f])) += value * static_cast<double>(values[f]);
      }
    }
  }
  for (std::size_t j = from; j < std::min(to, p); ++j) {
    for (std::size_t l = 0; l <= j; ++l) {
      out(j, l) += total * shift[j] * shift[l] - sum[j] * shift[l] - shift[j] * sum[l];
    }
  }
  if (to <= p) return;
  for (std::size_t l = 0; l < p; ++l) out(p, l) = sum[l] - total * shift[l];
  out(p, p) = total;
}

}  // namespace

template <Real T>
std::vector<Matrix<double>> joint_linear_curvature(const LinearProblem<T>& problem, std::span<const double> w,
                                                   int threads) {
  const std::size_t p = problem.features();
  const std::size_t size = p + (problem.intercept == Intercept::none ? 0 : 1);
  std::vector<double> shift(p, 0.0);
  if (problem.intercept == Intercept::free) {
    shift = feature_moments(problem.x, problem.weights).mean;
  } else {
    std::ranges::copy(problem.center, shift.begin());
  }
  const double everywhere = typical_slope(problem.loss.omega(), problem.outputs);
  const Matrix<double> slopes = w.empty() ? Matrix<double>() : slopes_at(problem, w, threads);
  std::vector<Matrix<double>> out(w.empty() ? 1 : problem.outputs, Matrix<double>(size, size));
  const std::size_t parts = (size + joint_columns - 1) / joint_columns;
  for_each_block(out.size() * parts, 1, threads, [&](std::size_t task, std::size_t) {
    const std::size_t k = task / parts, from = task % parts * joint_columns;
    const std::size_t to = std::min(from + joint_columns, size);
    const auto weight = [&](std::size_t i) {
      return (slopes.empty() ? everywhere : slopes(i, k)) *
             (problem.weights.empty() ? 1.0 : problem.weights[i]);
    };
    if (problem.x.sparse()) {
      add_sparse_moments(problem, shift, weight, from, to, out[k]);
    } else {
      add_dense_moments(problem, shift, weight, from, to, out[k]);
    }
  });
  return out;
}

template <Real T>
Curvature linear_curvature(const LinearProblem<T>& problem) {
  const FeatureMoments moments = feature_moments(problem.x, problem.weights);
  const double slope = typical_slope(problem.loss.omega(), problem.outputs);
  const bool free = problem.intercept == Intercept::free;
  Curvature out;
  for (std::size_t j = 0; j < problem.features(); ++j) {
    const double mean = moments.mean[j] - (problem.center.empty() ? 0 : problem.center[j]);
    out.diagonal.push_back(slope * (moments.deviations[j] + (free ? 0 : moments.weight * mean * mean)));
    if (free) out.mean.push_back(mean);
  }
  if (problem.intercept != Intercept::none) out.diagonal.push_back(slope * moments.weight);
  return out;
}

template <Real T>
double joint_linear_curvature_cost(const LinearProblem<T>& problem) {
  const auto p = static_cast<double>(problem.features()), stored = static_cast<double>(problem.x.size());
  const double slower = 1 + p * p / stored;  // every evaluation afterwards: it takes some p² · outputs more
  if (problem.features() > most_joint || slower > most_slower) return infinity;
  double pairs = 0;
  for (std::size_t i = 0; i < problem.examples(); ++i) {
    const auto row = problem.x.sparse() ? static_cast<double>(problem.x.sparse_rows().indices(i).size()) : p;
    pairs += row * row;
  }
  // In double, and copied first: half as fast as an evaluation. What makes evaluations slow has to pay off
  // too.
  const double work = 2 * (pairs + p * p * p / 3);
  return slower * slower * work / (4 * stored * static_cast<double>(problem.outputs));
}

template Curvature linear_curvature(const LinearProblem<float>&);
template Curvature linear_curvature(const LinearProblem<double>&);
template std::vector<Matrix<double>> joint_linear_curvature(const LinearProblem<float>&,
                                                            std::span<const double>, int);
template std::vector<Matrix<double>> joint_linear_curvature(const LinearProblem<double>&,
                                                            std::span<const double>, int);
template double joint_linear_curvature_cost(const LinearProblem<float>&);
template double joint_linear_curvature_cost(const LinearProblem<double>&);

}  // namespace fenchel
