// SPDX-License-Identifier: Apache-2.0
// A primal-dual interior-point method for small dense convex programmes: minimise f(x) subject to A x ≤ b and
// ⟨e, x⟩ = 1. Serves the pairwise-hinge entropies with general costs and the games of Fenchel-Youngization.
#pragma once

#include <span>
#include <vector>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/report.hpp"

namespace fenchel {

/// The problem. f fills its gradient and (row-major, symmetric) Hessian at a strictly feasible x.
struct ConvexProgram {
  using Objective =
      FunctionRef<void(std::span<const double> x, std::span<double> gradient, std::span<double> hessian)>;
  Objective objective;
  std::vector<double> inequality;  ///< A, row by row
  std::vector<double> bound;       ///< b
  std::vector<double> equality;    ///< e
};

/// Stopping rule: surrogate duality gap and residuals at most `tolerance`, relative to the size of the
/// gradient.
struct InteriorPoint {
  double tolerance = 1e-13;
  int max_iterations = 200;

  /// Improves a strictly feasible x; `multipliers` (one per row of A) tell which constraints are active.
  Report minimize(const ConvexProgram& program, std::span<double> x, std::span<double> multipliers) const;
};

}  // namespace fenchel
