// SPDX-License-Identifier: Apache-2.0
// Sequences of states scored by their states and by transitions that all steps share (paper §7.3 "Sequences",
// with the potentials of a linear-chain conditional random field):
//     ⟨θ, y⟩ = Σ_t u_t(s_t) + Σ_{t ≥ 1} T(s_{t−1}, s_t),
// plus start(s_0) + end(s_{n−1}) with boundary scores. y counts the transitions, so it is not a vector of
// zeros and ones.
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

/// conv(Y) of the sequences of n states out of m, with shared transitions.
struct Chain {
  std::size_t n = 1;      ///< number of steps
  std::size_t m = 2;      ///< number of states
  bool boundary = false;  ///< whether the first and the last state have scores of their own

  static constexpr PolytopeTraits traits{
      .name = "chain",
      .binary = false,
      .sphere = false,
      .lengths = "n",
      .short_axes = "n",
      .short_form = "tags",
      .vertices = "sequences of n states out of m, with the counts of their transitions",
      .layout =
          "n·m scores of states, m·m of transitions (previous state first), then m start and m end scores "
          "if boundary",
      .paper = "§7.3, Sequences"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"n", &Chain::n, "number of steps, >= 1", /*required=*/true},
                      Parameter{"m", &Chain::m, "number of states, >= 1", /*required=*/true},
                      Parameter{"boundary", &Chain::boundary, "score the first and the last state too"}};
  }
  static std::vector<Chain> examples();
  /// The structures as paths.
  PathGraph paths() const;

  void check() const;
  std::size_t dimension() const { return n * m + m * m + (boundary ? 2 * m : 0); }

  /// Viterbi's algorithm, O(n m²).
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const;

  /// The forward-backward algorithm, O(n m²) with n m + m² exponentials; in logarithms where the scores
  /// spread too much. μ holds the probabilities of the states and the expected numbers of the transitions.
  double marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const;
  double log_partition(std::span<const double> theta, Workspace& scratch) const;
  void marginals_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                     std::span<double> out, Workspace& scratch) const;

  /// Viterbi's algorithm with lists of partial paths, O(n m (m + k log m)).
  void k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
              Workspace& scratch) const;

  /// Forward filtering once, backward sampling for all draws.
  void sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
              Workspace& scratch) const;

  /// Whether μ is the vector of a sequence.
  bool is_vertex(std::span<const double> mu) const;

  /// Non-negative, a distribution of states at every step, and as many transitions from and to a state as its
  /// probabilities say; where the states are certain, exactly their transitions.
  void check_point(std::string_view name, std::span<const double> mu) const;

  /// 1 − 2y over the states, 0 elsewhere: ⟨c_y, z⟩ − ⟨c_y, y⟩ is twice the number of steps whose states
  /// differ.
  void hamming_cost(std::span<const double> y, std::span<double> cost) const;

  /// The vertex of a sequence of states 0, …, m − 1. Throws std::invalid_argument for any other sequence.
  Structure structure(std::span<const int> tags) const;

  /// The states of a vertex. Throws std::invalid_argument for any other structure.
  std::vector<int> tags(const Structure& y) const;
};
static_assert(StructurePolytope<Chain>);

}  // namespace fenchel
