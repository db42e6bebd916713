// SPDX-License-Identifier: Apache-2.0
// Projective dependency trees over n words: Y holds the 0/1 matrices of the arcs head → word of trees whose
// arcs do not cross when drawn above the sentence, the root standing before the first word (paper §7.3
// "Spanning trees" with the projectivity of dependency parsing). There are binom(3n, n)/(2n + 1) of them with
// any number of children of the root.
//
// Every tree has exactly one derivation in Eisner's recursion, which gives the best tree, log Z, the
// marginals and their derivatives in O(n³). Sums of exponentials are taken over plain numbers where a bound
// shows that their range suffices, else over logarithms relative to the best tree: spreads of ±500 per arc
// are exact.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/concepts.hpp"
#include "fenchel/polytopes/traits.hpp"

namespace fenchel {

/// The polytope of projective dependency trees.
struct ProjectiveTree {
  std::size_t n = 1;
  bool single_root = false;  ///< exactly one child of the root

  static constexpr PolytopeTraits traits{
      .name = "projective_tree",
      .binary = true,
      .sphere = true,
      .masks = true,
      .axes = "n n",
      .lengths = "n",
      .short_axes = "n",
      .short_form = "the heads of words",
      .vertices = "dependency trees without crossing arcs",
      .layout = "[n, n]: (h, m) is the arc h→m, (m, m) attaches m to the root",
      .paper = "§7.3 \"Spanning trees\""};
  static constexpr auto parameters() {
    return std::tuple{
        Parameter{"n", &ProjectiveTree::n, "number of words, >= 1", /*required=*/true},
        Parameter{"single_root", &ProjectiveTree::single_root, "whether the root has exactly one child"}};
  }
  static std::vector<ProjectiveTree> examples();
  void check() const;
  std::size_t dimension() const { return n * n; }
  std::vector<std::size_t> shape() const { return {n, n}; }

  /// Eisner's algorithm. Ties: the first split point of every span.
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const;
  /// mu(h, m) = P(h→m) by inside-outside. Returns log Z.
  double marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const;
  double log_partition(std::span<const double> theta, Workspace& scratch) const;
  /// `marginals` of several sentences, four at a time; where plain sums do not suffice, one by one.
  void marginals_block(MatrixView<const double> thetas, MatrixView<double> mus,
                       std::span<double> log_partitions, Workspace& scratch) const;
  /// Cov[Y] v, by differentiating inside-outside along v.
  void marginals_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                     std::span<double> out, Workspace& scratch) const;
  /// By Lawler's partition over the heads of the words: at most k · n calls of map.
  void k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
              Workspace& scratch) const;
  /// O(n³) once, then at most O(n²) per draw.
  void sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
              Workspace& scratch) const;

  /// Necessary conditions: entries in [0, 1], one head for each word; with single_root one child of the root;
  /// zeros and ones form neither a cycle nor arcs that cross.
  void check_point(std::string_view name, std::span<const double> mu) const;

  /// The structure of the head of each word, −1 for the root. Throws if it is not a tree of Y.
  Structure structure(std::span<const int> heads) const;
  /// The head of each word, −1 for the root. Throws if the structure does not give every word one head.
  std::vector<int> heads(const Structure& tree) const;
};

static_assert(StructurePolytope<ProjectiveTree>);

}  // namespace fenchel
