// SPDX-License-Identifier: Apache-2.0
// Ω(μ) = ½‖μ‖² on R^d: ŷ_Ω(θ) = θ and L_Ω is the squared loss ½‖y − θ‖² (paper Table 1, §8.4).
#pragma once

#include <vector>

#include "fenchel/regularizers/concepts.hpp"

namespace fenchel {

/// The squared loss.
struct Squared {
  static constexpr Traits traits{.name = "squared",
                                 .domain = Domain::reals,
                                 .sparse = false,
                                 .separable = true,
                                 .zero_at_vertices = false,
                                 .legendre = true,
                                 .piecewise_linear = true,
                                 .formula = "½‖μ‖²",
                                 .loss = "squared",
                                 .prediction = "identity",
                                 .paper = "Table 1; §3.2"};
  static std::vector<Squared> examples() { return {{}}; }

  double phi(double m) const { return 0.5 * m * m; }
  double phi_prime(double m) const { return m; }
  double predict_one(double s) const { return s; }
  double slope_one(double) const { return 1; }
  double loss_one(double s, double y) const { return 0.5 * (s - y) * (s - y); }
  double prox_one(double eta, double tau) const { return eta / (1 + tau); }
  std::optional<double> margin(std::size_t) const { return std::nullopt; }
  std::optional<double> strong_convexity() const { return 1; }
  std::optional<double> smoothness() const { return 1; }
  std::optional<double> ridge() const { return 1; }
};

static_assert(Regularizer<Squared>);

}  // namespace fenchel
