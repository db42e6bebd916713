// SPDX-License-Identifier: Apache-2.0
// Ω(m) = ½‖m‖² on the non-negative orthant: ŷ_Ω(θ) = [θ]₊ (paper §6.2).
#pragma once

#include <algorithm>
#include <vector>

#include "fenchel/regularizers/concepts.hpp"

namespace fenchel {

/// Non-negative least squares on scores: the rectifier as a prediction function.
struct Relu {
  static constexpr Traits traits{.name = "relu",
                                 .domain = Domain::cone,
                                 .separable = true,
                                 .zero_at_vertices = false,
                                 .piecewise_linear = true,
                                 .formula = "½‖m‖²",
                                 .loss = "non-negative squared",
                                 .prediction = "relu",
                                 .paper = "§6.2"};
  static std::vector<Relu> examples() { return {{}}; }

  double phi(double m) const { return 0.5 * m * m; }
  double phi_prime(double m) const { return m; }
  double predict_one(double s) const { return std::max(s, 0.0); }
  double slope_one(double s) const { return s > 0 ? 1 : 0; }
  double loss_one(double s, double y) const { return s >= 0 ? 0.5 * (s - y) * (s - y) : y * (0.5 * y - s); }
  double prox_one(double eta, double tau) const { return std::max(eta, 0.0) / (1 + tau); }
  std::optional<double> margin(std::size_t) const { return std::nullopt; }
  std::optional<double> strong_convexity() const { return 1; }
  std::optional<double> smoothness() const { return 1; }
  std::optional<double> ridge() const { return 1; }
};

static_assert(Regularizer<Relu>);

}  // namespace fenchel
