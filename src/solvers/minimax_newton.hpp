// SPDX-License-Identifier: Apache-2.0
// The last steps to a minimum of max_i f_i(x): Newton's method on the conditions that hold there,
//     Σ_i p_i ∇f_i(x) = 0,  Σ_i p_i = 1,  f_i(x) = v for all i of a guessed set.
// It finds weights of any smallness, which a bundle of linear pieces (minimax.hpp) loses, from a point that
// need not be near as long as the set is right.
#pragma once

#include <span>

#include "solvers/minimax.hpp"

namespace fenchel {

/// From x, with the set of all functions and then ever fewer: the one of the smallest weight leaves it.
/// Second derivatives are differences of gradients. `converged` means that a set was found whose point
/// proves itself: no function is above v, no weight negative, and what the conditions lack, at a distance of
/// the size of x, is at most `tolerance` times the larger of 1 and |v|. Otherwise x and weights stay as they
/// were.
Minimax::Result newton_minimax(Minimax::Functions functions, std::span<double> x, std::span<double> weights,
                               double tolerance);

}  // namespace fenchel
