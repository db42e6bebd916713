// SPDX-License-Identifier: Apache-2.0
// L and ŷ − y of one row in double precision, unchecked: what batches compute row by row, and trainers
// example by example.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/losses/fenchel_young.hpp"

namespace fenchel {

/// Where ŷ − y goes, and how the prediction went: the worst of it and what was there.
struct RowResidual {
  std::span<double> residual;
  Report& report;
};

/// A loss without the rounding that would make it negative; a NaN stays a NaN.
inline double clamped(double loss) { return loss < 0 ? 0 : loss; }

/// L_Ω(θ; y) and ŷ − y, for scores as Ω expects them (operations::shift_scores).
inline double loss_and_residual(const AnyRegularizer& omega, std::span<const double> theta,
                                std::span<const double> y, const RowResidual& out, Workspace& scratch) {
  out.report = worst(out.report, omega.predict(theta, out.residual, scratch));
  const double loss = clamped(omega.loss(theta, y, out.residual));
  for (std::size_t j = 0; j < y.size(); ++j) out.residual[j] -= y[j];
  return loss;
}

/// Whether Ω can be asked about scores. Those that training computes have no masks, but they may overflow,
/// and a NaN would send searches and sorts astray.
inline bool usable_scores(std::span<const double> theta) {
  return std::ranges::all_of(theta, [](double score) { return std::isfinite(score); });
}
/// What is said about scores that are not usable.
inline constexpr Report overflow{Status::diverged, 0, infinity};

/// A loss made ready for rows with any shift.
class RowLoss {
 public:
  explicit RowLoss(FenchelYoungLoss loss) : loss_(std::move(loss)), domain_(loss_.traits().domain) {}

  const FenchelYoungLoss& loss() const { return loss_; }
  const AnyRegularizer& omega() const { return loss_.omega(); }
  bool on_simplex() const { return domain_ == Domain::simplex; }

  /// The scores as Ω expects them: `theta` itself, or a copy in `scratch`.
  std::span<const double> shifted(std::span<const double> theta, Workspace& scratch) const {
    if (!on_simplex()) return theta;
    const auto copy = scratch.take<double>(theta.size());
    std::ranges::copy(theta, copy.begin());
    operations::shift_scores(domain_, copy);
    return copy;
  }
  /// ŷ_Ω(θ); NaN for scores that are not usable.
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
    if (!usable_scores(theta)) {
      std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
      return overflow;
    }
    const Workspace::Frame frame(scratch);
    return omega().predict(shifted(theta, scratch), out, scratch);
  }
  /// L(θ + c_y; y) and its gradient; an infinite loss, with nothing to learn from, for scores that are not
  /// usable.
  double operator()(std::span<const double> theta, std::span<const double> y, const RowResidual& out,
                    Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const auto scores = scratch.take<double>(theta.size());
    loss_.cost().write(y, scores);
    for (std::size_t j = 0; j < scores.size(); ++j) scores[j] += theta[j];
    if (!usable_scores(scores)) {
      std::ranges::fill(out.residual, 0.0);
      out.report = worst(out.report, overflow);
      return infinity;
    }
    operations::shift_scores(domain_, scores);
    return loss_and_residual(omega(), scores, y, out, scratch);
  }

 private:
  FenchelYoungLoss loss_;
  Domain domain_;
};

}  // namespace fenchel
