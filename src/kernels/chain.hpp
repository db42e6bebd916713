// SPDX-License-Identifier: Apache-2.0
// The compiled SIMD kernels of linear chains: n steps, m states, one state per step (paper §7.3 "Sequences").
//
// log Z and marginals run in the linear domain: scores are exponentiated once, after subtracting the largest
// of their step, the forward vector α_t is scaled to sum to one at every step, and the backward pass turns
// the exponentials into marginals in place:
//     w_t(i, j) = exp(θ_t(i, j) − c_t),   a_t(i) = Σ_j w_t(i, j) α_{t−1}(j),   α_t = a_t/s_t,   s_t = Σ a_t
//     μ_t(i, j) = μ_t(i) w_t(i, j) α_{t−1}(j)/a_t(i),   μ_{t−1}(j) = Σ_i μ_t(i, j)
//     log Z = Σ_t c_t + log s_t
// Here i is the state of step t, j that of step t − 1. Nothing is subtracted and every row of μ_t is
// normalised by construction. This holds only while nothing that matters underflows: where the scores of a
// step spread over more than `chain_spread`, or α_t gets smaller than `chain_smallest`, the functions say so
// (nullopt, false), and the caller works in the log domain. Scores of −inf are masks, whose weight is exactly
// 0.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "fenchel/core/workspace.hpp"

namespace fenchel::kernels {

/// The finite scores of a step may differ by this much, and a positive entry of α_t may be this small: then
/// no product w α underflows (e^−200 · 1e-150 > 1e-237), and neither does its quotient with another one.
inline constexpr double chain_spread = 200;
inline constexpr double chain_smallest = 1e-150;

/// out_i = max_j (edges_{i, j} + previous_j), for `edges` of shape [m, m] and m = out.size().
void chain_max(std::span<const double> edges, std::span<const double> previous, std::span<double> out);

/// log Z and the edge marginals `mu` for edge scores `theta`, both [n, m, m]; in step 0 only the entries
/// (0, i, 0) are read, and the others get 0. An empty `mu` asks for log Z alone. −inf: every path is masked.
std::optional<double> chain_marginals(std::span<const double> theta, std::size_t m, std::span<double> mu,
                                      Workspace& scratch);

/// out = Cov[Y] v for edge marginals `mu`, all [n, m, m]. With V_t(i) the derivative along v of the
/// log-partition of the paths that end in i at step t,
///     V_t(i) = Σ_j μ_t(i, j)/μ_t(i) (v_t(i, j) + V_{t−1}(j)),
///     out_t(i, j) = μ_t(i, j) (v_t(i, j) + V_{t−1}(j) − V_t(i)) + out_t(i) μ_t(i, j)/μ_t(i).
void chain_covariance(std::span<const double> mu, std::size_t m, std::span<const double> v,
                      std::span<double> out, Workspace& scratch);

/// A chain with node scores [n, m] and transition scores [m, m] (previous state first) that all steps share.
struct SharedChain {
  std::span<const double> nodes;
  std::span<const double> transitions;
  std::size_t m;
};

/// The same shapes, written: expectations, or their derivatives. All empty where they are not wanted.
struct SharedChainGradient {
  std::span<double> nodes;
  std::span<double> transitions;
};

/// log Z, the node marginals and the expected numbers of transitions (or log Z alone if `mu` is empty).
std::optional<double> shared_chain_marginals(const SharedChain& theta, SharedChainGradient mu,
                                             Workspace& scratch);

/// out = Cov[Y] v.
bool shared_chain_covariance(const SharedChain& theta, const SharedChain& v, SharedChainGradient out,
                             Workspace& scratch);

}  // namespace fenchel::kernels
