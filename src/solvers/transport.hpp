// SPDX-License-Identifier: Apache-2.0
// The transport problem, max ⟨θ, μ⟩ over the plans μ ≥ 0 with row sums a and column sums b (paper §7.3: the
// Birkhoff polytope is the case a = b = 1), by the network simplex method. Scores and sums are scaled to
// 64-bit integers, so that the pivots are exact and the method is certain to end; the scores keep at least
// 60 − log₂(rows + columns) bits below their largest difference. Equal sums on a square are an assignment
// and are solved as one.
#pragma once

#include <span>

#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// The optimum and its proof: row_prices[i] + column_prices[j] ≥ θ[i, j] for all pairs, with equality (to
/// rounding) where the plan is positive.
struct TransportSolution {
  Structure& plan;  ///< a basic plan: its entries form a forest
  std::span<double> row_prices;
  std::span<double> column_prices;
};

/// θ is row-major with one row per entry of a, and −inf where a pair is forbidden; a and b are non-negative
/// with equal sums (the last digits of b are adjusted). Returns ⟨θ, μ⟩, −inf where no plan avoids the
/// forbidden pairs.
double solve_transport(std::span<const double> theta, std::span<const double> a, std::span<const double> b,
                       const TransportSolution& out, Workspace& scratch);

}  // namespace fenchel
