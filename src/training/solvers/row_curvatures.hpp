// SPDX-License-Identifier: Apache-2.0
// How the loss of every example curves in its scores: w_i ∂ŷ_i/∂θ, as coordinate descent needs it. On the
// simplex two outputs are one lane: residuals there sum to 0, so that only θ_0 − θ_1 counts, and weights
// (u, −u) are as good as any. Lanes that curve together can be decoupled: twice the diagonal of a matrix
// with rows that sum to 0 and nothing positive beside the diagonal bounds it (Gershgorin).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/matrix.hpp"
#include "fenchel/core/workspace.hpp"
#include "training/problems/linear_losses.hpp"

namespace fenchel {

template <Real T>
class RowCurvatures {
 public:
  /// With `decouple`, lanes that curve together are replaced by a bound in which they do not.
  RowCurvatures(const LinearProblem<T>& problem, bool decouple, int threads)
      : losses_(problem),
        paired_(is_pair(problem)),
        coupled_(!paired_ && problem.outputs > 1 && !separable_outputs(problem.loss)),
        decouple_(decouple),
        threads_(threads),
        theta_(problem.examples(), problem.outputs),
        predictions_(problem.examples(), problem.outputs),
        lanes_(paired_ ? 1 : problem.outputs, std::vector<double>(problem.examples())) {}

  /// Whether two outputs are one lane.
  static bool is_pair(const LinearProblem<T>& problem) {
    return problem.outputs == 2 && problem.loss.traits().domain == Domain::simplex;
  }
  bool paired() const { return paired_; }
  /// Whether lanes curve together.
  bool coupled() const { return coupled_ && !decouple_; }
  std::size_t lanes() const { return lanes_.size(); }

  /// The scores to look at; they must be finite.
  void take(const Matrix<double>& scores) {
    for_each_block(theta_.rows(), block, threads_, [&](std::size_t first, std::size_t last) {
      Workspace& scratch = thread_workspace();
      for (std::size_t i = first; i < last; ++i) {
        std::ranges::copy(scores.row(i), theta_.row(i).begin());
        losses_.add_cost(i, theta_.row(i), scratch);
        operations::shift_scores(losses_.row().loss().traits().domain, theta_.row(i));
      }
    });
  }
  /// Finds the curvatures there.
  void measure() {
    for_each_block(theta_.rows(), block, threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) measure(i, thread_workspace());
    });
    for (std::vector<double>& lane : lanes_) lift(lane);
  }
  /// By example.
  std::span<const double> lane(std::size_t k) const { return lanes_[k]; }

  /// Calls bend(l, w_i ∂ŷ_l/∂θ_k) for the other lanes of example i.
  template <class Bend>
  void visit_others(std::size_t i, std::size_t k, Workspace& scratch, const Bend& bend) const {
    const Workspace::Frame frame(scratch);
    const auto change = column(i, k, scratch);
    for (std::size_t l = 0; l < change.size(); ++l) {
      if (l != k && std::isfinite(change[l])) bend(l, losses_.weight(i) * change[l]);
    }
  }

 private:
  static constexpr std::size_t block = 256;  // examples

  // ∂ŷ_i/∂θ_k.
  std::span<const double> column(std::size_t i, std::size_t k, Workspace& scratch) const {
    const auto direction = scratch.take<double>(theta_.cols()), change = scratch.take<double>(theta_.cols());
    std::ranges::fill(direction, 0.0);
    direction[k] = 1;
    losses_.row().omega().jvp(theta_.row(i), predictions_.row(i), direction, change, scratch);
    return change;
  }

  void measure(std::size_t i, Workspace& scratch) {
    losses_.row().omega().predict(theta_.row(i), predictions_.row(i), scratch);
    for (std::size_t k = 0; k < lanes_.size(); ++k) {
      const Workspace::Frame frame(scratch);
      const auto change = column(i, k, scratch);
      // (1, −1) ∂ŷ/∂θ (1, −1)ᵀ, whose rows and columns sum to 0.
      const double own = paired_ ? 2 * (change[0] - change[1]) : change[k];
      const double here = losses_.weight(i) * own * (coupled_ && decouple_ ? 2 : 1);
      lanes_[k][i] = here > 0 && std::isfinite(here) ? here : 0;
    }
  }

  // What is flat gets a small part of the mean: it need not stay flat, and steps stay bounded.
  static void lift(std::vector<double>& lane) {
    constexpr double least_share = 1e-6;
    const double mean = sum_of(lane) / static_cast<double>(std::max<std::size_t>(lane.size(), 1));
    for (double& entry : lane) entry = mean > 0 ? entry + least_share * mean : 1;
  }

  LinearLosses<T> losses_;
  bool paired_, coupled_, decouple_;
  int threads_;
  Matrix<double> theta_, predictions_;      // scores as Ω expects them, and ŷ there
  std::vector<std::vector<double>> lanes_;  // diagonals
};

}  // namespace fenchel
