// SPDX-License-Identifier: Apache-2.0
// The structured separation margin (paper Definition 5, Proposition 8): the smallest m such that
//   ⟨θ, y⟩ ≥ max_z ⟨θ, z⟩ + (m/2)‖y − z‖²   implies   L(θ; y) = 0.
// It is also the smallest m for which the prediction at θ = m·y is y itself, for every y ∈ Y.
#pragma once

#include <optional>
#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/polytopes/any.hpp"

namespace fenchel {

/// What a loss predicts at θ when the truth is y (costs included).
using TruthPrediction =
    FunctionRef<void(std::span<const double> theta, std::span<const double> y, std::span<double> prediction)>;

/// The margin by bisection at the structures of random scores, for structures of one norm. Nothing where
/// there is none: the prediction then nears y without reaching it. `exists` says that there is one, however
/// slowly it shows.
std::optional<double> structured_margin(const AnyPolytope& polytope, TruthPrediction predict,
                                        bool exists = false);

}  // namespace fenchel
