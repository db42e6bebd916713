// SPDX-License-Identifier: Apache-2.0
// The lattice that sequences and chains share (paper §7.3 "Sequences"): n steps, m states, a path takes one
// state s_t per step and scores start(s_0) + Σ_{t ≥ 1} edges_t(s_t, s_{t−1}) + nodes_t(s_t). Every algorithm
// is written once, for this form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// Scores of a lattice, or a direction in their space; somebody else's memory.
struct Lattice {
  std::size_t n;
  std::size_t m;
  const double* start;  ///< [m]
  const double* edges;  ///< [m, m] at every step ≥ 1: entry (i, j) is for state i, from state j
  std::size_t
      edge_step;        ///< from the edges of one step to those of the next: m², or 0 where steps share them
  const double* nodes;  ///< [n, m], row 0 is not read; nullptr where there are none

  std::span<const double> row(std::size_t t, std::size_t i) const {
    return {edges + t * edge_step + i * m, m};
  }
  std::span<const double> matrix(std::size_t t) const { return {edges + t * edge_step, m * m}; }
  double node(std::size_t t, std::size_t i) const { return nodes == nullptr ? 0 : nodes[t * m + i]; }
};

/// The same, written: derivatives by the scores. Where steps share the edges, their derivatives add up.
struct LatticeGradient {
  double* start;
  double* edges;
  std::size_t edge_step;
  double* nodes;  ///< nullptr where there are none
};

/// A path, one state per step.
using Path = std::span<std::uint32_t>;

/// Viterbi: the best path and its score; −inf (and no path) where every path has a masked entry.
double best_path(const Lattice& theta, Path path, Workspace& scratch);

/// Writes a path as the structure of a polytope.
using AssignPath = FunctionRef<void(Path, Structure&)>;

/// The structures of the k paths of highest score (fewer where there are no more), best first.
void best_paths(const Lattice& theta, std::size_t k, AssignPath assign, std::vector<Structure>& structures,
                Workspace& scratch);

/// The structures of independent paths drawn from p ∝ exp(score); none are written where all are masked.
/// Forward filtering, backward sampling: the forward pass and the distributions that are met are computed
/// once.
void sample_paths(const Lattice& theta, Random& random, AssignPath assign, std::span<Structure> draws,
                  Workspace& scratch);

}  // namespace fenchel
