// SPDX-License-Identifier: Apache-2.0
// Limited-memory BFGS with a weak Wolfe line search (bracketing and bisection), which also makes progress on
// convex functions with kinks. Minimises Ω*-like objectives: Moreau's decomposition (paper §8.4), infimal
// convolutions (§2.3) and the inner problem of Fenchel-Youngization (appendix A.2).
#pragma once

#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// Stopping rule: ‖∇f(x)‖_∞ ≤ tolerance. `stalled` means that f can no longer be decreased in floating point.
struct Lbfgs {
  double tolerance = 1e-12;
  int max_iterations = 2000;
  int memory = 20;  ///< pairs of steps and gradient differences kept

  using ValueAndGradient = FunctionRef<double(std::span<const double> x, std::span<double> gradient)>;

  /// Improves x in place.
  Report minimize(ValueAndGradient f, std::span<double> x, Workspace& scratch) const;
};

}  // namespace fenchel
