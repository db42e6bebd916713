// SPDX-License-Identifier: Apache-2.0
// The maximum over the paths of a lattice with every max of Viterbi's recursion smoothed (paper §7.1, last
// remark; Mensch and Blondel 2018):
//     V_t(i) = nodes_t(i) + max_Ω (edges_t(i, ·) + V_{t−1}),   DP_Ω(θ) = max_Ω V_{n−1},
//     max_Ω(x) = max over the simplex of ⟨p, x⟩ − T Ω(p).
// With Ω = −(Shannon entropy) and T = 1 this is log Z and its gradient the marginals, in the log domain:
// exact for any spread of the scores.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/smoothed_maximum.hpp"
#include "polytopes/chain_lattice.hpp"

namespace fenchel {

/// Which max_Ω, and its temperature T.
struct Smoother {
  Smoothing smoothing = Smoothing::shannon;
  double temperature = 1;

  /// x becomes the maximizer p = ∇max_Ω(x); returns max_Ω(x). With nothing but −inf: p = 0 and −inf.
  double operator()(std::span<double> x) const;

  /// x becomes ∇²max_Ω x, given the maximizer p; returns ⟨p, x⟩, the derivative of max_Ω along x.
  double derive(std::span<const double> p, std::span<double> x) const;
};

/// A forward pass: what it takes to recompute any row of the recursion.
struct SmoothedPass {
  std::span<double> potentials;  ///< V_t less its largest entry, [n, m]
  std::span<double>
      edge_shifts;   ///< the largest edge score of each step, subtracted before anything is added
  double value = 0;  ///< DP_Ω(θ)

  std::span<double> step(std::size_t t, std::size_t m) const { return potentials.subspan(t * m, m); }
};

/// DP_Ω(θ); the pass lives in the caller's frame of `scratch`.
SmoothedPass smoothed_forward(const Lattice& theta, const Smoother& smoother, Workspace& scratch);

/// x = ∇max_Ω at node (t, i), t ≥ 1: the distribution of the previous state.
double smoothed_row(const Lattice& theta, const Smoother& smoother, const SmoothedPass& pass, std::size_t t,
                    std::size_t i, std::span<double> x);

/// DP_Ω(θ) and its gradient, the expected path.
double smoothed_gradient(const Lattice& theta, const Smoother& smoother, const LatticeGradient& mu,
                         Workspace& scratch);

/// out = ∇²DP_Ω(θ) v.
void smoothed_hessian_product(const Lattice& theta, const Smoother& smoother, const Lattice& v,
                              const LatticeGradient& out, Workspace& scratch);

}  // namespace fenchel
