// SPDX-License-Identifier: Apache-2.0
// Alignments: parameters, checks, encodings, and the oracles that the soft-DTW kernels compute. map and
// k_best are in alignment_best.cpp.
#include "fenchel/polytopes/alignment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "kernels/soft_dtw.hpp"
#include "polytopes/alignment_grid.hpp"
#include "polytopes/entries.hpp"

namespace fenchel {
namespace {

constexpr std::size_t largest_dimension = std::numeric_limits<std::uint32_t>::max();  // indices have 32 bits

/// Whether a path may go from one cell to the other.
bool is_move(const Alignment::Cell& from, const Alignment::Cell& to) {
  return to.i - from.i <= 1 && to.j - from.j <= 1 && (to.i != from.i || to.j != from.j);
}

/// Zeros and ones, with both corners among them, must be the cells of one path; other points pass.
void check_path(const Alignment& set, std::string_view name, std::span<const double> mu) {
  if (!entries::all_whole(mu)) return;
  std::size_t used = 0;
  for (const double entry : mu) used += entry > 0.5 ? 1 : 0;
  const auto has = [&](std::size_t i, std::size_t j) {
    return i < set.m && j < set.n && mu[i * set.n + j] > 0.5;
  };
  // A path that uses the cell to the right of one of its cells goes there; likewise for the cell below.
  std::size_t i = 0;
  std::size_t j = 0;
  std::size_t walked = 1;
  while (i + 1 < set.m || j + 1 < set.n) {
    const bool right = has(i, j + 1);
    const bool down = !right && has(i + 1, j);
    if (!right && !down && !has(i + 1, j + 1)) {
      throw OutsideDomain(
          name,
          fmt::format("is not an alignment: no cell to the right of ({}, {}), below it or diagonal to it "
                      "goes on",
                      i, j));
    }
    i += right ? 0 : 1;
    j += down ? 0 : 1;
    ++walked;
  }
  if (walked == used) return;
  throw OutsideDomain(
      name, fmt::format("is not an alignment: it uses {} cells, of which {} lie on one path", used, walked));
}

/// Scores beyond this are too large for the kernels.
constexpr double largest_kernel_score = 1e290;

/// log Z and the probabilities of the moves, for any scores.
double sum_paths(const Alignment& set, const kernels::DiagonalGrid& grid, std::span<const double> theta,
                 kernels::MoveProbabilities moves, Workspace& scratch) {
  if (!entries::within(theta, largest_kernel_score)) {
    return sum_paths_by_logarithms(set, grid, theta, moves, scratch);
  }
  return kernels::soft_dtw_forward(grid, theta, 1, moves, scratch);
}

}  // namespace

std::vector<Alignment> Alignment::examples() {
  return {{.m = 1, .n = 1},           {.m = 1, .n = 4}, {.m = 3, .n = 1},
          {.m = 3, .n = 3},           {.m = 5, .n = 4}, {.m = 5, .n = 6, .band = 1},
          {.m = 6, .n = 3, .band = 1}};
}

void Alignment::check() const {
  check_at_least("m", static_cast<double>(m), 1);
  check_at_least("n", static_cast<double>(n), 1);
  if (n > largest_dimension / m) {
    throw std::invalid_argument(fmt::format("m * n is {} * {}; expected fewer than 2^32 cells", m, n));
  }
}

Alignment::Columns Alignment::columns(std::size_t i) const {
  const std::size_t height = m - 1;
  const std::size_t width = n - 1;
  if (band == 0 || band >= std::min(height, width)) return {0, n};
  const std::size_t reach = band * std::max(height, width);
  const std::size_t begin = i * width > reach ? (i * width - reach + height - 1) / height : 0;
  return {begin, std::min(n, (i * width + reach) / height + 1)};
}

double Alignment::marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const kernels::DiagonalGrid grid = diagonal_grid(*this, scratch);
  const kernels::MoveProbabilities moves = take_moves(grid, scratch);
  const double log_z = sum_paths(*this, grid, theta, moves, scratch);
  if (log_z > -infinity) kernels::soft_dtw_backward(grid, moves, mu, scratch);
  return log_z;
}

double Alignment::log_partition(std::span<const double> theta, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return sum_paths(*this, diagonal_grid(*this, scratch), theta, {}, scratch);
}

void Alignment::marginals_jvp(std::span<const double> theta, std::span<const double> mu,
                              std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const kernels::DiagonalGrid grid = diagonal_grid(*this, scratch);
  const kernels::MoveProbabilities moves = take_moves(grid, scratch);
  sum_paths(*this, grid, theta, moves, scratch);
  kernels::soft_dtw_covariance(grid, moves, mu, v, out, scratch);
}

void Alignment::sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
                       Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const kernels::DiagonalGrid grid = diagonal_grid(*this, scratch);
  const kernels::MoveProbabilities moves = take_moves(grid, scratch);
  const double log_z = sum_paths(*this, grid, theta, moves, scratch);
  for (Structure& draw : draws) {
    draw.clear();
    if (log_z == -infinity) continue;
    std::size_t i = m - 1;
    std::size_t j = n - 1;
    draw.indices.push_back(static_cast<std::uint32_t>(i * n + j));
    while (i > 0 || j > 0) {
      const auto chance = moves.at(grid, i, j);
      // Rounding may leave the sum of the three below one: the last interval ends where the sum does.
      const double point = random.uniform() * (chance.diagonal + chance.down + chance.right);
      const bool diagonal = point < chance.diagonal;
      const bool down = !diagonal && (point < chance.diagonal + chance.down || chance.right == 0);
      if (diagonal || down) --i;
      if (!down) --j;
      draw.indices.push_back(static_cast<std::uint32_t>(i * n + j));
    }
    std::reverse(draw.indices.begin(), draw.indices.end());
  }
}

void Alignment::check_point(std::string_view name, std::span<const double> mu) const {
  constexpr double tolerance = simplex_tolerance<double>;
  check_size(name, mu.size(), dimension());
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto column = scratch.take<double>(n);
  std::ranges::fill(column, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    const Columns allowed = columns(i);
    double row = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double entry = mu[i * n + j];
      const bool inside = j >= allowed.begin && j < allowed.end;
      if (!(entry >= -tolerance && entry <= 1 + tolerance)) {
        throw std::invalid_argument(
            fmt::format("{}[{}, {}] is {}; entries must be in [0, 1]", name, i, j, entry));
      }
      if (!inside && entry > tolerance) {
        throw std::invalid_argument(
            fmt::format("{}[{}, {}] is {}; expected 0 outside the band", name, i, j, entry));
      }
      row += entry;
      column[j] += entry;
    }
    if (row < 1 - tolerance) {
      throw std::invalid_argument(
          fmt::format("row {} of {} sums to {}; every path meets every row", i, name, row));
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    if (column[j] >= 1 - tolerance) continue;
    throw std::invalid_argument(
        fmt::format("column {} of {} sums to {}; every path meets every column", j, name, column[j]));
  }
  for (const double corner : {mu.front(), mu.back()}) {
    if (corner >= 1 - tolerance) continue;
    throw std::invalid_argument(fmt::format("{} is {} in a corner that every path uses", name, corner));
  }
  check_path(*this, name, mu);
}

Structure Alignment::structure(std::span<const Cell> path) const {
  if (path.empty() || path.front() != Cell{0, 0} || path.back() != Cell{m - 1, n - 1}) {
    throw std::invalid_argument(fmt::format("path must go from (0, 0) to ({}, {})", m - 1, n - 1));
  }
  Structure out;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Cell& cell = path[k];
    if (k > 0 && !is_move(path[k - 1], cell)) {
      throw std::invalid_argument(
          fmt::format("path goes from ({}, {}) to ({}, {}); moves are right, down, diagonal", path[k - 1].i,
                      path[k - 1].j, cell.i, cell.j));
    }
    const Columns allowed = columns(cell.i);
    if (cell.j < allowed.begin || cell.j >= allowed.end) {
      throw std::invalid_argument(
          fmt::format("path uses ({}, {}), which is outside the band", cell.i, cell.j));
    }
    out.indices.push_back(static_cast<std::uint32_t>(cell.i * n + cell.j));
  }
  return out;
}

Structure Alignment::structure(std::span<const int> path) const {
  std::vector<Cell> cells;
  for (std::size_t k = 0; k + 1 < path.size(); k += 2) {
    if (path[k] < 0 || path[k + 1] < 0) {
      throw std::invalid_argument(
          fmt::format("a cell of the path is ({}, {}); expected no negative numbers", path[k], path[k + 1]));
    }
    cells.push_back({static_cast<std::size_t>(path[k]), static_cast<std::size_t>(path[k + 1])});
  }
  return structure(std::span<const Cell>(cells));
}

std::vector<Alignment::Cell> Alignment::cells(const Structure& path) const {
  std::vector<Cell> out;
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (path.value(k) != 1) {
      throw std::invalid_argument(fmt::format("entry {} of the path is {}; expected 1", k, path.value(k)));
    }
    if (path.indices[k] >= dimension()) {
      throw std::invalid_argument(
          fmt::format("index {} of the path is {}; expected below {}", k, path.indices[k], dimension()));
    }
    out.push_back({path.indices[k] / n, path.indices[k] % n});
  }
  static_cast<void>(structure(out));  // checks the moves
  return out;
}

}  // namespace fenchel
