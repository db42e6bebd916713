// SPDX-License-Identifier: Apache-2.0
// When an algorithm goes over to variables that heed how features vary together (Conditioning::join): after
// as many iterations as finding them costs evaluations, so that never much more than half the time is wasted,
// whether they were worth it or not. First to some that are the same for all outputs; later, and again and
// again, to others for each output, as the predictions are by then.
#pragma once

#include <span>
#include <vector>

#include "fenchel/core/state.hpp"
#include "fenchel/training/objective.hpp"

namespace fenchel {

class JoinPlan {
 public:
  /// Where training starts warm, the first change is due at once if it is cheap.
  JoinPlan(const Objective& objective, bool warm);

  /// Whether to change after so many iterations; then w, the parameters at that point, are kept.
  bool due(int iterations, std::span<const double> w);
  /// The parameters at the last change; empty before the first.
  const std::vector<double>& point() const { return point_; }
  /// Whether each output has a matrix of its own since then.
  bool apart() const { return changes_ > 1; }
  /// The matrices that the last change asks for.
  std::vector<Matrix<double>> curvature(const Objective& objective) const {
    return objective.joint_curvature(apart() ? std::span<const double>(point_) : std::span<const double>());
  }

  void save(State& state) const;
  /// Throws std::invalid_argument if the saved parameters are not `size`.
  void restore(const State& state, std::size_t size);

 private:
  double apart_cost_;  // of a change for each output, in evaluations
  double next_;        // iterations before the next change
  int changes_ = 0;
  std::vector<double> point_;
};

}  // namespace fenchel
