// SPDX-License-Identifier: Apache-2.0
// What is known about a regularizer Ω: the facts that gate algorithms, tests and the table of losses.
#pragma once

#include <string_view>

#include "fenchel/core/domain.hpp"

namespace fenchel {

/// The properties of Ω. Texts are for people: `fenchel losses` prints them.
struct Traits {
  std::string_view name = {};        ///< as in --omega and in JSON
  Domain domain = Domain::simplex;   ///< dom(Ω)
  bool convex = true;                ///< false: no prox, ŷ may be only stationary
  bool strictly_convex = true;       ///< then ŷ is unique and the loss differentiable (Proposition 2.4)
  bool strongly_convex = true;       ///< then the loss is smooth: ŷ is Lipschitz
  bool sparse = true;                ///< ŷ reaches the boundary of the domain
  bool separable = false;            ///< Ω(μ) = Σ g(μ_j) over its domain
  bool symmetric = true;             ///< Ω does not change when coordinates are permuted
  bool zero_at_vertices = true;      ///< assumption A.1: Ω(e_k) = 0
  bool legendre = false;             ///< essentially smooth: ∇Ω explodes at the boundary (Definition 3)
  std::string_view formula = {};     ///< Ω(μ)
  std::string_view loss = {};        ///< the name under which its loss is known
  std::string_view prediction = {};  ///< the name under which ŷ is known
  std::string_view paper = {};       ///< where the paper treats it
};

}  // namespace fenchel
