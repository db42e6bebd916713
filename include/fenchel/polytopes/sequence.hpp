// SPDX-License-Identifier: Apache-2.0
// Sequences of states as paths through a lattice (paper §7.3 "Sequences"): Y holds the n×m×m tensors of zeros
// and ones with y_{t,i,j} = 1 where the sequence is in state i at step t and was in state j before, so that
// ⟨θ, y⟩ = Σ_t θ_{t, s_t, s_{t−1}}. Its marginals are those of the linear-chain conditional random field.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/concepts.hpp"
#include "fenchel/polytopes/path_graph.hpp"
#include "fenchel/polytopes/traits.hpp"

namespace fenchel {

/// conv(Y) of the sequences of n states out of m, with a score for every transition at every step.
struct Sequence {
  std::size_t n = 1;  ///< number of steps
  std::size_t m = 2;  ///< number of states

  static constexpr PolytopeTraits traits{.name = "sequence",
                                         .axes = "n m m",
                                         .lengths = "n",
                                         .short_axes = "n",
                                         .short_form = "tags",
                                         .vertices = "sequences of n states out of m, as paths",
                                         .layout =
                                             "[n, m, m]: entry (t, i, j) is for state i at step t after "
                                             "state j; at step 0 the previous state is 0",
                                         .paper = "§7.3, Sequences"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"n", &Sequence::n, "number of steps, >= 1", /*required=*/true},
                      Parameter{"m", &Sequence::m, "number of states, >= 1", /*required=*/true}};
  }
  static std::vector<Sequence> examples();
  /// The structures as paths.
  PathGraph paths() const;

  void check() const;
  std::size_t dimension() const { return n * m * m; }
  std::vector<std::size_t> shape() const { return {n, m, m}; }

  /// Viterbi's algorithm, O(n m²).
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const;

  /// The forward-backward algorithm, O(n m²): scaled products of exponentials where the scores allow it,
  /// logarithms where they spread too much. The entries (0, i, j > 0) are never used: their scores are not
  /// read and they get 0.
  double marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const;
  double log_partition(std::span<const double> theta, Workspace& scratch) const;

  /// One pass forward and one backward, without an exponential: the marginals already hold every distribution
  /// of a state given the next one.
  void marginals_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                     std::span<double> out, Workspace& scratch) const;

  /// Viterbi's algorithm with lists of partial paths, O(n m (m + k log m)).
  void k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
              Workspace& scratch) const;

  /// Forward filtering once, backward sampling for all draws.
  void sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
              Workspace& scratch) const;

  /// Non-negative, one unit of flow from the start, and as much into a state as out of it.
  void check_point(std::string_view name, std::span<const double> mu) const;

  /// The vertex of a sequence of states 0, …, m − 1. Throws std::invalid_argument for any other sequence.
  Structure structure(std::span<const int> tags) const;

  /// The states of a vertex. Throws std::invalid_argument for any other structure.
  std::vector<int> tags(const Structure& y) const;
};
static_assert(StructurePolytope<Sequence>);

}  // namespace fenchel
