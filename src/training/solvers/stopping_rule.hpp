// SPDX-License-Identifier: Apache-2.0
// Iterations, the best gap so far and when to stop: what dual and stochastic algorithms keep alike.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/train.hpp"
#include "training/solvers/accuracy.hpp"
#include "training/solvers/divergence.hpp"

namespace fenchel {

class StoppingRule {
 public:
  /// Stalled after `patience` steps in which neither the residual fell by a thousandth nor the dual objective
  /// rose: while that rises, the parameters may get worse for a long time before they get better.
  StoppingRule(const TrainOptions& options, int patience)
      : accuracy_(options), max_iterations_(options.max_iterations), patience_(patience) {}

  const Report& report() const { return report_; }
  int iterations() const { return report_.iterations; }
  const Accuracy& accuracy() const { return accuracy_; }
  /// Whether it is near enough to stop.
  bool reached(const StepReport& report) const { return accuracy_.reached(report); }

  /// The residual where a gap is known: the gap over the objective.
  static double relative_gap(const StepReport& last_step) {
    const double gap = std::max(last_step.gap.value_or(infinity), 0.0);
    return gap == 0 ? 0 : gap / Accuracy::scale_of(last_step.objective);
  }

  /// What a small residual proves.
  enum class Residual { optimal, settled };

  /// Counts a step that led to these parameters; fills in `done`. Where a small residual proves only that
  /// steps have become small, the algorithm has stalled, not converged.
  StepReport judge(StepReport last_step, std::span<const double> parameters,
                   Residual meaning = Residual::optimal) {
    constexpr double improvement = 0.999;
    constexpr double smallest_rise = 1e-9;  // of the objective: less is rounding
    ++report_.iterations;
    ++steps_without_;
    if (last_step.residual < infinity && last_step.residual <= improvement * best_) {
      best_ = last_step.residual;
      steps_without_ = 0;
    }
    const double dual = last_step.dual.value_or(-infinity);
    if (dual > best_dual_ + smallest_rise * std::abs(last_step.objective)) {
      best_dual_ = dual;
      steps_without_ = 0;
    }
    return assess(last_step, parameters, meaning);
  }
  /// The same without counting: where an algorithm stands after the steps that were counted.
  StepReport assess(StepReport last_step, std::span<const double> parameters,
                    Residual meaning = Residual::optimal) {
    report_.residual = last_step.residual;
    last_step.tolerance = accuracy_.tolerance(last_step);
    if (diverged(last_step, parameters)) {
      report_.status = Status::diverged;
    } else if (reached(last_step)) {
      report_.status = meaning == Residual::optimal ? Status::converged : Status::stalled;
    } else {
      report_.status = steps_without_ >= patience_ ? Status::stalled : Status::max_iterations;
    }
    last_step.done = report_.status != Status::max_iterations || report_.iterations >= max_iterations_;
    return last_step;
  }

  void visit_state(StateArchive& archive) {
    archive("iterations", report_.iterations);
    archive.check("iterations", report_.iterations < std::numeric_limits<int>::max());
    archive.extended("residual", report_.residual);
    archive.check("residual", report_.residual >= 0);
    archive.extended("best", best_);
    archive.check("best", best_ >= 0);
    archive.extended("best_dual", best_dual_);
    archive.check("best_dual", best_dual_ < infinity);
    archive("steps_without", steps_without_);
    archive.check("steps_without", steps_without_ <= report_.iterations);
  }

 private:
  Accuracy accuracy_;
  int max_iterations_;
  int patience_;
  double best_ = infinity;        // when it last fell by a thousandth
  double best_dual_ = -infinity;  // when it last rose
  int steps_without_ = 0;
  Report report_{.status = Status::max_iterations, .residual = infinity};
};

/// An algorithm that stops by the rule, with what its steps take from the options.
class StoppedAlgorithm : public Algorithm {
 public:
  std::string_view name() const final { return name_; }
  Report report() const final { return stopping_.report(); }

 protected:
  StoppedAlgorithm(std::string_view name, const TrainOptions& options, int patience)
      : seed_(options.seed),
        threads_(resolve_threads(options.threads)),
        stopping_(options, patience),
        name_(name) {}

  std::uint64_t seed_;
  int threads_;
  StoppingRule stopping_;

 private:
  std::string_view name_;
};

}  // namespace fenchel
