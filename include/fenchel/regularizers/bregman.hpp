// SPDX-License-Identifier: Apache-2.0
// Ω(μ) = Σ φ(μ_j) on conv(Y) for any generator φ (solvers/generator.hpp): mean regularization by Tsallis
// entropies, by that of Fermi and Dirac, by Burg's or by your own. ŷ_Ω(θ) is the Bregman projection of
// (φ')⁻¹(θ) onto conv(Y): isotonic optimisation over the permutahedron, regularised transport over plans
// (paper §3.2, Proposition 3; §7.2, §7.3). α = 1 is `entropic`, α = 2 `sparsemap`, up to a constant.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/any.hpp"
#include "fenchel/solvers/generator.hpp"

namespace fenchel {

/// Σ φ(μ) on conv(Y), where every entry of a structure is in the domain of φ.
struct Bregman {
  AnyPolytope polytope;
  std::string generator = "tsallis";
  double alpha = 1.5;  ///< the order of tsallis
  Generator own = {};  ///< another φ than those with a name

  static constexpr Traits traits{.name = "bregman",
                                 .domain = Domain::polytope,
                                 .separable = true,
                                 .symmetric = false,
                                 .zero_at_vertices = false,
                                 .formula = "Σ φ(μ)",
                                 .loss = "separable mean regularization",
                                 .prediction = "a Bregman projection onto conv(Y)",
                                 .paper = "§3.2, §7.2, §7.3"};
  static constexpr auto parameters() {
    return std::tuple{
        Parameter{"polytope", &Bregman::polytope, "the set of structures, nested"},
        Parameter{"generator", &Bregman::generator,
                  "φ: tsallis, (t^α − t)/(α(α−1)); fermi_dirac, t log t + (1−t) log(1−t) on [0, 1]; burg, "
                  "−log t on t > 0"},
        Parameter{"alpha", &Bregman::alpha, "the order of tsallis, > 0; 1 is entropic, 2 sparsemap"}};
  }
  static std::vector<Bregman> examples();
  /// Throws where the set has no Bregman projections, or φ is not finite at some structure.
  void check() const;
  void prepare();
  Traits refined_traits() const;
  void check_point(std::string_view name, std::span<const double> mu) const;

  double value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> mu, std::span<double> out) const;
  /// The Bregman projection that ½t² + τφ(t) makes.
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  /// There is none where φ is infinitely steep at an entry of a structure that another one changes. Over
  /// plans and the cube by search.
  std::optional<double> margin(std::size_t) const;
  /// The smallest φ'' between the smallest and the largest entry of a structure.
  std::optional<double> strong_convexity() const;

  Generator phi = {};  ///< filled by prepare()

 private:
  Generator chosen() const { return own.empty() ? make_generator(generator, alpha) : own; }
};

static_assert(Regularizer<Bregman>);

}  // namespace fenchel
