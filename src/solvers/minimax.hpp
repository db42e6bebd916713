// SPDX-License-Identifier: Apache-2.0
// min over x of max_i f_i(x) for a few convex functions with or without kinks, and the weights of the f_i
// that prove it: p in the simplex with 0 ∈ Σ_i p_i ∂f_i(x). Serves the games of Fenchel-Youngization (paper,
// appendix A.2); one function alone is plain minimisation.
//
// A bundle method in a variable metric: linear pieces of the f_i, kept from earlier points where they matter,
// plus ½ ‖x − x_k‖² in a metric that BFGS learns from Σ_i p_i ∇f_i. Where the f_i are smooth, steps become
// those of Newton's method; where they are piecewise linear, the pieces describe them exactly. Kinks may
// teach BFGS a metric that keeps steps short far from the optimum: then the pieces alone are trusted. Weights
// near 0, which pieces lose, are found by Newton's method from where this one stands (minimax_newton.hpp).
#pragma once

#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/report.hpp"

namespace fenchel {

/// Stopping rule: the model of max_i f_i is nowhere lower than its value by more than `tolerance` times the
/// larger of 1 and that value, at a point where the weighted gradients cancel (or f no longer falls).
struct Minimax {
  double tolerance = 1e-14;
  int max_iterations = 300;

  /// Fills f_i(x) and, row by row, ∇f_i(x) or any subgradients.
  using Functions =
      FunctionRef<void(std::span<const double> x, std::span<double> values, std::span<double> gradients)>;

  struct Result {
    double value = 0;  ///< max_i f_i at the best x
    Report report;     ///< its residual: how much lower it may be, at a distance of the size of x
  };
  /// Improves x; `weights`, one for each f_i, becomes p.
  Result minimize(Functions functions, std::span<double> x, std::span<double> weights) const;
};

}  // namespace fenchel
