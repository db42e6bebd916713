// SPDX-License-Identifier: Apache-2.0
// The row scans of the linear assignment solver (solvers/assignment.hpp). A score of −inf is a forbidden
// pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fenchel::kernels {

/// The two largest entries of a row; `at` is the first place of the largest.
struct TopTwo {
  double best;
  double second;
  std::size_t at;
};

/// The two largest of row[j] − prices[j]; `second` is −inf where there is no other.
TopTwo top_two(std::span<const double> row, std::span<const double> prices);

/// What is nearest after a relaxation: among the columns not scanned yet, and among the free ones.
struct Nearest {
  double distance;
  double free_distance;
  std::size_t at;  ///< a column at `distance`
};

/// The state of one search for a shortest augmenting path; all spans have one entry per column.
struct PathSearch {
  std::span<const double> prices;    ///< +inf at scanned columns
  std::span<const double> occupied;  ///< 0 at free columns, else +inf
  std::span<double> distance;        ///< +inf at scanned columns
  std::span<std::int64_t> previous;  ///< the row through which `distance` is reached
};

/// distance[j] = min(distance[j], base − (row[j] − prices[j])), noting `index` in previous where that is
/// less.
Nearest relax(std::span<const double> row, double base, std::int64_t index, const PathSearch& search);

/// top[j] = max(top[j], row[j]), noting `index` in `owner` where that is more.
void raise_maxima(std::span<const double> row, std::int64_t index, std::span<double> top,
                  std::span<std::int64_t> owner);

}  // namespace fenchel::kernels
