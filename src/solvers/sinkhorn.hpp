// SPDX-License-Identifier: Apache-2.0
// The entropic transport problem, argmax ⟨θ, μ⟩ − ε Σ μ log μ over the plans μ ≥ 0 with row sums a and column
// sums b (paper §7.3, permutation matrices; §7.2, mean regularization). The solution is diag(u) exp(θ/ε)
// diag(v). Sinkhorn's sweeps find the scalings; where they crawl, damped Newton steps on the dual take over
// and converge quadratically. Scores that spread widely (small ε) start from the prices of the unregularised
// problem, so that no exponential overflows and nothing that matters underflows, for any ε > 0.
#pragma once

#include <span>

#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// Stopping rule: Σ|row sums − a| + Σ|column sums − b| ≤ tolerance · Σ a; the report's `residual` is the
/// left side over Σ a.
struct Sinkhorn {
  double epsilon = 1;
  double tolerance = 1e-10;
  int max_iterations = 10000;  ///< sweeps and Newton steps together

  /// θ is row-major with one row per entry of a; −inf forbids an entry. Where no plan avoids the forbidden
  /// entries, the report is `stalled` with an infinite residual, and `mu` is unspecified. a and b are
  /// non-negative with equal, positive sums.
  Report solve(std::span<const double> theta, std::span<const double> a, std::span<const double> b,
               std::span<double> mu, Workspace& scratch) const;
};

}  // namespace fenchel
