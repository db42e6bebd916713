// SPDX-License-Identifier: Apache-2.0
// The cells of an alignment by rows and by anti-diagonals.
#pragma once

#include <span>

#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/alignment.hpp"
#include "kernels/soft_dtw.hpp"

namespace fenchel {

/// The grid of an alignment for the kernels; lives in the caller's frame of `scratch`.
kernels::DiagonalGrid diagonal_grid(const Alignment& set, Workspace& scratch);

/// Room for the probabilities of the moves.
kernels::MoveProbabilities take_moves(const kernels::DiagonalGrid& grid, Workspace& scratch);

/// What kernels::soft_dtw_forward computes, cell by cell in logarithms: for scores that are too large for it.
/// Sums that overflow come out as ±inf.
double sum_paths_by_logarithms(const Alignment& set, const kernels::DiagonalGrid& grid,
                               std::span<const double> theta, kernels::MoveProbabilities moves,
                               Workspace& scratch);

}  // namespace fenchel
