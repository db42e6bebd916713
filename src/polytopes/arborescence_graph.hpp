// SPDX-License-Identifier: Apache-2.0
// The weights of a graph of words: each column of scores shifted to a largest weight of one, which changes
// log Z by the sum of the shifts and marginals not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "polytopes/arborescence_elimination.hpp"
#include "polytopes/arborescence_numbers.hpp"

namespace fenchel::arborescence {

struct WeightedGraph {
  std::size_t n = 0;
  std::span<Scaled> arcs;          // n n, diagonal zero
  std::span<Scaled> root;          // n, times 2^root_exponent
  std::int64_t root_exponent = 0;  // of ε where the root has one child, else 0
  double shift = 0;                // what the columns' shifts sum to
  double spread = 0;               // the largest distance of two scores in a column, masks apart
  bool masked = false;
  bool reachable = true;  // whether every word can be reached from the root

  Rest<Scaled> rest() const { return {arcs.data(), root.data(), n, 0, n}; }
};

/// Takes its memory from the caller's frame.
WeightedGraph weighted_graph(const Arborescence& set, std::span<const double> theta, Workspace& scratch);

/// Whether the root leads to every word along arcs that are not masked.
bool all_reachable(std::size_t n, std::span<const double> theta, Workspace& scratch);

/// The best tree as heads, where a word is its own head if it is attached to the root; false if there is
/// none.
bool maximum_heads(const Arborescence& set, std::span<const double> theta, std::span<std::uint32_t> heads,
                   Workspace& scratch);

/// The structure of such heads.
void write_heads(std::span<const std::uint32_t> heads, Structure& out);

}  // namespace fenchel::arborescence
