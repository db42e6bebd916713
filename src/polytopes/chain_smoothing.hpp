// SPDX-License-Identifier: Apache-2.0
// The log-partition function of a lattice in the log domain, exact for any spread of the scores (paper §7.1):
//     V_t(i) = nodes_t(i) + log Σ exp(edges_t(i, ·) + V_{t−1}),   log Z(θ) = log Σ exp V_{n−1}.
// Other maxima than log Σ exp: regularizers/smoothed_paths.hpp.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/workspace.hpp"
#include "polytopes/chain_lattice.hpp"

namespace fenchel {

/// x becomes softmax(x), the gradient of log Σ exp(x), which is returned. With nothing but −inf: 0 and −inf.
double soften(std::span<double> x);

/// x becomes ∇²(log Σ exp) x, given p = softmax; returns ⟨p, x⟩, the derivative of log Σ exp along x.
double derive(std::span<const double> p, std::span<double> x);

/// A forward pass: what it takes to recompute any row of the recursion.
struct SmoothedPass {
  std::span<double> potentials;  ///< V_t less its largest entry, [n, m]
  std::span<double>
      edge_shifts;   ///< the largest edge score of each step, subtracted before anything is added
  double value = 0;  ///< log Z(θ)

  std::span<double> step(std::size_t t, std::size_t m) const { return potentials.subspan(t * m, m); }
};

/// log Z(θ); the pass lives in the caller's frame of `scratch`.
SmoothedPass smoothed_forward(const Lattice& theta, Workspace& scratch);

/// x = softmax at node (t, i), t ≥ 1: the distribution of the previous state.
double smoothed_row(const Lattice& theta, const SmoothedPass& pass, std::size_t t, std::size_t i,
                    std::span<double> x);

/// log Z(θ) and its gradient, the expected path.
double smoothed_gradient(const Lattice& theta, const LatticeGradient& mu, Workspace& scratch);

/// out = ∇²log Z(θ) v.
void smoothed_hessian_product(const Lattice& theta, const Lattice& v, const LatticeGradient& out,
                              Workspace& scratch);

}  // namespace fenchel
