// SPDX-License-Identifier: Apache-2.0
// Ω = 0 on the simplex: ŷ_Ω is the argmax and L_Ω the perceptron loss max θ − θ_k; with the 0/1 cost it is
// the multiclass hinge loss (paper §2.2, Table 1, §3.4).
#pragma once

#include <cstddef>
#include <vector>

#include "fenchel/regularizers/concepts.hpp"

namespace fenchel {

class AnyRegularizer;

/// The perceptron loss. Among equal scores the lowest index wins.
struct Argmax {
  static constexpr Traits traits{.name = "argmax",
                                 .strictly_convex = false,
                                 .strongly_convex = false,
                                 .separable = true,
                                 .piecewise_linear = true,
                                 .formula = "0",
                                 .loss = "perceptron; hinge with cost",
                                 .prediction = "argmax",
                                 .paper = "Table 1; §2.2"};
  static std::vector<Argmax> examples() { return {{}}; }

  double value(std::span<const double>) const { return 0; }
  void predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> p, std::span<double> out) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const { return 0; }
  std::optional<double> ridge() const { return 0; }
  /// A best corner of the cube.
  AnyRegularizer coordinatewise(std::size_t d) const;
};

static_assert(Regularizer<Argmax>);

}  // namespace fenchel
