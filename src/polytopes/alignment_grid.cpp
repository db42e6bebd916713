// SPDX-License-Identifier: Apache-2.0
#include "polytopes/alignment_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/core/numeric.hpp"

namespace fenchel {

kernels::DiagonalGrid diagonal_grid(const Alignment& set, Workspace& scratch) {
  using Grid = kernels::DiagonalGrid;
  const std::size_t diagonals = set.m + set.n - 1;
  const auto begin = scratch.take<std::uint32_t>(diagonals);
  const auto end = scratch.take<std::uint32_t>(diagonals);
  std::size_t low = 0;
  std::size_t high = 0;
  std::size_t cells = 0;
  for (std::size_t d = 0; d < diagonals; ++d) {
    // Row i meets diagonal d at column d − i, and the ends of a row's columns never move left from row to
    // row.
    while (high < set.m && high + set.columns(high).begin <= d) ++high;
    while (low + set.columns(low).end <= d) ++low;
    begin[d] = static_cast<std::uint32_t>(low);
    end[d] = static_cast<std::uint32_t>(high);
    cells += high - low;
  }
  const auto strips = scratch.take<Grid::Strip>((set.m + Grid::strip_rows - 1) / Grid::strip_rows);
  std::size_t position = 0;
  for (std::size_t s = 0; s < strips.size(); ++s) {
    const std::size_t row = s * Grid::strip_rows;
    const std::size_t row_end = std::min(row + Grid::strip_rows, set.m);
    strips[s] = {.row = row,
                 .row_end = row_end,
                 .first = row + set.columns(row).begin,
                 .last = row_end - 1 + set.columns(row_end - 1).end,
                 .position = position};
    position += strips[s].last - strips[s].first;
  }
  const std::size_t height = std::min(set.m, Grid::strip_rows);
  return {.rows = set.m,
          .cols = set.n,
          .begin = begin,
          .end = end,
          .strips = strips,
          .pitch = Grid::pitch_of(height),
          .whole = cells == set.m * set.n};
}

kernels::MoveProbabilities take_moves(const kernels::DiagonalGrid& grid, Workspace& scratch) {
  return {scratch.take<double>(kernels::MoveProbabilities::size(grid))};
}

double sum_paths_by_logarithms(const Alignment& set, const kernels::DiagonalGrid& grid,
                               std::span<const double> theta, kernels::MoveProbabilities moves,
                               Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const std::size_t stride = set.n + 1;  // a row and a column of −inf in front
  const auto sums = scratch.take<double>((set.m + 1) * stride);
  std::ranges::fill(sums, -infinity);
  std::ranges::fill(moves.values, 0.0);
  sums[0] = 0;  // the empty path
  for (std::size_t i = 0; i < set.m; ++i) {
    const Alignment::Columns allowed = set.columns(i);
    for (std::size_t j = allowed.begin; j < allowed.end; ++j) {
      const double down = sums[i * stride + j + 1];
      const double right = sums[(i + 1) * stride + j];
      const double diagonal = sums[i * stride + j];
      const double top = std::max({down, right, diagonal});
      const double score = theta[i * set.n + j];
      double& sum = sums[(i + 1) * stride + j + 1];
      if (top == -infinity || score == -infinity) continue;
      if (top == infinity) {
        sum = infinity;
        continue;
      }
      const double terms = std::exp(down - top) + std::exp(right - top) + std::exp(diagonal - top);
      sum = score + (top + std::log(terms));
      if (moves.values.empty()) continue;
      double* into = moves.diagonal(grid, grid.position(i, j)) + i % kernels::DiagonalGrid::strip_rows;
      into[0] = std::exp(down - top) / terms;
      into[grid.pitch] = std::exp(right - top) / terms;
      into[2 * grid.pitch] = std::exp(diagonal - top) / terms;
    }
  }
  return sums.back();
}

}  // namespace fenchel
