// SPDX-License-Identifier: Apache-2.0
// Structures that are paths through a graph without cycles: sequences of states, alignments (paper §7.3). A
// dynamic programme visits nodes in their order, each after the nodes that lead to it; every path ends in the
// last one. The entries of θ that a node or an edge adds to the score of a path are named, so that one
// recursion serves all such sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fenchel {

/// Nodes 0, 1, … in such an order that edges lead from smaller numbers to larger ones.
class PathGraph {
 public:
  static constexpr std::uint32_t no_entry = 0xffffffff;

  /// An edge into a node.
  struct Edge {
    std::uint32_t from;
    std::uint32_t entry;  ///< of θ, which a path over the edge adds to its score; or no_entry
  };

  /// Adds a node with the entries of θ that a path through it adds, and its incoming edges: none where paths
  /// begin.
  void add_node(std::span<const std::uint32_t> entries, std::span<const Edge> edges);

  std::size_t nodes() const { return edge_offsets_.size() - 1; }
  std::size_t edges() const { return edges_.size(); }
  std::size_t most_edges() const { return most_edges_; }  ///< into one node
  std::span<const Edge> edges_into(std::size_t node) const {
    return std::span(edges_).subspan(edge_offsets_[node], edge_offsets_[node + 1] - edge_offsets_[node]);
  }
  /// Where the edges into a node begin, counted over all nodes.
  std::size_t first_edge(std::size_t node) const { return edge_offsets_[node]; }
  std::span<const std::uint32_t> entries_of(std::size_t node) const {
    return std::span(entries_).subspan(entry_offsets_[node], entry_offsets_[node + 1] - entry_offsets_[node]);
  }

 private:
  std::vector<std::size_t> edge_offsets_{0}, entry_offsets_{0};
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> entries_;
  std::size_t most_edges_ = 0;
};

}  // namespace fenchel
