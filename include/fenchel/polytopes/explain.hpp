// SPDX-License-Identifier: Apache-2.0
// Texts for people about sets of structures: a page about one, and the table of all.
#pragma once

#include <string>
#include <string_view>

#include "fenchel/polytopes/any.hpp"

namespace fenchel {

/// The set of a text such as "sequence:n=5,m=3"; of a name alone a small one.
AnyPolytope polytope_called(std::string_view text);

/// The structures, the layout of their scores, parameters, oracles and the place in the paper.
std::string explain(const AnyPolytope& set);
/// The same for a text, as polytope_called() reads it.
std::string explain_polytope(std::string_view text);

/// A table of every set of the list with the oracles that it has.
std::string table_of_polytopes();

}  // namespace fenchel
