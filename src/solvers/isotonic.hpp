// SPDX-License-Identifier: Apache-2.0
// Isotonic optimisation: the best non-increasing sequence v_1 ≥ … ≥ v_n, which is constant on blocks of
// consecutive entries. Bregman projections onto the permutahedron reduce to it (paper §7.3, "Permutations"):
//  - Euclidean, min ½ Σ c_i (v_i − y_i)²: a block's value is the weighted mean of its y;
//  - Kullback-Leibler, min Σ e^{s_i − v_i} + w_i v_i: a block's value is log Σ e^s − log Σ w.
// Both by pooling adjacent violators, in linear time. For a non-decreasing fit, change the signs of y and v.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// argmin over v_1 ≥ … ≥ v_n of ½ Σ (v_i − y_i)². Writes v, and into `ends` where each block ends (one past
/// its last entry); returns the number of blocks. v and `ends` have y's size; v may be y itself. Finite y.
std::size_t isotonic_regression(std::span<const double> y, std::span<double> v, std::span<std::uint32_t> ends,
                                Workspace& scratch);

/// The same with weights c_i > 0.
std::size_t isotonic_regression(std::span<const double> y, std::span<const double> weights,
                                std::span<double> v, std::span<std::uint32_t> ends, Workspace& scratch);

/// Only the blocks of the fit to the ratios sums/weights with these weights (if empty, all are 1).
std::size_t isotonic_blocks(std::span<const double> sums, std::span<const double> weights,
                            std::span<std::uint32_t> ends, Workspace& scratch);

/// The blocks of argmin over v_1 ≥ … ≥ v_n of Σ e^{s_i − v_i} + w_i v_i, w ≥ 0 (an entry without weight joins
/// the block before it). Returns their number.
std::size_t isotonic_kl_blocks(std::span<const double> s, std::span<const double> weights,
                               std::span<std::uint32_t> ends, Workspace& scratch);

/// The same for weights w = e^u given by their logarithms (−inf is a weight of 0): exact for any spread.
std::size_t isotonic_log_kl_blocks(std::span<const double> s, std::span<const double> log_weights,
                                   std::span<std::uint32_t> ends, Workspace& scratch);

/// The solution of the latter: log Σ e^s − log Σ e^u on each block (+inf where a block has no weight). v may
/// be s or u.
std::size_t isotonic_kl(std::span<const double> s, std::span<const double> log_weights, std::span<double> v,
                        std::span<std::uint32_t> ends, Workspace& scratch);

/// Fits that allocate their own memory; sizes and values are checked. Without weights all are 1.
void isotonic_regression(std::span<const double> y, std::span<double> v,
                         std::span<const double> weights = {});
void isotonic_kl(std::span<const double> s, std::span<const double> log_weights, std::span<double> v);

/// log Σ e^{s_i}; −inf entries count for nothing, and the value of no terms at all is −inf.
double log_sum_exp(std::span<const double> s);

}  // namespace fenchel
