// SPDX-License-Identifier: Apache-2.0
// Ω = 0 on conv(Y): the prediction is a best structure and the loss that of the structured perceptron; with
// the Hamming cost it is the structured hinge (paper Table 1, §7.3).
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// 0 on conv(Y).
struct Map {
  AnyPolytope polytope;

  static constexpr Traits traits{.name = "map",
                                 .domain = Domain::polytope,
                                 .strictly_convex = false,
                                 .strongly_convex = false,
                                 .symmetric = false,
                                 .piecewise_linear = true,
                                 .formula = "0",
                                 .loss = "structured perceptron; structured hinge with a cost",
                                 .prediction = "a best structure",
                                 .paper = "§7.3, Table 1"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"polytope", &Map::polytope, "the set of structures, nested"}};
  }
  static std::vector<Map> examples();
  void check() const;

  double value(std::span<const double>) const { return 0; }
  void predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> mu, std::span<double> out) const;
  /// The projection onto conv(Y), for any τ.
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  /// 0: the prediction does not move, except where it jumps.
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const { return 0; }
  std::optional<double> ridge() const { return 0; }
};

static_assert(Regularizer<Map>);

}  // namespace fenchel
