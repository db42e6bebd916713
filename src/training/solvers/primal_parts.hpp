// SPDX-License-Identifier: Apache-2.0
// What primal algorithms share: G added to F on long vectors, and the measures they stop by.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fenchel/core/report.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/curvature.hpp"
#include "fenchel/training/objective.hpp"
#include "fenchel/training/penalty.hpp"
#include "training/solvers/accuracy.hpp"

namespace fenchel {

/// G on a vector of some shape, by several threads with the same bits as by one.
class ShapedPenalty {
 public:
  /// `curvature` is that of F: gaps where some parameters are free need it.
  ShapedPenalty(const Penalty& penalty, const ParameterShape& shape, const Curvature& curvature, int threads);

  const Penalty& penalty() const { return penalty_; }
  const ParameterShape& shape() const { return shape_; }
  /// (l2/2)‖W‖², whose gradient is added to `gradient`.
  double add_smooth(std::span<const double> w, std::span<double> gradient);
  double value(std::span<const double> w);
  void prox(double step, std::span<double> w) const;
  /// The duality gap of w, given ∇(F + smooth part of G); none without l2. With an intercept that is free it
  /// is an estimate: that of centred features, for which W and b have little to do with each other, and for
  /// b the slope squared over what F may curve.
  std::optional<double> gap(std::span<const double> w, std::span<const double> gradient);
  /// The largest entry of √c (w − prox_{G/c}(w − g/c)), g as above and c the curvature of each row of w: the
  /// steepest slope in variables in which features of any size count alike; infinite if c is. For l2 = 0,
  /// where no gap is known.
  double first_order(std::span<const double> w, std::span<const double> gradient) const;
  /// Parameters, and ∇(F + smooth part of G) there.
  struct Point {
    Objective& objective;  ///< F
    std::span<const double> w, gradient;
  };
  /// A step that would be the last is looked at once more: parameters without a penalty must have little left
  /// to gain. The gap estimates that from the curvature that is usual; where the loss is nearly flat, as for
  /// labels that all examples have or none, they can gain much more.
  void check_free(StepReport& last_step, const Point& point, const Accuracy& accuracy);
  /// Whether all curvatures are numbers: squares of features may leave their range.
  bool measurable() const { return measurable_; }

 private:
  template <class Part>
  double sum_over_blocks(Part part);
  // What parameters without a penalty have left to gain. They move against their slope, the one that slopes
  // most by 1: what the objective falls by, or more, by the curvature that the slopes show on the way.
  double free_gain(double objective, const Point& point);
  // Slopes of rows [first, first + count) of the penalised parameters: those of centred features.
  void centre(std::span<const double> free, std::size_t first, std::span<double> slope) const;

  Penalty penalty_;
  ParameterShape shape_;
  int threads_;
  std::size_t block_;
  std::vector<double> mean_;       // of the features, where the intercept is free
  std::vector<double> curvature_;  // of each row of parameters, if l2 = 0; empty: 1
  bool measurable_;
  double free_curvature_;
  std::vector<double> partial_;
};

/// The report of an iterate: the gap if there is one, else `first_order` relative to `scale`.
StepReport step_report_of(double objective, std::optional<double> gap, bool bound, double first_order,
                          double scale);

/// A slope to take others relative to; 0 where nothing is known.
inline double finite_or_zero(double slope) { return std::isfinite(slope) ? slope : 0; }

/// How a machine that minimises stands.
struct MachineEnd {
  Report report;
  bool done;  ///< it can do no more
};
/// The report of parameters that a machine has reached, and in `last_step` whether training is done with
/// them: by its own criterion, because the machine is, or because numbers have left the range of floating
/// point.
Report conclude(StepReport& last_step, std::span<const double> parameters, const MachineEnd& machine,
                const Accuracy& accuracy);

/// Whether a run may have come from a start with that objective to a point with the other: above the start
/// there is no optimum, but for rounding.
inline bool descends(double from, double to) {
  constexpr double rounding = 1e-6;
  return to <= from + rounding * std::abs(from);
}

/// The parameters to start from; throws std::invalid_argument if they do not fit.
std::vector<double> start_of(const ParameterShape& shape, std::span<const double> start);

}  // namespace fenchel
