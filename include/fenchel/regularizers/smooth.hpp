// SPDX-License-Identifier: Apache-2.0
// Your own smooth convex Ω over the simplex, the cube or the cone from its value and gradient alone: ŷ_Ω by
// accelerated projected gradient (paper §8.3, "generic algorithms").
#pragma once

#include <functional>
#include <span>

#include "fenchel/regularizers/any.hpp"
#include "fenchel/solvers/fista_minimizer.hpp"

namespace fenchel {

/// `function` returns Ω(μ) and fills ∇Ω(μ). Ω must be convex with a Lipschitz gradient on the domain; on the
/// cone it must grow fast enough for a maximum to exist.
struct Smooth {
  std::function<double(std::span<const double> mu, std::span<double> gradient)> function;
  Domain domain = Domain::simplex;
  FistaMinimizer solver = {};

  static constexpr Traits traits{.name = "smooth",
                                 .strongly_convex = false,
                                 .symmetric = false,
                                 .zero_at_vertices = false,
                                 .predict_by_search = true,
                                 .formula = "user-defined",
                                 .loss = "user-defined",
                                 .prediction = "projected gradient",
                                 .paper = "§8.3"};
  void check() const;
  Traits refined_traits() const;

  double value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> mu, std::span<double> out) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  /// max over j ≠ k of ∇_jH(e_k) − ∇_kH(e_k) (Proposition 7), on the simplex.
  std::optional<double> margin(std::size_t d) const;

 private:
  Report solve(std::span<const double> theta, double ridge, double tau, std::span<double> out,
               Workspace& scratch) const;
};

static_assert(Regularizer<Smooth>);

}  // namespace fenchel
