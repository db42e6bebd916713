// SPDX-License-Identifier: Apache-2.0
// Vectors of zeros and ones that give every word one head: whether they are trees.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fenchel/core/workspace.hpp"

namespace fenchel::trees {

/// The head of each word of an [n, n] vector whose columns have one 1 each, within a tolerance; a word that
/// is attached to the root is its own head. Empty if the vector has other entries than zeros and ones. Lives
/// in the caller's frame of `scratch`.
std::span<std::uint32_t> heads_of(std::span<const double> mu, std::size_t n, Workspace& scratch);

/// Throws std::invalid_argument if following the heads from some word leads into a cycle: "y is not an
/// arborescence: words 2 and 3 form a cycle". `kind` is what was expected.
void check_acyclic(std::string_view name, std::string_view kind, std::span<const std::uint32_t> heads,
                   Workspace& scratch);

}  // namespace fenchel::trees
