// SPDX-License-Identifier: Apache-2.0
// Block coordinate ascent on the dual (paper §8.2): with w_i the weights and c_i the costs of the examples,
//   max_μ  − Σ_i w_i (Ω(μ_i) − Ω(y_i) − ⟨c_i, μ_i − y_i⟩) − G*(V),   V = Σ_i w_i x_i (y_i − μ_i)ᵀ,
// one example at a time: μ_i ← prox_{Ω/σ_i}(v_i/σ_i), v_i = Wᵀx_i + c_i + σ_i μ_i, σ_i = w_i‖x_i‖²/l2, and
// W = ∇G*(V) throughout. No step size; and because W belongs to V the duality gap is Σ_i w_i L_Ω(θ_i + c_i;
// μ_i), a sum of terms ≥ 0 that says how far each example is from its optimum.
//
// A step is a round of passes over the examples that hold most of the gap, then an evaluation of them all.
// Examples with ‖x_i‖ = 0 take ŷ_Ω(c_i) at the start. A separable Ω off the simplex (one-vs-all losses)
// trains groups of outputs in parallel. Parameters in `solver`: order=random (a new permutation for every
// pass) or cyclic.
#pragma once

#include <memory>

#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/problem.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {

/// Needs l2 > 0, a convex Ω and an intercept that is not free: throws std::invalid_argument saying what to
/// choose instead. `center` goes with l2 alone. Converged when gap ≤ tolerance · |objective|.
std::unique_ptr<Algorithm> make_dual_ascent(const LinearProblem<float>& problem, const TrainOptions& options);
std::unique_ptr<Algorithm> make_dual_ascent(const LinearProblem<double>& problem,
                                            const TrainOptions& options);

}  // namespace fenchel
