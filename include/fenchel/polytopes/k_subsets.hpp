// SPDX-License-Identifier: Apache-2.0
// The subsets of k out of d items: the convex hull of the 0/1 vectors with k ones is the capped simplex
// (paper §7.3, "Permutations": the permutahedron of k ones and d − k zeros). Unlike other permutahedra it has
// marginals: Z is an elementary symmetric polynomial of the e^θ.
#pragma once

#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/polytopes/concepts.hpp"
#include "fenchel/solvers/generator.hpp"

namespace fenchel {

/// {μ ∈ [0, 1]^d : Σ μ = k}.
struct KSubsets {
  std::size_t d = 2;
  std::size_t k = 1;

  static constexpr PolytopeTraits traits{.name = "k_subsets",
                                         .fixed_sum = true,
                                         .axes = "d",
                                         .lengths = "d",
                                         .short_axes = "k",
                                         .short_form = "the entries that are chosen",
                                         .vertices = "vectors of k ones and d - k zeros",
                                         .layout = "[d]: one entry per item",
                                         .paper = "§7.3, Permutations"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"d", &KSubsets::d, "number of items, >= 1", /*required=*/true},
                      Parameter{"k", &KSubsets::k, "size of the subsets, 1 <= k <= d", /*required=*/true}};
  }
  static std::vector<KSubsets> examples();
  void check() const;
  std::size_t dimension() const { return d; }

  /// The k largest scores, the first of equal ones. Expected O(d).
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const;
  /// In O(d min(k, d − k)), without a subtraction: exact down to the smallest probabilities.
  double marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const;
  double log_partition(std::span<const double> theta, Workspace& scratch) const;
  void marginals_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                     std::span<double> out, Workspace& scratch) const;
  /// min(max(θ − τ, 0), 1) with Σ = k. Expected O(d).
  Report project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void project_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                   std::span<double> out, Workspace& scratch) const;
  /// min(c e^θ, 1) with Σ = k. Expected O(d + k log k).
  Report project_kl(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void project_kl_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                      std::span<double> out, Workspace& scratch) const;
  /// argmax over the polytope of ⟨θ, μ⟩ − Σ φ(μ) for any generator φ.
  Report project_bregman(const Generator& phi, std::span<const double> theta, std::span<double> out,
                         Workspace& scratch) const;
  void project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                           std::span<double> out, Workspace& scratch) const;
  void k_best(std::span<const double> theta, std::size_t count, std::vector<Structure>& structures,
              Workspace& scratch) const;
  /// Keeps a table of d · min(k, d − k) numbers while it draws.
  void sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
              Workspace& scratch) const;
  void check_point(std::string_view name, std::span<const double> mu) const;
};

static_assert(StructurePolytope<KSubsets>);

}  // namespace fenchel
