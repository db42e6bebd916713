// SPDX-License-Identifier: Apache-2.0
// The compiled SIMD kernels of monotone alignments: sums over all paths through a grid from (0, 0) to
// (rows − 1, cols − 1) by down, right and diagonal moves (paper §7.3 "Alignments"; soft-DTW).
//
// With A(i, j) the sum of exp⟨θ, y⟩ over the paths to a cell, A(i, j) = e^θ(i,j) (A(i−1, j) + A(i, j−1) +
// A(i−1, j−1)). A number is kept as mantissa · 2^exponent with the exponent a whole number in a second
// double: nothing overflows, nothing small is lost, and a cell costs no logarithm and one exponential, which
// does not wait for its neighbours. Cells of an anti-diagonal do not depend on each other, so they are the
// lanes of the vectors.
//
// The forward pass leaves the probability of each of the three moves into a cell. The other passes are sums
// of products with these, without exponentials: expected alignments, products with the covariance, and draws.
//
// Marginals are within 1e-12 of the exact ones for paths of some thousand cells, log Z within 1e-12 plus a
// rounding or two, for scores of any size and spread; a score of −inf is a mask whose marginal is exactly 0.
// Scores beyond ±1e295 count as infinite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/workspace.hpp"

namespace fenchel::kernels {

/// The cells that paths may use, by anti-diagonals d = i + j: rows begin[d] ≤ i < end[d], at least one. From
/// one diagonal to the next, begin and end stay or grow by one.
///
/// The grid is processed in strips of rows, so that the diagonals of a strip stay in the L1 cache. Arrays by
/// diagonals hold strip after strip, in a strip diagonal after diagonal, `pitch` places per diagonal.
struct DiagonalGrid {
  struct Strip {
    std::size_t row;       ///< first row
    std::size_t row_end;   ///< one past the last row
    std::size_t first;     ///< first diagonal with a cell in these rows
    std::size_t last;      ///< one past the last
    std::size_t position;  ///< diagonals of the strips before
  };
  static constexpr std::size_t strip_rows = 128;

  std::size_t rows = 0;
  std::size_t cols = 0;
  std::span<const std::uint32_t> begin;
  std::span<const std::uint32_t> end;
  std::span<const Strip> strips;
  std::size_t pitch = 0;
  bool whole = true;  ///< every cell may be used

  /// Whole vectors for that many rows, and room for one that starts after the last row.
  static constexpr std::size_t pitch_of(std::size_t height) {
    constexpr std::size_t vector = 8;  // a multiple of the lanes of every vector
    return (height + vector - 1) / vector * vector + vector;
  }
  std::size_t diagonals() const { return begin.size(); }
  /// Diagonals in an array by diagonals.
  std::size_t length() const { return strips.back().position + strips.back().last - strips.back().first; }
  /// The number of the diagonal of (i, j), a cell that may be used, in such an array.
  std::size_t position(std::size_t i, std::size_t j) const {
    const Strip& strip = strips[i / strip_rows];
    return strip.position + i + j - strip.first;
  }
};

/// P(previous cell | cell) for the three moves, by diagonals: `pitch` probabilities of moves down, from
/// (i − 1, j), then as many of moves right, from (i, j − 1), then of diagonal ones, from (i − 1, j − 1).
struct MoveProbabilities {
  std::span<double> values;  ///< empty where they are not wanted

  static std::size_t size(const DiagonalGrid& grid) { return 3 * grid.pitch * grid.length(); }
  double* diagonal(const DiagonalGrid& grid, std::size_t position) const {
    return values.data() + 3 * grid.pitch * position;
  }
  struct Cell {
    double down;
    double right;
    double diagonal;
  };
  Cell at(const DiagonalGrid& grid, std::size_t i, std::size_t j) const {
    const double* from = diagonal(grid, grid.position(i, j)) + i % DiagonalGrid::strip_rows;
    return {from[0], from[grid.pitch], from[2 * grid.pitch]};
  }
};

/// log Σ exp⟨scale · scores, y⟩ over the paths, and the probabilities of the moves. −inf if no path is left;
/// the probabilities are then meaningless. `scores` is rows × cols.
double soft_dtw_forward(const DiagonalGrid& grid, std::span<const double> scores, double scale,
                        MoveProbabilities moves, Workspace& scratch);

/// The probability mu(i, j) that a path uses a cell.
void soft_dtw_backward(const DiagonalGrid& grid, MoveProbabilities moves, std::span<double> mu,
                       Workspace& scratch);

/// out = Cov[Y] v, given the marginals mu.
void soft_dtw_covariance(const DiagonalGrid& grid, MoveProbabilities moves, std::span<const double> mu,
                         std::span<const double> v, std::span<double> out, Workspace& scratch);

}  // namespace fenchel::kernels
