// SPDX-License-Identifier: Apache-2.0
// The permutahedron induced by w: the convex hull of the permutations of w, whose entries are worths of ranks
// (paper §7.3, "Permutations"). Ranking as structured prediction: the largest score gets the largest entry of
// w. Every oracle takes O(d log d) or less, since Bregman projections reduce to a sort and isotonic
// optimisation; log Z does not, because the sum over all permutations is a permanent.
#pragma once

#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "fenchel/core/report.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/polytopes/concepts.hpp"
#include "fenchel/solvers/generator.hpp"

namespace fenchel {

/// conv{(w_π(1), …, w_π(d))}.
struct Permutahedron {
  std::vector<double> w{3, 2, 1};  ///< fastest in descending order: others are sorted at every call

  static constexpr PolytopeTraits traits{
      .name = "permutahedron",
      .binary = false,
      .sphere = true,
      .masks = false,
      .fixed_sum = true,
      .entropic_faces = true,
      .axes = "w",
      .short_axes = "w",
      .short_form = "ranks from 0",
      .vertices = "the permutations of w",
      .layout = "[d]: y_i is the entry of w that item i gets",
      .no_marginals =
          "the sum over all permutations is a permanent, for which no polynomial algorithm is known (it is "
          "#P-hard)",
      .paper = "§7.3, Permutations"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"w", &Permutahedron::w, "the entries that are permuted, finite, in any order",
                                /*required=*/true}};
  }
  static std::vector<Permutahedron> examples();
  void check() const;
  std::size_t dimension() const { return w.size(); }

  /// w = (1, 0, …, 0): the simplex.
  static Permutahedron top_one(std::size_t d);
  /// w = (1, …, 1, 0, …, 0)/k: the capped simplex {p : p_i ≤ 1/k}.
  static Permutahedron k_subsets(std::size_t d, std::size_t k);
  /// w = 2/(d(d + 1)) · (d, …, 1).
  static Permutahedron full_ranking(std::size_t d);
  /// w = 2/(k(k + 1)) · (k, …, 1, 0, …, 0) with d − k zeros (the paper's text says d − k − 1).
  static Permutahedron partial_ranking(std::size_t d, std::size_t k);
  /// w = (d, …, 1): ranks counted from the worst.
  static Permutahedron ranking(std::size_t d);

  /// The largest score gets the largest entry of w, and so on; of equal scores, the first gets more.
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const;
  /// max ⟨θ, y⟩, the ordered weighted average of the scores.
  double owa(std::span<const double> theta, Workspace& scratch) const;

  Report project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  /// v less its mean over each block of the dual solution.
  void project_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                   std::span<double> out, Workspace& scratch) const;
  /// Throws unless w ≥ 0. Σ μ is the same everywhere on the permutahedron, so Σ μ log μ − μ has the same
  /// maximizer.
  Report project_kl(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  /// μ_i (v_i − the mean of v over i's block, weighted by μ).
  void project_kl_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                      std::span<double> out, Workspace& scratch) const;
  /// argmax over the polytope of ⟨θ, μ⟩ − Σ φ(μ) for any generator φ that is finite at w, by isotonic
  /// optimisation.
  Report project_bregman(const Generator& phi, std::span<const double> theta, std::span<double> out,
                         Workspace& scratch) const;
  void project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                           std::span<double> out, Workspace& scratch) const;
  /// The smallest and the largest entry that a structure can have.
  EntryRange entry_range() const;

  /// Different vertices only: exchanging equal entries of w does not make a new one.
  void k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
              Workspace& scratch) const;
  /// The vertex in which item i has the place ranks[i], from 0 for the largest entry of w; throws unless they
  /// are a permutation.
  Structure structure(std::span<const int> ranks) const;
  /// The ranks of a vertex; of equal entries, the first has the smaller one.
  std::vector<int> ranks(const Structure& y) const;
  bool is_vertex(std::span<const double> mu) const;
  /// Majorization: Σ μ = Σ w, and the k largest entries of μ sum to no more than those of w.
  void check_point(std::string_view name, std::span<const double> mu) const;
};

static_assert(StructurePolytope<Permutahedron>);

}  // namespace fenchel
