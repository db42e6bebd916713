// SPDX-License-Identifier: Apache-2.0
// Polytopes by name (core/spec.hpp has the notation): {"name": "sequence", "n": 5, "m": 3}.
#pragma once

#include <string_view>
#include <vector>

#include "fenchel/core/spec.hpp"
#include "fenchel/polytopes/any.hpp"

namespace fenchel {

/// The polytope that a spec (or its text) describes. Unknown names and parameters suggest the nearest known
/// one; values are checked.
AnyPolytope make_polytope(const Spec& spec);
AnyPolytope make_polytope(std::string_view text);

/// A polytope of the list, for tables and for tests that iterate over all of them.
struct PolytopeEntry {
  PolytopeTraits traits;
  std::string_view class_name;  ///< of C++ and of Python
  std::vector<ParameterEntry> parameters;
  std::vector<AnyPolytope> examples;  ///< small instances that cover its special cases
};

/// Every polytope of polytopes/all.hpp, in its order.
const std::vector<PolytopeEntry>& polytope_list();

}  // namespace fenchel
