// SPDX-License-Identifier: Apache-2.0
// Block coordinate ascent on the dual (paper §8.2): with w_i the weights and c_i the costs of the examples,
//   max_μ  − Σ_i w_i (Ω(μ_i) − Ω(y_i) − ⟨c_i, μ_i − y_i⟩) − G*(V),   V = Σ_i w_i x_i (y_i − μ_i)ᵀ,
// one example at a time: μ_i ← prox_{Ω/σ_i}(v_i/σ_i), v_i = Wᵀx_i + c_i + σ_i μ_i, σ_i = w_i‖x_i‖²/l2, and
// W = ∇G*(V) throughout. No step size; and because W belongs to V the duality gap is Σ_i w_i L_Ω(θ_i + c_i;
// μ_i), a sum of terms ≥ 0 that says how far each example is from its optimum.
//
// A step is a round of passes over the examples that hold most of the gap, then an evaluation of them all.
// Examples with ‖x_i‖ = 0 take ŷ_Ω(c_i) at the start. A separable Ω off the simplex (one-vs-all losses)
// trains groups of outputs in parallel. Kernel models are trained on the Gram matrix: the scores Θ = K a of
// all examples are kept up to date, so that an update costs a row of K, and a visit without one nothing.
#pragma once

#include "fenchel/training/solver.hpp"

namespace fenchel {

/// Trains linear and kernel models. Needs l2 > 0 (alone for kernels and where features are centred), a convex
/// Ω and an intercept that is not free. Converged when gap ≤ tolerance · |objective|.
struct DualAscent {
  std::string order = "random";  ///< random: a new permutation for every pass; or cyclic

  static constexpr SolverTraits traits{.name = "dual_ascent",
                                       .dual = true,
                                       .about = "l2 > 0, any convex Ω, kernels; the duality gap is exact"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"order", &DualAscent::order, "random (new for every pass) or cyclic"}};
  }
  void check() const;

  std::optional<std::string> refuses(const Problem& problem, const TrainOptions& options) const;
  std::optional<std::string> suits(const Problem& problem, const TrainOptions& options) const;
  std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& options) const;
};

static_assert(Solver<DualAscent>);

}  // namespace fenchel
