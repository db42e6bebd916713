// SPDX-License-Identifier: Apache-2.0
// Dependency trees as heads: heads[i] is the head of word i + 1, another word's number, 0 for the root, or −1
// if it is unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace fenchel {

/// Why heads do not form a tree.
struct TreeFault {
  std::size_t word = 0;  ///< the word at fault, from 0; the first one if the whole sentence is
  std::string problem;   ///< "the heads of words 3, 5 form a cycle"
};

/// What is wrong with the heads of a sentence; nothing if they form a tree with one root, or if all of them
/// are unknown. O(n).
std::optional<TreeFault> tree_fault(std::span<const std::int32_t> heads);

/// Whether every word and what depends on it, directly or not, are consecutive words: then no two arcs cross,
/// those from the root included. The heads must be a tree (tree_fault); false if they are unknown. O(n).
bool is_projective(std::span<const std::int32_t> heads);

}  // namespace fenchel
