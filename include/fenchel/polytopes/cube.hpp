// SPDX-License-Identifier: Apache-2.0
// The unit cube: the convex hull of {0, 1}^d, that is, d independent yes-or-no questions (multilabel
// classification). Its mean regularizations are the one-vs-all losses (paper §6.1).
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

/// [0, 1]^d. A score of −inf means no.
struct Cube {
  std::size_t d = 1;

  static constexpr PolytopeTraits traits{.name = "cube",
                                         .sphere = false,
                                         .axes = "d",
                                         .lengths = "d",
                                         .short_axes = "entries",
                                         .short_form = "the entries that are 1",
                                         .vertices = "vectors of zeros and ones",
                                         .layout = "[d]: one entry per question",
                                         .paper = "§6.1"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"d", &Cube::d, "number of yes-or-no questions, >= 1", /*required=*/true}};
  }
  static std::vector<Cube> examples();
  void check() const;
  std::size_t dimension() const { return d; }

  /// 1 where θ > 0.
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const;
  /// 1/(1 + e^{−θ}); log Z = Σ log(1 + e^θ).
  double marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const;
  double log_partition(std::span<const double> theta, Workspace& scratch) const;
  void marginals_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                     std::span<double> out, Workspace& scratch) const;
  /// min(max(θ, 0), 1).
  Report project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void project_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                   std::span<double> out, Workspace& scratch) const;
  /// min(e^{θ − 1}, 1).
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

static_assert(StructurePolytope<Cube>);

}  // namespace fenchel
