// SPDX-License-Identifier: Apache-2.0
// The compiled SIMD form of the matrix-tree theorem: arc marginals of spanning arborescences (paper §7.3),
// several graphs at once, one per lane.
//
// Picture a walk from word to head: from m to h at rate w(h, m) = exp θ(h, m), to the root at rate r(m).
// With X(h, m) the probability that the walk from h meets the root before m, and
// r̄(m) = r(m) + Σ_h w(h, m) X(h, m),
//   μ(h, m) = w(h, m) X(h, m) / r̄(m),   μ(m, m) = r(m) / r̄(m).
// Both come from eliminating words (Grassmann, Taksar, Heyman), which adds, multiplies and divides positive
// numbers only: there is no cancellation, whatever the scores. Eliminating one half of the words, then the
// other, and recursing into what is left, leaves every word as the last one in O(n³) together: 1.3 n³
// multiplications. Exactly one child of the root is the limit of root weights ε r(m) for ε → 0.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel::kernels {

/// A graph of n words.
struct MatrixTree {
  std::size_t n = 1;
  bool single_root = false;
};

/// Each row of `theta` holds the n·n scores of a graph ((h, m) is the arc h → m, the diagonal the root's);
/// writes its marginals and log Z. A row that a double's exponents cannot hold for certain (scores of one
/// column that are hundreds apart, or masks in a large graph), or that has no tree, gets log Z = NaN and
/// unspecified marginals; the others are right to a relative error of about 1e-13, entry by entry. A row's
/// bits do not depend on the rows beside it.
void matrix_tree_marginals(const MatrixTree& graph, MatrixView<const double> theta, MatrixView<double> mu,
                           std::span<double> log_partition, Workspace& scratch);

}  // namespace fenchel::kernels
