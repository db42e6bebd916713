// SPDX-License-Identifier: Apache-2.0
// Ω(μ) = ½‖μ‖² on conv(Y): SparseMAP, the Euclidean projection onto conv(Y), a mixture of few structures
// (paper §7.2, eq. for SparseMAP; unit margin: §7.4).
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// ½‖μ‖² on conv(Y).
struct SparseMap {
  AnyPolytope polytope;

  static constexpr Traits traits{.name = "sparsemap",
                                 .domain = Domain::polytope,
                                 .separable = true,
                                 .symmetric = false,
                                 .zero_at_vertices = false,
                                 .piecewise_linear = true,
                                 .formula = "½‖μ‖²",
                                 .loss = "SparseMAP",
                                 .prediction = "SparseMAP, the projection onto conv(Y)",
                                 .paper = "§7.2, §7.4"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"polytope", &SparseMap::polytope, "the set of structures, nested"}};
  }
  static std::vector<SparseMap> examples();
  void check() const;

  double value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  /// The prediction as structures and weights, by the active-set method; `mixture` may hold a warm start. The
  /// report's residual is the Wolfe gap max_y ⟨θ − μ, y − μ⟩.
  Report mixture(std::span<const double> theta, Mixture& mixture, std::span<double> out,
                 Workspace& scratch) const;
  void gradient(std::span<const double> mu, std::span<double> out) const;
  /// The projection of η/(1 + τ).
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  /// 1 where every structure has the same norm (§7.4), else 1 + max |‖y‖² − ‖z‖²|/‖y − z‖² over the edges
  /// [y, z] of conv(Y), by search: 2 over the cube. 0 for one structure.
  std::optional<double> margin(std::size_t) const;
  std::optional<double> strong_convexity() const { return 1; }
  std::optional<double> smoothness() const { return 1; }
  std::optional<double> ridge() const { return 1; }
};

static_assert(Regularizer<SparseMap>);

}  // namespace fenchel
