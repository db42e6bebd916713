// SPDX-License-Identifier: Apache-2.0
// The transport polytope: matrices μ ≥ 0 with row sums a and column sums b (paper §7.3: the Birkhoff polytope
// is the case a = b = 1). θ[i, j] scores moving mass from row i to column j.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "fenchel/core/report.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/polytopes/concepts.hpp"
#include "fenchel/solvers/generator.hpp"

namespace fenchel {

/// Transport plans between the masses a and b.
struct Transport {
  std::vector<double> a = {1};  ///< row sums
  std::vector<double> b = {1};  ///< column sums

  static constexpr PolytopeTraits traits{
      .name = "transport",
      .binary = false,
      .sphere = false,
      .fixed_sum = true,
      .allocates = true,
      .vertices = "basic plans: those whose positive entries form a forest of rows and columns",
      .layout = "[rows, columns]: entry (i, j) is the mass moved from row i to column j",
      .no_marginals = "counting vertices is #P-complete already for permutation matrices (permanents)",
      .paper = "§7.3, permutation matrices"};
  static constexpr auto parameters() {
    return std::tuple{
        Parameter{"a", &Transport::a, "row sums, >= 0", /*required=*/true},
        Parameter{"b", &Transport::b, "column sums, >= 0, with the same total as a", /*required=*/true}};
  }
  static std::vector<Transport> examples();
  void check() const;
  std::size_t dimension() const { return a.size() * b.size(); }
  std::vector<std::size_t> shape() const { return {a.size(), b.size()}; }

  /// How far, relative to the larger, the totals of a and b may be apart: as far as sums of float32 masses
  /// are. b is then scaled to the total of a.
  static constexpr double total_tolerance = 1e-5;

  /// A best basic plan, by the network simplex method (which allocates).
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const;

  /// argmin over the polytope of ½‖μ − θ‖². Masks that leave no plan give a stalled report with an infinite
  /// residual, here and in project_kl.
  Report project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void project_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                   std::span<double> out, Workspace& scratch) const;

  /// argmax over the polytope of ⟨θ, μ⟩ − Σ μ log μ, by Sinkhorn's method.
  Report project_kl(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void project_kl_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                      std::span<double> out, Workspace& scratch) const;
  /// argmax over the polytope of ⟨θ, μ⟩ − Σ φ(μ) for any generator φ, by Newton's method on the dual.
  Report project_bregman(const Generator& phi, std::span<const double> theta, std::span<double> out,
                         Workspace& scratch) const;
  void project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                           std::span<double> out, Workspace& scratch) const;
  /// The smallest and the largest entry that a structure can have.
  EntryRange entry_range() const;

  /// Whether the positive entries of μ form a forest.
  bool is_vertex(std::span<const double> mu) const;

  /// Throws unless μ has the row sums a, the column sums b and no negative entry, up to rounding.
  void check_point(std::string_view name, std::span<const double> mu) const;
};

static_assert(StructurePolytope<Transport>);

}  // namespace fenchel
