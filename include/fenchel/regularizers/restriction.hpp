// SPDX-License-Identifier: Apache-2.0
// Ω = Ψ + I_C, a Legendre-type Ψ restricted to a convex set C: ŷ_Ω(θ) is the Bregman projection of ŷ_Ψ(θ)
// onto C (paper §3.2, Proposition 3.1). And Ω = Ψ + Φ by infimal convolution of the conjugates (paper §2.3):
// ŷ_Ω(θ) = ŷ_Ψ(θ − u*) with u* minimising Φ*(u) + Ψ*(θ − u); it is prox_Φ(θ) when Ψ = ½‖·‖².
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// Ψ restricted to C. `project` overwrites a point m = ŷ_Ψ(θ) by argmin_{μ ∈ C} B_Ψ(μ ‖ m): the Euclidean
/// projection for Ψ = ½‖·‖², the Kullback-Leibler projection for Ψ = Σ m log m − m.
struct Restriction {
  AnyRegularizer psi;
  std::function<void(std::span<double> point)> project;
  Domain domain = Domain::reals;  ///< the kind of set C is, which decides what targets are legal

  static constexpr Traits traits{.name = "restriction",
                                 .strongly_convex = false,
                                 .symmetric = false,
                                 .zero_at_vertices = false,
                                 .formula = "Ψ + I_C",
                                 .loss = "restricted",
                                 .prediction = "Bregman projection",
                                 .paper = "§3.2, Proposition 3"};
  void check() const;
  Traits refined_traits() const;

  double value(std::span<const double> mu) const { return psi.value(mu); }
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const {
    psi.gradient(mu, out, scratch);
  }
  std::optional<std::size_t> dimension() const { return psi.dimension(); }
};

/// Ψ + Φ for strictly convex Ψ whose conjugate is smooth; dom(Φ) decides the domain.
struct Sum {
  AnyRegularizer psi;
  AnyRegularizer phi;

  static constexpr Traits traits{.name = "sum",
                                 .strongly_convex = false,
                                 .zero_at_vertices = false,
                                 .predict_by_search = true,
                                 .formula = "Ψ + Φ",
                                 .loss = "sum of two",
                                 .prediction = "infimal convolution",
                                 .paper = "§2.3"};
  void check() const;
  Traits refined_traits() const;

  double value(std::span<const double> mu) const { return psi.value(mu) + phi.value(mu); }
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const;
  /// That of the part which has one.
  std::optional<std::size_t> dimension() const { return phi.dimension() ? phi.dimension() : psi.dimension(); }
  void check_scores(std::string_view name, std::span<const double> theta) const;
  void check_point(std::string_view name, std::span<const double> mu) const;
};

static_assert(Regularizer<Restriction> && Regularizer<Sum>);

}  // namespace fenchel
