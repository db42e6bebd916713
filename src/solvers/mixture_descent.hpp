// SPDX-License-Identifier: Apache-2.0
// What the conditional gradient methods share: a mixture of structures, f and its gradient at the mixture's
// mean, and line searches that cope with a gradient that explodes at the boundary of f's domain.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/conditional_gradient.hpp"

namespace fenchel {

class MixtureDescent {
 public:
  using ValueAndGradient = ConditionalGradient::ValueAndGradient;

  /// Takes its memory from the enclosing frame of `scratch`. `sums_to_one`: over conv(Y), else over the cone.
  MixtureDescent(ValueAndGradient f, bool sums_to_one, Mixture& mixture, std::span<double> mu,
                 Workspace& scratch);

  bool sums_to_one() const { return sums_to_one_; }
  std::size_t size() const { return mixture_.weights.size(); }
  Structure& active(std::size_t i) { return mixture_.structures[i]; }
  double& weight(std::size_t i) { return mixture_.weights[i]; }
  Structure& candidate();  ///< a spare structure, for the oracle to fill
  std::span<double> direction() { return direction_; }
  std::span<const double> mu() const { return mu_; }

  /// Appends the candidate with weight 0 unless it is already there; returns its position.
  std::size_t admit();
  void remove(std::size_t position);

  /// Drops the weights that are not positive, normalises over conv(Y), and computes μ, f and ∇f from the
  /// weights.
  void refresh();
  double value() const { return value_; }
  /// No NaN in the gradient.
  bool sound() const { return sound_; }
  /// ∇f, with −inf replaced by something larger than every other entry.
  std::span<const double> gradient() const { return gradient_; }
  /// f's gradient anywhere, into a buffer of its own.
  std::span<const double> gradient_at(std::span<const double> point);

  /// ⟨∇f, y⟩ and ⟨∇f, direction⟩; a mask outside y does no harm.
  double slope(const Structure& y) const { return dot(y, gradient_); }
  double direction_slope() const;

  /// A step in (0, limit] along the direction with a slope close to 0, or `limit` if f still decreases there.
  /// Tries `guess` first. 0 if f does not decrease at all.
  double exact_step(double guess, double limit);
  /// A step for which the quadratic bound of this curvature holds (up to a tenth); adapts the curvature.
  double adaptive_step(double& curvature, double limit);

 private:
  struct Probe {
    double value;
    double slope;
  };
  Probe probe(double step);
  bool accepts(const Probe& at, double first_slope) const;
  bool direction_explodes() const;

  ValueAndGradient f_;
  bool sums_to_one_;
  Mixture& mixture_;
  std::span<double> mu_, gradient_, direction_, trial_, trial_gradient_;
  double value_ = 0;
  bool sound_ = true;
  double explosion_ = 0;  // what stands for −inf in the gradient; 0 if there is none
};

/// The best weights of the mixture's structures: Newton's method on the weights, whose Hessian comes from
/// differences of gradients, with drop steps at zero weights, and pairwise steps where that gains nothing.
/// Ends when the gap over these structures is at most `tolerance` or no longer decreases.
void correct_weights(MixtureDescent& descent, double tolerance, Workspace& scratch);

}  // namespace fenchel
