// SPDX-License-Identifier: Apache-2.0
// Primal algorithms over any objective F (paper §8.1): L-BFGS where G is smooth, FISTA for every G. They see
// nothing but evaluations of F, and keep nothing but their own history.
//
// With V = −∇F(W) the duality gap at W is G(W) + G*(V) − ⟨W, V⟩ (paper §8.2), finite where l2 > 0. Parameters
// without a penalty (a free intercept) add ‖∇‖²/(2 l2): what they can still gain if F curves along them at
// least as much as the penalty does along the others. The algorithms stop when gap ≤ tolerance · |objective|;
// without l2, when the ∞-norm of the gradient (FISTA: of the step W − prox_G(W − ∇F)) has fallen to tolerance
// times its first value, or times 1 if that is less.
#pragma once

#include <memory>

#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/linear_objective.hpp"
#include "fenchel/training/objective.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {

/// L-BFGS; throws std::invalid_argument unless G is smooth. Parameter in `solver`: memory=10, the pairs kept.
std::unique_ptr<Algorithm> make_lbfgs(std::unique_ptr<Objective> objective, const TrainOptions& options);

/// FISTA with backtracking and restart.
std::unique_ptr<Algorithm> make_fista(std::unique_ptr<Objective> objective, const TrainOptions& options);

/// An L-BFGS for each output, all fed by the same evaluations; a step is one of them. For separable Ω and a G
/// that is smooth: one-vs-all losses.
std::unique_ptr<Algorithm> make_separate_lbfgs(std::unique_ptr<OutputsObjective> objective,
                                               const TrainOptions& options);

}  // namespace fenchel
