// SPDX-License-Identifier: Apache-2.0
// Any smooth convex Ω over conv(Y), from its value and gradient and a MAP oracle: predictions by conditional
// gradient (paper §8.3, "generic algorithms"; §7.2).
#pragma once

#include <functional>
#include <optional>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/any.hpp"
#include "fenchel/solvers/conditional_gradient.hpp"

namespace fenchel {

/// `function` returns Ω(μ) and fills ∇Ω(μ); it may return +inf outside its domain.
struct SmoothOver {
  std::function<double(std::span<const double> mu, std::span<double> gradient)> function;
  AnyPolytope polytope;
  ConditionalGradient solver = {};

  static constexpr Traits traits{.name = "smooth_over",
                                 .domain = Domain::polytope,
                                 .strongly_convex = false,
                                 .symmetric = false,
                                 .zero_at_vertices = false,
                                 .predict_by_search = true,
                                 .formula = "user-defined",
                                 .loss = "user-defined",
                                 .prediction = "conditional gradient",
                                 .paper = "§8.3"};
  void check() const;

  double value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  /// The prediction as structures and weights; `mixture` may hold a warm start.
  Report mixture(std::span<const double> theta, Mixture& mixture, std::span<double> out,
                 Workspace& scratch) const;
  void gradient(std::span<const double> mu, std::span<double> out) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const;

 private:
  // argmin (ridge/2)‖μ‖² + τΩ(μ) − ⟨θ, μ⟩ over conv(Y).
  Report solve(std::span<const double> theta, double ridge, double tau, Mixture& mixture,
               std::span<double> out, Workspace& scratch) const;
};

static_assert(Regularizer<SmoothOver>);

}  // namespace fenchel
