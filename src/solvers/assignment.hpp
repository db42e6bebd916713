// SPDX-License-Identifier: Apache-2.0
// The linear assignment problem, max over permutations π of Σ_i θ[i, π(i)] (paper §7.3, permutation
// matrices), by shortest augmenting paths after the start of Jonker and Volgenant, O(n³). A score of −inf
// forbids its pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// The optimum and its proof: row_prices[i] + column_prices[j] ≥ θ[i, j] for all pairs, with equality (to
/// rounding) on the chosen ones. Every span has n entries.
struct Assignment {
  std::span<std::uint32_t> columns;  ///< π
  std::span<double> row_prices;
  std::span<double> column_prices;
};

/// θ is n × n, row-major, with entries that are finite or −inf. Returns Σ_i θ[i, π(i)], or −inf where every
/// permutation meets a forbidden pair (`out` is unspecified then).
double assign_rows(std::span<const double> theta, std::size_t n, const Assignment& out, Workspace& scratch);

}  // namespace fenchel
