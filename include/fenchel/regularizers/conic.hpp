// SPDX-License-Identifier: Apache-2.0
// Ω(μ) = ½‖μ‖² on the cone {Σ w y : y ∈ Y, w ≥ 0}: predictions are conic combinations of structures, the
// structured counterpart of positive measures (paper §8.3, the remark on conic hulls; §6).
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// ½‖μ‖² on cone(Y).
struct Conic {
  AnyPolytope polytope;

  static constexpr Traits traits{.name = "conic",
                                 .domain = Domain::polytope,
                                 .separable = true,
                                 .symmetric = false,
                                 .zero_at_vertices = false,
                                 .piecewise_linear = true,
                                 .formula = "½‖μ‖² on cone(Y)",
                                 .loss = "conic SparseMAP",
                                 .prediction = "the projection onto cone(Y)",
                                 .paper = "§8.3"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"polytope", &Conic::polytope, "the set of structures, nested"}};
  }
  static std::vector<Conic> examples();
  void check() const;
  void check_point(std::string_view name, std::span<const double> mu) const;

  double value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  /// The prediction as structures and weights ≥ 0; `mixture` may hold a warm start.
  Report mixture(std::span<const double> theta, Mixture& mixture, std::span<double> out,
                 Workspace& scratch) const;
  void gradient(std::span<const double> mu, std::span<double> out) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const { return std::nullopt; }
  std::optional<double> strong_convexity() const { return 1; }
  std::optional<double> smoothness() const { return 1; }
};

static_assert(Regularizer<Conic>);

}  // namespace fenchel
