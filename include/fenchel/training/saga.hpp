// SPDX-License-Identifier: Apache-2.0
// SAGA: stochastic gradient steps whose noise vanishes, because the gradient of every example when it was
// last visited is kept. With r_i = w_i (ŷ_i − y_i) and A = Σ_i x_i r_iᵀ/n over what is kept, a step is
//   W ← prox_{hG/n}(W − h (x_i (r_i − r_i^old)ᵀ + A)),   h = 1/(3L),  L = max_i w_i ‖x_i‖²/γ,
// γ the strong convexity of Ω. Sparse rows touch their own features only: the steps that the others missed,
// all alike, are made up for when they are next needed, in closed form for l2 and l1.
#pragma once

#include <memory>

#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/problem.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {

/// Takes every penalty and intercept; needs a strongly convex Ω and, where rows are sparse, no `center`:
/// throws std::invalid_argument saying what to choose instead. A step is a pass of n draws, then an
/// evaluation; it stops as the primal algorithms do. Parameters in `solver`: step=h (0: as above).
std::unique_ptr<Algorithm> make_saga(const LinearProblem<float>& problem, const TrainOptions& options);
std::unique_ptr<Algorithm> make_saga(const LinearProblem<double>& problem, const TrainOptions& options);

}  // namespace fenchel
