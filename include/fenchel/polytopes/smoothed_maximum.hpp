// SPDX-License-Identifier: Apache-2.0
// The best score of a sequence with every maximum of Viterbi's recursion smoothed (paper §7.1, last remark;
// Mensch and Blondel 2018, "Differentiable dynamic programming for structured prediction and attention"):
//     V_0(i) = θ_{0,i,0},   V_t(i) = max_Ω (θ_{t,i,·} + V_{t−1}),   DP_Ω(θ) = max_Ω V_{n−1},
//     max_Ω(x) = max over the simplex of ⟨p, x⟩ − T Ω(p).
// It is convex and differentiable, and its gradient is the expectation of Y under a Markov chain that runs
// backwards: a point of conv(Y). With Ω = Σ p log p and T = 1 it is log Z, exactly, and the gradient is the
// marginals; with Ω = ½‖p‖² − ½ the gradient is sparse, at the cost of a loss that structured sparsemax only
// approximates.
#pragma once

#include <span>

#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/sequence.hpp"

namespace fenchel {

/// What smooths a maximum.
enum class Smoothing {
  shannon,  ///< Ω(p) = Σ p log p: max_Ω is log-sum-exp, its gradient softmax
  gini,     ///< Ω(p) = ½‖p‖² − ½: its gradient is sparsemax
};

/// DP_Ω over the lattice of a Sequence; θ, μ, v and out are laid out as the sequence lays them out.
struct SmoothedMaximum {
  Sequence set;
  Smoothing smoothing = Smoothing::shannon;
  double temperature = 1;  ///< T > 0; towards 0, Viterbi's algorithm

  void check() const;

  /// DP_Ω(θ); −inf where every sequence is masked.
  double value(std::span<const double> theta, Workspace& scratch) const;

  /// μ = ∇DP_Ω(θ), the expected transitions; returns DP_Ω(θ).
  double gradient(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const;

  /// out = ∇²DP_Ω(θ) v (an element of the generalized one where sparsemax has a kink).
  void hessian_product(std::span<const double> theta, std::span<const double> v, std::span<double> out,
                       Workspace& scratch) const;
};

}  // namespace fenchel
