// SPDX-License-Identifier: Apache-2.0
// How near the optimum is near enough: a residual relative to the objective, or a duality gap as it stands.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {

class Accuracy {
 public:
  /// Of a part of the problem, `share` of the gap is enough.
  explicit Accuracy(const TrainOptions& options, double share = 1)
      : relative_(options.tolerance.value_or(default_tolerance)), gap_(options.gap.value_or(0) * share) {}

  bool reached(const StepReport& report) const {
    return report.residual <= relative_ || (report.gap && *report.gap <= gap_);
  }
  /// The largest gap that is enough at an objective.
  double enough(double objective) const { return std::max(relative_ * scale_of(objective), gap_); }

  /// The same as a residual; where no gap is known, the relative one.
  double tolerance(const StepReport& report) const {
    return report.gap ? enough(report.objective) / scale_of(report.objective) : relative_;
  }

  /// What residuals are relative to.
  static double scale_of(double objective) {
    return std::max(std::abs(objective), std::numeric_limits<double>::min());
  }

 private:
  double relative_;
  double gap_;
};

}  // namespace fenchel
