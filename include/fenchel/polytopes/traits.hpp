// SPDX-License-Identifier: Apache-2.0
// What is known about a polytope conv(Y): the facts that gate algorithms, tests and the table of polytopes.
#pragma once

#include <string_view>

namespace fenchel {

/// The properties of conv(Y). Texts are for people.
struct PolytopeTraits {
  std::string_view name = {};     ///< as in texts and in JSON
  bool binary = true;             ///< every vertex is a vector of zeros and ones
  bool sphere = true;             ///< every vertex has the same norm (paper §7.4)
  bool masks = true;              ///< a score of −inf forbids the structures that use its entry
  bool fixed_sum = false;         ///< Σ y is the same for every structure: linear terms Σ μ do not matter
  bool entropic_faces = false;    ///< projections in KL reach faces: entries other than masks may be 0
  bool allocates = false;         ///< map() allocates memory in every call
  std::string_view axes = {};     ///< the parameter behind each axis of θ, as in "n m m"; else empty
  std::string_view lengths = {};  ///< the parameters in which the examples of a padded batch differ
  std::string_view short_axes = {};    ///< the axes of the short form; a word of its own where they vary
  std::string_view short_form = {};    ///< what the short form of a structure is, such as heads of words
  std::string_view vertices = {};      ///< what Y is
  std::string_view layout = {};        ///< how θ and y are laid out
  std::string_view no_marginals = {};  ///< why there are no marginals, where there are none
  std::string_view paper = {};         ///< where the paper treats it
};

}  // namespace fenchel
