// SPDX-License-Identifier: Apache-2.0
// What dense and sparse linear objectives share: residuals of a block of rows, partial sums by block, and the
// parts of the gradient that come from the intercept and from centred features.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "training/problems/linear_losses.hpp"
#include "training/problems/linear_objective.hpp"

namespace fenchel {

inline constexpr std::size_t shard_bytes = std::size_t{32} << 20;  ///< of residuals that are kept at once

// What a block of rows adds to the objective: its value, the sums of its residuals by output, and (where
// wanted) its value by output. Blocks write theirs side by side and are added up in order.
class Partials {
 public:
  void reset(std::size_t blocks, std::size_t outputs, bool by_output) {
    outputs_ = outputs;
    width_ = 1 + (by_output ? 2 : 1) * outputs;
    memory_.assign(blocks * width_, 0.0);
    reports_.assign(blocks, Report{});
  }
  std::size_t blocks() const { return reports_.size(); }
  double& value(std::size_t block) { return memory_[block * width_]; }
  Report& report(std::size_t block) { return reports_[block]; }
  std::span<double> columns(std::size_t block) { return {&memory_[block * width_ + 1], outputs_}; }
  std::span<double> values(std::size_t block) {
    return std::span(memory_).subspan(block * width_ + 1 + outputs_, width_ - 1 - outputs_);
  }

 private:
  std::size_t outputs_ = 0;
  std::size_t width_ = 0;
  std::vector<double> memory_;
  std::vector<Report> reports_;
};

/// The second moments of the features times a typical slope of Ω's predictions.
template <Real T>
Curvature linear_curvature(const LinearProblem<T>& problem);
template <Real T>
std::vector<Matrix<double>> joint_linear_curvature(const LinearProblem<T>& problem, std::span<const double> w,
                                                   int threads);
/// In evaluations of F.
template <Real T>
double joint_linear_curvature_cost(const LinearProblem<T>& problem);

// Below that many multiplications a second thread costs more than it saves.
inline constexpr double work_for_threads = 1e6;

template <Real T>
class LinearObjective : public OutputsObjective {
 public:
  LinearObjective(const LinearProblem<T>& problem, int threads)
      : problem_(problem), threads_(resolve_threads(threads)) {
    const double work = static_cast<double>(problem.x.size()) * static_cast<double>(problem.outputs);
    if (work < work_for_threads) threads_ = 1;
    separable_ = separable_outputs(problem.loss) && problem.loss.cost().empty();
  }

  ParameterShape shape() const override { return problem_.shape(); }
  bool separable() const override { return separable_; }
  Report predictions() const override { return predictions_; }
  Curvature curvature() const override { return linear_curvature(problem_); }
  std::vector<Matrix<double>> joint_curvature(std::span<const double> w) const override {
    return joint_linear_curvature(problem_, w, threads_);
  }
  double joint_curvature_cost() const override { return joint_linear_curvature_cost(problem_); }
  bool joint_curvature_by_output() const override {
    constexpr std::size_t most_share = 4;  // times the stored features
    return features() * features() * outputs() <= most_share * problem_.x.size();
  }
  double noise() const override {
    // Scores in single precision err by 1e-7 each; over the examples most of it cancels.
    constexpr double single_noise = 2e-9;
    return std::same_as<T, float> ? single_noise : 0;
  }

  double accumulate_outputs(std::size_t shard, std::span<const double> w, std::span<double> gradient,
                            std::span<double> values) override {
    by_output_ = !values.empty();
    set_offset(w);
    add_products(shard, w, gradient);
    double value = 0;
    std::vector<double>& columns = columns_;
    columns.assign(outputs(), 0.0);
    for (std::size_t block = 0; block < partials_.blocks(); ++block) {
      value += partials_.value(block);
      predictions_ = worst(predictions_, partials_.report(block));
      for (std::size_t k = 0; k < outputs(); ++k) columns[k] += partials_.columns(block)[k];
      for (std::size_t k = 0; k < values.size(); ++k) values[k] += partials_.values(block)[k];
    }
    finish_gradient(gradient);
    return value;
  }

 protected:
  /// Resets and fills the partial sums of a shard, and adds Xᵀ R to the gradient of W.
  virtual void add_products(std::size_t shard, std::span<const double> w, std::span<double> gradient) = 0;

  std::size_t outputs() const { return problem_.outputs; }
  std::size_t features() const { return problem_.features(); }
  void reset_partials(std::size_t blocks) { partials_.reset(blocks, outputs(), by_output_); }
  /// b − Wᵀ center, padded with zeros to `size` entries.
  std::span<const T> offset() const { return offset_; }
  void pad_offset(std::size_t size) { offset_.resize(size, T{0}); }

  /// The scores of rows first, first + 1, … become residuals w_i (ŷ_i − y_i); the partial sums of `block`
  /// grow.
  void take_residuals(std::size_t first, MatrixView<T> theta, std::size_t block) {
    double& value = partials_.value(block);
    for (std::size_t i = 0; i < theta.rows(); ++i) {
      for (const T score : theta.row(i)) {
        if (std::isfinite(score)) continue;
        // A trial step has left the range of T: no decrease, and nothing to learn from the gradient.
        value = infinity;
        for (std::size_t r = 0; r < theta.rows(); ++r) std::ranges::fill(theta.row(r), T{0});
        return;
      }
    }
    if (by_output_) {
      value += take_scores_as_rows(first, theta, block);
    } else {
      BatchOptions options{.threads = 1};
      if (!problem_.weights.empty()) options.weights = problem_.weights.subspan(first, theta.rows());
      const BatchLoss loss =
          problem_.loss.value_and_gradient(theta, problem_.y.block(first, theta.rows()), {}, theta, options);
      value += loss.total;
      partials_.report(block) = worst(partials_.report(block), loss.report);
    }
    const auto columns = partials_.columns(block);
    for (std::size_t i = 0; i < theta.rows(); ++i) {
      const auto row = theta.row(i);
      for (std::size_t k = 0; k < row.size(); ++k) columns[k] += static_cast<double>(row[k]);
    }
  }

 private:
  // A sum over outputs is a batch of scalar problems: every score is a row of its own.
  double take_scores_as_rows(std::size_t first, MatrixView<T> theta, std::size_t block) {
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const std::size_t rows = theta.rows(), size = rows * outputs();
    const auto scores = scratch.take<T>(size);
    const auto targets = scratch.take<T>(size);
    const auto losses = scratch.take<double>(size);
    const auto weights = scratch.take<double>(problem_.weights.empty() ? 0 : size);
    for (std::size_t i = 0; i < rows; ++i) {
      std::ranges::copy(theta.row(i), scores.begin() + static_cast<std::ptrdiff_t>(i * outputs()));
      const auto target = targets.subspan(i * outputs(), outputs());
      problem_.y.write(first + i, target);
      if (!weights.empty())
        std::ranges::fill(weights.subspan(i * outputs(), outputs()), problem_.weights[first + i]);
    }
    const MatrixView<T> score_rows(scores.data(), size, 1);
    const BatchLoss loss =
        problem_.loss.value_and_gradient(score_rows, MatrixView<T>(targets.data(), size, 1), losses,
                                         score_rows, {.threads = 1, .weights = weights});
    partials_.report(block) = worst(partials_.report(block), loss.report);
    const auto values = partials_.values(block);
    for (std::size_t i = 0; i < rows; ++i) {
      std::ranges::copy(scores.subspan(i * outputs(), outputs()), theta.row(i).begin());
      for (std::size_t k = 0; k < outputs(); ++k) values[k] += losses[i * outputs() + k];
    }
    return loss.total;
  }

  void set_offset(std::span<const double> w) {
    columns_.assign(outputs(), 0.0);
    if (problem_.intercept != Intercept::none) {
      const auto b = w.subspan(features() * outputs(), outputs());
      std::ranges::copy(b, columns_.begin());
    }
    for (std::size_t j = 0; j < problem_.center.size(); ++j) {
      if (problem_.center[j] == 0) continue;
      add_scaled(-problem_.center[j], w.subspan(j * outputs(), outputs()), columns_.data());
    }
    offset_.resize(std::max(offset_.size(), outputs()), T{0});
    for (std::size_t k = 0; k < outputs(); ++k) offset_[k] = static_cast<T>(columns_[k]);
  }

  // ∇_b = Rᵀ 1, and centring takes center · (1ᵀ R) off the gradient of W.
  void finish_gradient(std::span<double> gradient) {
    if (problem_.intercept != Intercept::none) {
      const auto b = gradient.subspan(features() * outputs(), outputs());
      for (std::size_t k = 0; k < outputs(); ++k) b[k] += columns_[k];
    }
    for (std::size_t j = 0; j < problem_.center.size(); ++j) {
      if (problem_.center[j] == 0) continue;
      add_scaled(-problem_.center[j], columns_, gradient.data() + j * outputs());
    }
  }

 protected:
  LinearProblem<T> problem_;
  int threads_;

 private:
  bool separable_ = false;
  bool by_output_ = false;
  Report predictions_;
  Partials partials_;
  std::vector<double> columns_;  // one number for each output
  std::vector<T> offset_;
};

template <Real T>
std::unique_ptr<OutputsObjective> make_dense_objective(const LinearProblem<T>& problem, int threads);
template <Real T>
std::unique_ptr<OutputsObjective> make_sparse_objective(const LinearProblem<T>& problem, int threads);

}  // namespace fenchel
