// SPDX-License-Identifier: Apache-2.0
// Iterations, the best gap so far and when to stop: what dual and stochastic algorithms keep alike.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {

class Progress {
 public:
  /// Stalled after `patience` steps in which neither the residual fell by a thousandth nor the dual objective
  /// rose: while that rises, the parameters may get worse for a long time before they get better.
  Progress(const TrainOptions& options, int patience)
      : tolerance_(options.tolerance), max_iterations_(options.max_iterations), patience_(patience) {}

  const Report& report() const { return report_; }
  int iterations() const { return report_.iterations; }

  /// Counts a step; fills in `residual` and `done`. The residual is the gap over the objective.
  Standing judge_gap(Standing standing) {
    const double gap = std::max(standing.gap.value_or(infinity), 0.0);
    const double scale = std::max(std::abs(standing.objective), std::numeric_limits<double>::min());
    standing.residual = gap == 0 ? 0 : gap / scale;
    return judge(standing);
  }
  /// The same with the residual as given.
  Standing judge(Standing standing) {
    constexpr double improvement = 0.999;
    constexpr double smallest_rise = 1e-9;  // of the objective: less is rounding
    ++report_.iterations;
    report_.residual = standing.residual;
    ++steps_without_;
    if (standing.residual <= improvement * best_) {
      best_ = standing.residual;
      steps_without_ = 0;
    }
    const double dual = standing.dual.value_or(-infinity);
    if (dual > best_dual_ + smallest_rise * std::abs(standing.objective)) {
      best_dual_ = dual;
      steps_without_ = 0;
    }
    const bool converged = standing.residual <= tolerance_;
    const bool stalled = !converged && (steps_without_ >= patience_ || std::isnan(standing.residual));
    report_.status = converged ? Status::converged : stalled ? Status::stalled : Status::max_iterations;
    standing.done = converged || stalled || report_.iterations >= max_iterations_;
    return standing;
  }

  void save(State& state) const {
    state.set("progress.numbers", std::vector<double>{report_.residual, best_, best_dual_});
    state.set("progress.counts", std::vector<std::int64_t>{report_.iterations, steps_without_,
                                                           static_cast<std::int64_t>(report_.status)});
  }
  void restore(const State& state) {
    std::vector<double> numbers(3);
    std::vector<std::int64_t> counts(3);
    state.read("progress.numbers", std::span(numbers));
    state.read("progress.counts", std::span(counts));
    report_ = {static_cast<Status>(counts[2]), static_cast<int>(counts[0]), numbers[0]};
    best_ = numbers[1];
    best_dual_ = numbers[2];
    steps_without_ = static_cast<int>(counts[1]);
  }

 private:
  double tolerance_;
  int max_iterations_;
  int patience_;
  double best_ = infinity;        // when it last fell by a thousandth
  double best_dual_ = -infinity;  // when it last rose
  int steps_without_ = 0;
  Report report_{.status = Status::max_iterations, .residual = infinity};
};

}  // namespace fenchel
