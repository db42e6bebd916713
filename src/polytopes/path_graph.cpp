// SPDX-License-Identifier: Apache-2.0
// Sequences, chains and alignments as paths.
#include "fenchel/polytopes/path_graph.hpp"

#include <algorithm>

#include "fenchel/polytopes/alignment.hpp"
#include "fenchel/polytopes/chain.hpp"
#include "fenchel/polytopes/sequence.hpp"

namespace fenchel {
namespace {

using Edge = PathGraph::Edge;
constexpr std::uint32_t no_entry = PathGraph::no_entry;

std::uint32_t index(std::size_t entry) { return static_cast<std::uint32_t>(entry); }

// n steps of m states, state i of step t being node t m + i, and a node behind the last step. `entries(t, i)`
// are those of a state, `edge(t, i, j)` that of the way from state j to state i.
template <class Entries, class EdgeEntry>
PathGraph lattice(std::size_t n, std::size_t m, const Entries& entries, const EdgeEntry& edge) {
  PathGraph graph;
  std::vector<Edge> edges;
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t i = 0; i < m; ++i) {
      edges.clear();
      for (std::size_t j = 0; t > 0 && j < m; ++j) {
        edges.push_back({index((t - 1) * m + j), index(edge(t, i, j))});
      }
      graph.add_node(entries(t, i), edges);
    }
  }
  edges.clear();
  for (std::size_t i = 0; i < m; ++i) edges.push_back({index((n - 1) * m + i), no_entry});
  graph.add_node({}, edges);
  return graph;
}

}  // namespace

void PathGraph::add_node(std::span<const std::uint32_t> entries, std::span<const Edge> edges) {
  entries_.insert(entries_.end(), entries.begin(), entries.end());
  entry_offsets_.push_back(entries_.size());
  edges_.insert(edges_.end(), edges.begin(), edges.end());
  edge_offsets_.push_back(edges_.size());
  most_edges_ = std::max(most_edges_, edges.size());
}

PathGraph Sequence::paths() const {
  const auto entries = [&](std::size_t t, std::size_t i) {
    std::vector<std::uint32_t> first;
    if (t == 0) first.push_back(index(i * m));
    return first;
  };
  return lattice(n, m, entries,
                 [&](std::size_t t, std::size_t i, std::size_t j) { return (t * m + i) * m + j; });
}

PathGraph Chain::paths() const {
  const std::size_t transitions = n * m, start = transitions + m * m;
  const auto entries = [&](std::size_t t, std::size_t i) {
    std::vector<std::uint32_t> found{index(t * m + i)};
    if (boundary && t == 0) found.push_back(index(start + i));
    if (boundary && t + 1 == n) found.push_back(index(start + m + i));
    return found;
  };
  return lattice(n, m, entries,
                 [&](std::size_t, std::size_t i, std::size_t j) { return transitions + j * m + i; });
}

PathGraph Alignment::paths() const {
  PathGraph graph;
  std::vector<std::uint32_t> above(n, no_entry), here(n, no_entry);  // the nodes of two rows
  for (std::size_t i = 0; i < m; ++i) {
    std::ranges::fill(here, no_entry);
    const Columns allowed = columns(i);
    for (std::size_t j = allowed.begin; j < allowed.end; ++j) {
      std::vector<Edge> edges;
      const auto add = [&](std::uint32_t from) {
        if (from != no_entry) edges.push_back({from, no_entry});
      };
      if (i > 0 && j > 0) add(above[j - 1]);
      if (i > 0) add(above[j]);
      if (j > 0) add(here[j - 1]);
      if (edges.empty() && (i > 0 || j > 0)) continue;  // out of reach
      here[j] = index(graph.nodes());
      const std::uint32_t cell = index(i * n + j);
      graph.add_node({&cell, 1}, edges);
    }
    std::swap(above, here);
  }
  return graph;
}

}  // namespace fenchel
