// SPDX-License-Identifier: Apache-2.0
// The structured separation margin (paper Definition 5, Proposition 8): the smallest m such that
//   ⟨θ, y⟩ ≥ max_z ⟨θ, z⟩ + (m/2)‖y − z‖²   implies   L(θ; y) = 0.
// Where ½‖y − z‖² = ⟨c, z − y⟩ is linear in z, the θ on the left are −m c plus the normal cone at y, which
// never leaves the θ of zero loss. So it is also the smallest m for which the prediction at −m c is y, for
// every y ∈ Y: at m·y where every structure has the same norm (Proposition 8), at m·(y − ½) where they are
// binary. Elsewhere m is at least what an edge [y, z] of conv(Y) needs: where every other structure is far
// below these two, the prediction stays y until ⟨θ, y − z⟩ falls below (m/2)‖y − z‖². It is no more where Ω
// is differentiable at y: zero loss is then ⟨θ − ∇Ω(y), z − y⟩ ≤ 0 for all z, and edges imply it for the
// others. Otherwise scores with several rivals may need more.
#pragma once

#include <optional>
#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/polytopes/any.hpp"

namespace fenchel {

/// What a loss predicts at θ when the truth is y (costs included).
using TruthPrediction =
    FunctionRef<void(std::span<const double> theta, std::span<const double> y, std::span<double> prediction)>;

/// What is known about the margin that is searched for.
struct MarginFacts {
  bool differentiable = false;  ///< Ω, at every structure along conv(Y), or it is 0
  bool exists = false;          ///< there is one, even if predictions approach y slowly
};

/// The margin by bisection at all structures (if there are at most 1024 and they can be listed), else at
/// those of random scores or, where ½‖y − z‖² is not linear, at random edges. 0 where there is one structure.
/// Empty where there is no margin: the prediction then nears y without reaching it. Throws
/// std::invalid_argument where edges do not tell: ½‖y − z‖² is not linear, and Ω is not differentiable.
std::optional<double> search_structured_margin(const AnyPolytope& polytope, TruthPrediction predict,
                                               const MarginFacts& facts);

/// Whether Y has one structure, whose loss is then always zero.
bool single_structure(const AnyPolytope& polytope);

}  // namespace fenchel
