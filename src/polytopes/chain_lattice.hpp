// SPDX-License-Identifier: Apache-2.0
// The lattice that sequences and chains share (paper §7.3 "Sequences"): n steps, m states, a path takes one
// state s_t a step and scores  start(s_0) + Σ_{t ≥ 1} edges_t(s_t, s_{t−1}) + nodes_t(s_t). Every algorithm
// is written once, for this form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/random.hpp"
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

/// A path, one state a step.
using Path = std::span<std::uint32_t>;

/// Viterbi: the best path and its score; −inf (and no path) where every path has a masked entry.
double best_path(const Lattice& theta, Path path, Workspace& scratch);

/// Visits the k paths of highest score (fewer where there are no more) with their ranks, best first; returns
/// how many.
std::size_t best_paths(const Lattice& theta, std::size_t k, FunctionRef<void(std::size_t, Path)> visit,
                       Workspace& scratch);

/// `count` independent paths drawn from p ∝ exp(score), one after the other in `paths`; false where all are
/// masked. Forward filtering, backward sampling: the forward pass and the distributions that are met are
/// computed once.
bool sample_paths(const Lattice& theta, std::size_t count, Random& random, std::span<std::uint32_t> paths,
                  Workspace& scratch);

}  // namespace fenchel
