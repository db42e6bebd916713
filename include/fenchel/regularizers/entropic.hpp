// SPDX-License-Identifier: Apache-2.0
// Ω(μ) = Σ μ log μ on conv(Y): entropic mean regularization, the Kullback-Leibler projection onto conv(Y).
// Over the Birkhoff polytope it is Sinkhorn's algorithm, over the permutahedron isotonic optimisation (paper
// §7.2, §7.3).
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// Σ μ log μ on conv(Y), whose structures have no negative entries.
struct Entropic {
  AnyPolytope polytope;

  static constexpr Traits traits{.name = "entropic",
                                 .domain = Domain::polytope,
                                 .sparse = false,
                                 .separable = true,
                                 .symmetric = false,
                                 .zero_at_vertices = false,
                                 .formula = "Σ μ log μ",
                                 .loss = "entropic mean regularization",
                                 .prediction = "the Kullback-Leibler projection onto conv(Y)",
                                 .paper = "§7.2"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"polytope", &Entropic::polytope, "the set of structures, nested"}};
  }
  static std::vector<Entropic> examples();
  void check() const;
  Traits refined_traits() const;
  void check_point(std::string_view name, std::span<const double> mu) const;

  double value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  /// The prediction as structures and weights, by the entropic active-set method; `mixture` may hold a warm
  /// start. The report's residual bounds how far the objective is from its optimum.
  Report mixture(std::span<const double> theta, Mixture& mixture, std::span<double> out,
                 Workspace& scratch) const;
  void gradient(std::span<const double> mu, std::span<double> out) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  /// Numeric; there is one only where the structures have no zeros (permutations of positive weights).
  std::optional<double> margin(std::size_t) const;
};

static_assert(Regularizer<Entropic>);

}  // namespace fenchel
