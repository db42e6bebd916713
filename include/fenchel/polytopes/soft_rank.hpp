// SPDX-License-Identifier: Apache-2.0
// Differentiable ranks and sorted values as projections onto permutahedra, under their usual names (Blondel,
// Teboul, Berthet, Djolonga: Fast Differentiable Sorting and Ranking, 2020). With ρ = (n, …, 1) and P(w) the
// permutahedron of w, for ascending order:
//  - soft_rank, Euclidean: the projection of θ/ε onto P(ρ), so that the smallest value has rank 1;
//  - soft_rank, Kullback-Leibler: argmax over P(ρ) of ⟨θ/ε, μ⟩ − Σ μ log μ, and so for any generator φ;
//  - soft_sort, Euclidean: minus the projection of ρ/ε onto P(−θ);
//  - soft_sort, Kullback-Leibler: minus the logarithm of argmax over P(e^{−θ}) of ⟨ρ/ε, μ⟩ − Σ μ log μ.
// Descending order exchanges θ and −θ. As ε → 0 these become ranks and sorted values; as ε → ∞ they tend to
// be equal.
#pragma once

#include <span>
#include <string_view>

#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/generator.hpp"

namespace fenchel {

/// How soft_rank and soft_sort are softened.
struct SoftSortOptions {
  double strength = 1;       ///< ε > 0
  bool kl = false;           ///< Kullback-Leibler instead of Euclidean
  bool descending = false;   ///< rank 1, and the first place, to the largest value
  Generator generator = {};  ///< φ in place of both, for ranks only: values in soft order can be negative

  /// Options with the regularization "l2", "kl", or a generator that is finite at ranks, such as
  /// "tsallis:alpha=1.5"; throws std::invalid_argument for others.
  static SoftSortOptions named(std::string_view regularization);
};

/// The soft rank of every value; ranks are counted from 1.
void soft_rank(std::span<const double> theta, std::span<double> out, const SoftSortOptions& options = {},
               Workspace& scratch = thread_workspace());

/// uᵀ ∂soft_rank/∂θ (the Jacobian is symmetric, so it is also the Jacobian times u).
void soft_rank_vjp(std::span<const double> theta, std::span<const double> u, std::span<double> out,
                   const SoftSortOptions& options = {}, Workspace& scratch = thread_workspace());

/// The values in soft order.
void soft_sort(std::span<const double> theta, std::span<double> out, const SoftSortOptions& options = {},
               Workspace& scratch = thread_workspace());

/// uᵀ ∂soft_sort/∂θ. On a block of the dual solution, a value's share is 1/(block size), Euclidean, or its
/// softmax among the block's values, Kullback-Leibler.
void soft_sort_vjp(std::span<const double> theta, std::span<const double> u, std::span<double> out,
                   const SoftSortOptions& options = {}, Workspace& scratch = thread_workspace());

/// ∂soft_sort/∂θ v: how the values in soft order change along v.
void soft_sort_jvp(std::span<const double> theta, std::span<const double> v, std::span<double> out,
                   const SoftSortOptions& options = {}, Workspace& scratch = thread_workspace());

}  // namespace fenchel
