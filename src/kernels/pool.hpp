// SPDX-License-Identifier: Apache-2.0
// Pooling adjacent violators, which is all that isotonic regression (solvers/isotonic.hpp) has to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fenchel::kernels {

/// A block of consecutive entries; its value is sum / weight.
struct MeanBlock {
  double sum;
  double weight;
};

/// Room for a stack at the end of each of the chains that run side by side.
inline constexpr std::size_t pool_padding = 16;

/// The blocks of consecutive entries whose ratios Σ sums / Σ weights descend, made by pooling as few as
/// possible: with weights of 1 (none given) those of the non-increasing sequence nearest to `sums`. Block b
/// covers the entries up to ends[b] (one past its last). Weights are >= 0; an entry without weight joins the
/// block before it if its sum is positive. Returns the number of blocks; `blocks` and `ends` have room for
/// sums.size() + pool_padding entries.
std::size_t pool_means(std::span<const double> sums, std::span<const double> weights,
                       std::span<MeanBlock> blocks, std::span<std::uint32_t> ends);

}  // namespace fenchel::kernels
