// SPDX-License-Identifier: Apache-2.0
// Conditional gradient (Frank-Wolfe) methods: minimise a smooth convex f over conv(Y), or over the cone of Y,
// given f with its gradient and a MAP oracle (paper §8.3, "generic algorithms"). With f = Ω − ⟨θ, ·⟩ this is
// the regularized prediction for any differentiable mean regularization Ω (paper §7.2).
#pragma once

#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/active_set.hpp"

namespace fenchel {

/// What an iteration does with the structure y that the oracle returns, a being the worst of the active ones.
enum class ConditionalGradientVariant {
  classic,           ///< towards y (over the cone: along y, or shrink μ): sublinear
  away,              ///< towards y or away from a, whichever is steeper: linear rate
  pairwise,          ///< moves weight from a to y: linear rate
  fully_corrective,  ///< towards y, then the best weights of all active structures: fewest oracle calls
};

/// How far an iteration goes; fully corrective ones are always exact.
enum class ConditionalGradientStep {
  exact,      ///< to a near zero of the slope along the direction; copes with gradients that explode
  adaptive,   ///< by a quadratic bound whose curvature is estimated on the way: fewer gradients, for smooth f
  curvature,  ///< by the given curvature: exact where ∇²f is that multiple of the identity
  open_loop,  ///< 2/(t + 2) in iteration t; classic over conv(Y) only, elsewhere the same as exact
};

/// Minimises f. f may be +inf (or NaN) outside its domain, with gradients that reach −inf at the boundary, as
/// those of Σ μ log μ do; a gradient of +inf is a mask: the oracle sees a score of −inf there.
struct ConditionalGradient {
  using Variant = ConditionalGradientVariant;
  using Step = ConditionalGradientStep;
  using ValueAndGradient = FunctionRef<double(std::span<const double> mu, std::span<double> gradient)>;

  Variant variant = Variant::fully_corrective;
  Step step = Step::exact;
  double tolerance = 1e-10;
  int max_iterations = 100000;  ///< calls of the oracle
  double curvature = 1;         ///< for Step::curvature; where Step::adaptive starts

  /// Over conv(Y). Stopping rule: the gap max over Y of ⟨−∇f(μ), y − μ⟩, which bounds f(μ) − min f, is at
  /// most `tolerance` plus its rounding error. The mixture starts empty or as a guess; it ends with positive
  /// weights that sum to one. The report's residual is the gap, its iterations are the oracle's calls.
  Report minimize(ValueAndGradient f, MapOracle map, Mixture& mixture, std::span<double> mu,
                  Workspace& scratch) const;

  /// Over the cone {Σ w y : w ≥ 0} (non-negative matching pursuit and its corrective variants). The residual
  /// is the larger of max over Y of ⟨−∇f(μ), y⟩ and of the slackness Σ w |⟨∇f(μ), y⟩|; it has to reach
  /// `tolerance`. The mixture's weights are positive; it is empty where 0 is the solution.
  Report minimize_over_cone(ValueAndGradient f, MapOracle map, Mixture& mixture, std::span<double> mu,
                            Workspace& scratch) const;
};

}  // namespace fenchel
