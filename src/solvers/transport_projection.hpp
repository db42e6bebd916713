// SPDX-License-Identifier: Apache-2.0
// Projections onto a transport polytope, argmax ⟨θ, μ⟩ − Σ φ(μ) over the plans μ ≥ 0 with row sums a and
// column sums b (paper §7.3, permutation matrices). With potentials of rows and columns, μ =
// (φ')⁻¹(θ + α + β): a semismooth Newton method on the dual finds the potentials. For φ = ½t², the Euclidean
// projection, μ = [θ + α + β]₊, and the method is exact once it knows the support. For other φ see Dessein,
// Papadakis and Rouas (2018).
#pragma once

#include <span>

#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/generator.hpp"

namespace fenchel {

/// Stopping rule: Σ|row sums − a| + Σ|column sums − b| ≤ tolerance · Σ a; the report's `residual` is the
/// left side over Σ a.
struct TransportProjection {
  double tolerance = 1e-13;
  int max_iterations = 500;

  /// θ is row-major with one row per entry of a; −inf forbids an entry. Where no plan avoids the forbidden
  /// entries, the report is `stalled` with an infinite residual, and `mu` is unspecified. a and b are
  /// non-negative with equal, positive sums.
  Report solve(std::span<const double> theta, std::span<const double> a, std::span<const double> b,
               std::span<double> mu, Workspace& scratch) const;
};

/// The same for another φ, whose interval begins at 0 and ends above min(max a, max b) or there.
struct BregmanTransport {
  Generator phi;
  double tolerance = 1e-12;
  int max_iterations = 500;

  Report solve(std::span<const double> theta, std::span<const double> a, std::span<const double> b,
               std::span<double> mu, Workspace& scratch) const;
};

}  // namespace fenchel
