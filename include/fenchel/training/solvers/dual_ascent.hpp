// SPDX-License-Identifier: Apache-2.0
// Block coordinate ascent on the dual (paper §8.2): with w_i the weights and c_i the costs of the examples,
//   max_μ  − Σ_i w_i (Ω(μ_i) − Ω(y_i) − ⟨c_i, μ_i − y_i⟩) − G*(V),   V = Σ_i w_i x_i (y_i − μ_i)ᵀ,
// one example at a time: μ_i ← prox_{Ω/σ_i}(v_i/σ_i), v_i = Wᵀx_i + c_i + σ_i μ_i, σ_i = w_i‖x_i‖²/l2, and
// W = ∇G*(V) throughout. No step size; and because W belongs to V the duality gap is Σ_i w_i L_Ω(θ_i + c_i;
// μ_i), a sum of terms ≥ 0 that says how far each example is from its optimum.
//
// A step is a round of passes over the examples that hold most of the gap, then an evaluation of them all.
// Where Ω is quadratic on the simplex (hinge losses, sparsemax) and G is l2, a round that leaves most of the
// gap is followed by conjugate gradients on the face of the simplices that it found.
// Examples with ‖x_i‖ = 0 take ŷ_Ω(c_i) at the start. A separable Ω off the simplex (one-vs-all losses)
// trains groups of outputs in parallel. Kernel models are trained on the Gram matrix: the scores Θ = K a of
// all examples are kept up to date, so that an update costs a row of K, and a visit without one nothing.
// Taggers with Ω = (r/2)‖μ‖² or 0 keep μ_i as a mixture of sequences, between which shares move by exact line
// searches; a visit needs best sequences only.
#pragma once

#include "fenchel/training/solver.hpp"

namespace fenchel {

/// Trains linear and kernel models and taggers. Needs l2 > 0 (alone for kernels, taggers and where features
/// are centred), a convex Ω (over chains sparsemap, hinge or perceptron) and an intercept that is not free.
/// Converged when gap ≤ tolerance · |objective|.
struct DualAscent {
  std::string order = "random";  ///< random: a new permutation for every pass; or cyclic

  static constexpr SolverTraits traits{
      .name = "dual_ascent",
      .dual = true,
      .about = "l2 > 0, any convex Ω, kernels, taggers (sparsemap, hinge); the duality gap is exact"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"order", &DualAscent::order, "random (new for every pass) or cyclic"}};
  }
  void check() const;

  std::optional<Refusal> refuses(const Problem& problem, const TrainOptions& options) const;
  std::optional<std::string> suits(const Problem& problem, const TrainOptions& options) const;
  std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& asked) const;
};

static_assert(Solver<DualAscent>);

}  // namespace fenchel
