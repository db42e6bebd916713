// SPDX-License-Identifier: Apache-2.0
// The Birkhoff polytope: doubly stochastic n × n matrices, the convex hull of the permutation matrices (paper
// §7.3, permutation matrices). θ[i, j] scores the match of row i with column j.
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

/// Permutation matrices, one matching of n rows with n columns each.
struct Birkhoff {
  std::size_t n = 2;  ///< rows, and columns

  static constexpr PolytopeTraits traits{
      .name = "birkhoff",
      .fixed_sum = true,
      .axes = "n n",
      .lengths = "n",
      .short_axes = "n",
      .short_form = "the columns of rows",
      .vertices = "permutation matrices: perfect matchings of n rows with n columns",
      .layout = "[n, n]: entry (i, j) matches row i with column j",
      .no_marginals = "log Z is the logarithm of a permanent, which is #P-complete",
      .paper = "§7.3, permutation matrices"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"n", &Birkhoff::n, "number of rows and of columns, >= 1", /*required=*/true}};
  }
  static std::vector<Birkhoff> examples();
  void check() const;
  std::size_t dimension() const { return n * n; }
  std::vector<std::size_t> shape() const { return {n, n}; }

  /// The best permutation, by shortest augmenting paths in O(n³).
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const;

  /// argmin over the polytope of ½‖μ − θ‖². Masks that leave no permutation give a stalled report with an
  /// infinite residual, here and in project_kl.
  Report project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void project_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                   std::span<double> out, Workspace& scratch) const;

  /// argmax over the polytope of ⟨θ, μ⟩ − Σ μ log μ: Sinkhorn's matrix scaling of exp θ.
  Report project_kl(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void project_kl_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                      std::span<double> out, Workspace& scratch) const;
  /// argmax over the polytope of ⟨θ, μ⟩ − Σ φ(μ) for any generator φ, by Newton's method on the dual.
  Report project_bregman(const Generator& phi, std::span<const double> theta, std::span<double> out,
                         Workspace& scratch) const;
  void project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                           std::span<double> out, Workspace& scratch) const;

  /// The k best permutations (Murty), best first.
  void k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& out,
              Workspace& scratch) const;

  /// Throws unless every row and column of μ sums to 1 and no entry is negative, up to rounding.
  void check_point(std::string_view name, std::span<const double> mu) const;

  /// The permutation matrix with a 1 at (i, columns[i]); throws unless `columns` is a permutation of
  /// 0, …, n − 1.
  Structure structure(std::span<const int> columns) const;
  /// The inverse of `structure`.
  std::vector<int> columns(const Structure& permutation) const;
};

static_assert(StructurePolytope<Birkhoff>);

}  // namespace fenchel
