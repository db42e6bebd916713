// SPDX-License-Identifier: Apache-2.0
// conv(Y), Y the spanning arborescences of n words and a root: the non-projective dependency trees (paper
// §7.3, "Spanning trees"). Every word has one head, another word or the root, and no words form a cycle.
//  - map: Chu, Liu and Edmonds in Tarjan's dense form, O(n²).
//  - marginals: the matrix-tree theorem, Z = det L with L(m, m) = r(m) + Σ_h w(h, m) and L(h, m) = −w(h, m)
//    for the weights w = exp θ and r of the root. Computed without subtraction in O(n³), so every
//    marginal, however small, is right to a relative error of about 1e-13 for any scores, even where the best
//    arcs form cycles, which makes L singular to working precision.
//  - project: cutting planes on the dual, or the active set method; the face of conv(Y) gives its Jacobian.
//  - k_best, exact sampling, covariance products.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/concepts.hpp"
#include "fenchel/polytopes/traits.hpp"

namespace fenchel {

/// The arborescence polytope.
struct Arborescence {
  std::size_t n = 1;         ///< number of words
  bool single_root = false;  ///< whether exactly one word is attached to the root

  static constexpr PolytopeTraits traits{
      .name = "arborescence",
      .axes = "n n",
      .lengths = "n",
      .short_axes = "n",
      .short_form = "the heads of words",
      .vertices = "spanning arborescences: non-projective dependency trees",
      .layout = "[n, n]: (h, m) is the arc h → m, the diagonal (m, m) attaches m to the root",
      .paper = "§7.3, Spanning trees"};
  static constexpr auto parameters() {
    return std::tuple{
        Parameter{"n", &Arborescence::n, "number of words, >= 1", /*required=*/true},
        Parameter{"single_root", &Arborescence::single_root, "whether the root has exactly one child"}};
  }
  static std::vector<Arborescence> examples();
  void check() const;
  std::size_t dimension() const { return n * n; }
  std::vector<std::size_t> shape() const { return {n, n}; }

  /// The best tree, in O(n²). Returns its score, −inf if masks leave none.
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const;

  /// P(head of m is h) for all arcs; returns log Z. O(n³).
  double marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const;
  double log_partition(std::span<const double> theta, Workspace& scratch) const;
  /// The same for several rows, one per SIMD lane where the scores allow plain doubles.
  void marginals_block(MatrixView<const double> thetas, MatrixView<double> mus,
                       std::span<double> log_partitions, Workspace& scratch) const;

  /// Cov[Y] v: the derivative of the marginals along v, by carrying derivatives through the elimination.
  /// O(n³).
  void marginals_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                     std::span<double> out, Workspace& scratch) const;

  /// argmin over conv(Y) of ½‖μ − θ‖²: by cutting planes where many trees share it, else as a mixture of
  /// trees by the active set method. The report's residual is the Wolfe gap.
  Report project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  /// Its Jacobian times v: the projection of v onto the directions of the face of conv(Y) that holds μ.
  void project_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                   std::span<double> out, Workspace& scratch) const;

  /// Independent exact draws: Wilson's loop-erased walks where they are short, which is known beforehand,
  /// else word by word from conditional marginals, in O(n³ log n) per draw for any scores. Throws if masks
  /// leave no tree.
  void sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
              Workspace& scratch) const;

  /// The k best trees, best first, by splitting on the first word whose head differs (Lawler): O(k n³).
  void k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
              Workspace& scratch) const;

  /// Throws unless columns sum to one, entries lie in [0, 1] and the root's share fits, within a tolerance,
  /// and if the entries are zeros and ones that form a cycle.
  void check_point(std::string_view name, std::span<const double> mu) const;

  /// The tree in which word m has the head heads[m], −1 for the root; throws if it is not one.
  Structure structure(std::span<const int> heads) const;
  /// The heads of a tree, −1 for the root.
  std::vector<int> heads(const Structure& tree) const;
};

static_assert(StructurePolytope<Arborescence>);

}  // namespace fenchel
