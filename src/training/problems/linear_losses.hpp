// SPDX-License-Identifier: Apache-2.0
// The losses of the rows of a linear or kernel problem, one at a time: w_i L(θ_i + c_i; y_i), its gradient,
// and what dual algorithms ask for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/training/problems/linear.hpp"
#include "losses/dual_bound.hpp"
#include "losses/row_loss.hpp"

namespace fenchel {

/// Whether Ω is a sum over outputs, each of which is free of the others.
inline bool separable_outputs(const FenchelYoungLoss& loss) {
  const Traits traits = loss.traits();
  return traits.separable && traits.domain != Domain::simplex && traits.domain != Domain::polytope;
}

/// Losses of one example, not weighted.
struct RowLosses {
  double primal = 0;  ///< L_Ω(u; y)
  double gap = 0;     ///< L_Ω(u; μ): what the example contributes to the duality gap

  /// The losses without what rounding makes negative. Targets in single precision lie beside their set by
  /// rounding, which large scores multiply: what L_Ω(u; y) lacks to 0 is something the gap does not know.
  static RowLosses of(double primal, double gap) {
    return {clamped(primal), clamped(gap) + (primal < 0 ? -primal : 0)};
  }
};

/// Scores u seen by Ω = (ridge/2)‖μ‖² plus a constant on the simplex.
struct RidgeScores {
  double ridge;
  double top;        ///< max u
  double conjugate;  ///< Ω*(u) − max u, without the constant
};

/// Where an algorithm looks at a few outputs only, spans hold the entries from `first` on.
template <Real T>
class LinearLosses {
 public:
  explicit LinearLosses(const LinearProblem<T>& problem)
      : row_(problem.loss), y_(problem.y), weights_(problem.weights), outputs_(problem.outputs) {
    const Cost& cost = problem.loss.cost();
    if (cost.empty() || !y_.are_labels()) return;
    costs_.resize(outputs_ * outputs_);
    std::vector<double> vertex(outputs_, 0.0);
    for (std::size_t k = 0; k < outputs_; ++k) {
      vertex[k] = 1;
      cost.write(vertex, std::span(costs_).subspan(k * outputs_, outputs_));
      vertex[k] = 0;
    }
  }

  const RowLoss& row() const { return row_; }
  double weight(std::size_t i) const { return weights_.empty() ? 1 : weights_[i]; }
  void write_target(std::size_t i, std::span<double> out, std::size_t first = 0) const {
    y_.write(i, out, first);
  }

  /// θ += c_i.
  void add_cost(std::size_t i, std::span<double> theta, Workspace& scratch, std::size_t first = 0) const {
    const Cost& cost = row_.loss().cost();
    if (cost.empty()) return;
    const Workspace::Frame frame(scratch);
    std::span<const double> added;
    if (!costs_.empty()) {
      added = std::span(costs_).subspan(static_cast<std::size_t>(y_.label(i)) * outputs_, outputs_);
    } else {
      const auto target = scratch.take<double>(outputs_);
      const auto computed = scratch.take<double>(outputs_);
      y_.write(i, target);
      cost.write(target, computed);
      added = computed;
    }
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += added[first + k];
  }
  /// ŷ_Ω(θ + c_i); θ becomes θ + c_i.
  void predict(std::size_t i, std::span<double> theta, std::span<double> out, Workspace& scratch,
               std::size_t first = 0) const {
    add_cost(i, theta, scratch, first);
    row_.predict(theta, out, scratch);
  }
  /// w_i (ŷ_Ω(θ + c_i) − y_i) in place of θ.
  void residual(std::size_t i, std::span<double> theta, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const auto prediction = scratch.take<double>(outputs_);
    const auto target = scratch.take<double>(outputs_);
    predict(i, theta, prediction, scratch);
    y_.write(i, target);
    for (std::size_t k = 0; k < outputs_; ++k) theta[k] = weight(i) * (prediction[k] - target[k]);
  }
  /// w_i L(θ + c_i; y_i), and its gradient.
  double value_and_gradient(std::size_t i, std::span<const double> theta, std::span<double> gradient,
                            Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const auto target = scratch.take<double>(outputs_);
    y_.write(i, target);
    Report report;
    const double value = row_(theta, target, {gradient, report}, scratch);
    for (double& entry : gradient) entry *= weight(i);
    return weight(i) == 0 ? 0 : weight(i) * value;
  }
  /// The largest a with a + ⟨θ, g⟩ ≤ w_i L(θ + c_i; y_i) for all θ.
  double dual_bound(std::size_t i, std::span<const double> g, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const auto target = scratch.take<double>(outputs_);
    y_.write(i, target);
    return weighted_dual_bound(row_.loss(), target, {weight(i), g}, scratch);
  }
  /// Both losses at u = θ + c_i.
  RowLosses losses(std::size_t i, std::span<const double> u, std::span<const double> mu, Workspace& scratch,
                   std::size_t first = 0) const {
    if (!usable_scores(u)) return {infinity, infinity};
    const Workspace::Frame frame(scratch);
    const auto y = scratch.take<double>(u.size());
    y_.write(i, y, first);
    const auto theta = row_.shifted(u, scratch);
    const auto prediction = scratch.take<double>(u.size());
    row_.omega().predict(theta, prediction, scratch);
    return RowLosses::of(row_.omega().loss(theta, y, prediction), row_.omega().loss(theta, mu, prediction));
  }
  /// The same for such an Ω; visit_mu(f) calls f(k, μ_k) for the entries other than 0.
  template <class VisitMu>
  RowLosses losses(std::size_t i, std::span<const double> u, const RidgeScores& scores,
                   const VisitMu& visit_mu) const {
    double primal = scores.conjugate, gap = scores.conjugate;
    const auto rest = [&](std::size_t k, double value) {
      return value * (scores.top - u[k] + 0.5 * scores.ridge * value);
    };
    if (y_.are_labels()) {
      primal += rest(static_cast<std::size_t>(y_.label(i)), 1);
    } else {
      const auto row = y_.rows().row(i);
      for (std::size_t k = 0; k < u.size(); ++k) primal += rest(k, static_cast<double>(row[k]));
    }
    visit_mu([&](std::size_t k, double value) { gap += rest(k, value); });
    return RowLosses::of(primal, gap);
  }

 private:
  RowLoss row_;
  Targets<T> y_;
  std::span<const double> weights_;
  std::size_t outputs_;
  std::vector<double> costs_;  // of each label, where targets are labels
};

}  // namespace fenchel
