// SPDX-License-Identifier: Apache-2.0
// What several sets do with all entries of a vector: checks, in loops that become vector instructions, and a
// Jacobian.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/report.hpp"

namespace fenchel::entries {

/// Of a search in a set of which masks leave nothing.
inline constexpr Report nothing_left{.status = Status::stalled, .residual = infinity};

/// Throws unless entries can be numbered in 32 bits.
inline void check_number(std::size_t d) {
  if (d >= 1 && d <= std::numeric_limits<std::uint32_t>::max()) return;
  throw std::invalid_argument(fmt::format("d is {}; expected a number in 1..2^32-1", d));
}

/// Whether every score is −inf or at most `limit` in absolute value.
inline bool within(std::span<const double> theta, double limit) {
  double sums[4] = {0, 0, 0, 0};  // independent, so that additions need not wait for each other
  std::size_t j = 0;
  for (; j + 4 <= theta.size(); j += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += std::abs(theta[j + lane]);
  }
  for (; j < theta.size(); ++j) sums[0] += std::abs(theta[j]);
  if (sums[0] + sums[1] + sums[2] + sums[3] <= limit) return true;  // the usual case
  for (const double score : theta) {
    if (std::abs(score) > limit && score != -infinity) return false;
  }
  return true;
}

/// Whether every share of [0, 1] is a zero or a one, within the tolerance of points.
inline bool all_whole(std::span<const double> mu) {
  std::size_t fractions = 0;
  for (const double share : mu) fractions += share * (1 - share) > simplex_tolerance<double> ? 1 : 0;
  return fractions == 0;
}

/// diag(w) v − w ⟨w, v⟩/Σw: how a projection moves along v where the entries with weights w share a fixed
/// sum.
template <class Weight>
void move_together(std::span<const double> v, Weight weight, std::span<double> out) {
  double sum = 0;
  double total = 0;
  for (std::size_t j = 0; j < v.size(); ++j) {
    sum += weight(j) > 0 ? weight(j) * v[j] : 0;
    total += weight(j);
  }
  for (std::size_t j = 0; j < v.size(); ++j) out[j] = weight(j) > 0 ? weight(j) * (v[j] - sum / total) : 0;
}

}  // namespace fenchel::entries
