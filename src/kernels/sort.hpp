// SPDX-License-Identifier: Apache-2.0
// Sorting scores in descending order together with their indices: the first step of MAP inference over the
// permutahedron and of projection onto it (paper §7.3), and nearly all of their cost.
#pragma once

#include <cstdint>
#include <span>

#include "fenchel/core/workspace.hpp"

namespace fenchel::kernels {

/// sorted[i] = values[order[i]], largest first; equal values (0 and −0 are equal) in order of their index.
/// Any values but NaN, fewer than 2^32 of them. `sorted` may not be `values`.
void argsort_descending(std::span<const double> values, std::span<std::uint32_t> order,
                        std::span<double> sorted, Workspace& scratch);

struct Range {
  double lowest;
  double highest;
};

/// The extremes of one value or more, none of them NaN.
Range range_of(std::span<const double> values);

}  // namespace fenchel::kernels
