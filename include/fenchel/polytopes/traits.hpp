// SPDX-License-Identifier: Apache-2.0
// What is known about a polytope conv(Y): the facts that gate algorithms, tests and the table of polytopes.
#pragma once

#include <string_view>

namespace fenchel {

/// The properties of conv(Y). Texts are for people.
struct PolytopeTraits {
  std::string_view name = {};          ///< as in --omega and in JSON
  bool binary = true;                  ///< every vertex is a vector of zeros and ones
  bool sphere = true;                  ///< every vertex has the same norm (paper §7.4)
  bool masks = true;                   ///< a score of −inf forbids the structures that use its entry
  std::string_view vertices = {};      ///< what Y is
  std::string_view layout = {};        ///< how θ and y are laid out
  std::string_view no_marginals = {};  ///< why there are no marginals, where there are none
  std::string_view paper = {};         ///< where the paper treats it
};

}  // namespace fenchel
