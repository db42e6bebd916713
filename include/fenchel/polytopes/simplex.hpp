// SPDX-License-Identifier: Apache-2.0
// The simplex: the convex hull of the unit vectors e_1, …, e_d, that is, classification seen as structured
// prediction (paper §7).
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

/// {p ≥ 0 : Σ p = 1}.
struct Simplex {
  std::size_t d = 2;

  static constexpr PolytopeTraits traits{.name = "simplex",
                                         .fixed_sum = true,
                                         .axes = "d",
                                         .lengths = "d",
                                         .short_form = "classes",
                                         .vertices = "the unit vectors",
                                         .layout = "[d]: one entry per class",
                                         .paper = "§4; §7"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"d", &Simplex::d, "number of classes, >= 1", /*required=*/true}};
  }
  static std::vector<Simplex> examples();
  void check() const;
  std::size_t dimension() const { return d; }

  /// The first of the largest scores.
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const;
  /// softmax; log Z = log Σ e^θ.
  double marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const;
  double log_partition(std::span<const double> theta, Workspace& scratch) const;
  void marginals_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                     std::span<double> out, Workspace& scratch) const;
  /// sparsemax.
  Report project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void project_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                   std::span<double> out, Workspace& scratch) const;
  /// softmax again.
  Report project_kl(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void project_kl_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                      std::span<double> out, Workspace& scratch) const;
  /// argmax over the polytope of ⟨θ, μ⟩ − Σ φ(μ) for any generator φ.
  Report project_bregman(const Generator& phi, std::span<const double> theta, std::span<double> out,
                         Workspace& scratch) const;
  void project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                           std::span<double> out, Workspace& scratch) const;
  void k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
              Workspace& scratch) const;
  void sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
              Workspace& scratch) const;
  void check_point(std::string_view name, std::span<const double> mu) const;
};

static_assert(StructurePolytope<Simplex>);

}  // namespace fenchel
