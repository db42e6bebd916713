// SPDX-License-Identifier: Apache-2.0
// When an algorithm goes over to variables that heed how features vary together (Conditioning::join): after
// as many iterations as finding them costs evaluations, so that never much more than half the time is wasted,
// whether they were worth it or not. First to some that are the same for all outputs; later, and again and
// again, to others for each output, as the predictions are by then.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "fenchel/core/state.hpp"
#include "fenchel/training/objective.hpp"

namespace fenchel {

class CurvaturePlan {
 public:
  /// Where training starts warm, the first change is due at once if it is cheap.
  CurvaturePlan(const Objective& objective, bool warm) : size_(objective.shape().size) {
    const double cost = objective.joint_curvature_cost();
    apart_cost_ = objective.joint_curvature_by_output() ? cost * static_cast<double>(objective.shape().width)
                                                        : infinity;
    next_ = warm && cost <= cheap ? 0 : std::max(cost, least_shared);
  }

  /// Whether to change after that many iterations; then w, the parameters at that point, are kept.
  bool due(int iterations, std::span<const double> w) {
    if (iterations < next_) return false;
    ++changes_;
    next_ = iterations + std::max(apart_cost_, least_apart);
    point_.assign(w.begin(), w.end());
    return true;
  }

  /// The parameters at the last change; empty before the first.
  const std::vector<double>& point() const { return point_; }
  /// Whether each output has a matrix of its own since then.
  bool by_output() const { return changes_ > 1; }
  /// The matrices that the last change asks for.
  std::vector<Matrix<double>> curvature(const Objective& objective) const {
    return objective.joint_curvature(by_output() ? std::span<const double>(point_)
                                                 : std::span<const double>());
  }

  void visit_state(StateArchive& archive) {
    archive.extended("next", next_);
    archive.check("next", next_ >= 0);
    archive("changes", changes_);
    archive.check("changes", changes_ <= std::numeric_limits<int>::max() / 2);
    if (archive.reading()) point_.resize(changes_ > 0 ? size_ : 0);
    archive("point", point_);
  }

 private:
  static constexpr double least_shared = 20;  // iterations before the first change
  static constexpr double least_apart = 60;   // and between later ones
  static constexpr double cheap = 50;         // evaluations that a warm start may spend at once

  std::size_t size_;   // of the parameters
  double apart_cost_;  // of a change for each output, in evaluations
  double next_;        // iterations before the next change
  int changes_ = 0;
  std::vector<double> point_;
};

}  // namespace fenchel
