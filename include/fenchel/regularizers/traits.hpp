// SPDX-License-Identifier: Apache-2.0
// What is known about a regularizer Ω: the facts that gate algorithms, tests and the table of losses.
#pragma once

#include <limits>
#include <string_view>

#include "fenchel/core/domain.hpp"

namespace fenchel {

/// The properties of Ω. Texts are for people: `fenchel losses` prints them.
struct Traits {
  std::string_view name = {};       ///< as in texts and in JSON
  Domain domain = Domain::simplex;  ///< dom(Ω)
  bool convex = true;               ///< false: no prox, ŷ may be only stationary
  bool strictly_convex = true;      ///< then ŷ is unique and the loss differentiable (Proposition 2.4)
  bool strongly_convex = true;      ///< then the loss is smooth: ŷ is Lipschitz
  bool sparse = true;               ///< ŷ reaches the boundary of the domain
  bool separable = false;           ///< Ω(μ) = Σ g(μ_j) over its domain
  bool symmetric = true;            ///< Ω does not change when coordinates are permuted
  bool zero_at_vertices = true;     ///< assumption A.1: Ω(e_k) = 0
  bool legendre = false;            ///< essentially smooth: ∇Ω explodes at the boundary (Definition 3)
  bool piecewise_linear = false;    ///< ŷ is piecewise linear in θ: its Jacobian is constant on each piece
  bool differentiable = true;       ///< false: Ω has kinks inside its domain, ∇Ω does not characterise ŷ
  double entmax_order = 0;          ///< α where ŷ is α-entmax of the scores; 0: it is not
  bool attained = true;             ///< false: no μ attains the supremum that defines ŷ, which is a limit

  // How exactly it is computed. traits_of() knows by itself where differences replace a missing member.
  bool value_by_search = false;          ///< Ω(μ) is found iteratively, as exactly as that search ends
  bool predict_by_search = false;        ///< ŷ is found by a general method: to nine digits, and slowly
  bool gradient_by_differences = false;  ///< ∇Ω to about nine digits
  bool jvp_by_differences = false;       ///< J v to about nine digits
  double score_limit = std::numeric_limits<double>::infinity();  ///< above it ŷ or Ω* overflows

  std::string_view formula = {};     ///< Ω(μ)
  std::string_view loss = {};        ///< the name under which its loss is known
  std::string_view prediction = {};  ///< the name under which ŷ is known
  std::string_view paper = {};       ///< where the paper treats it
};

}  // namespace fenchel
