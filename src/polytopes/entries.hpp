// SPDX-License-Identifier: Apache-2.0
// What checks ask about all entries of a vector, in loops that become vector instructions.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"

namespace fenchel::entries {

/// Whether every score is −inf or at most `limit` in absolute value.
inline bool within(std::span<const double> theta, double limit) {
  double sums[4] = {0, 0, 0, 0};  // independent, so that additions need not wait for each other
  std::size_t j = 0;
  for (; j + 4 <= theta.size(); j += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += std::abs(theta[j + lane]);
  }
  for (; j < theta.size(); ++j) sums[0] += std::abs(theta[j]);
  if (sums[0] + sums[1] + sums[2] + sums[3] <= limit) return true;  // most often
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

}  // namespace fenchel::entries
