// SPDX-License-Identifier: Apache-2.0
// Ω(p) = Σ p² − p on the unit cube (the Gini entropy of [p, 1 − p]): ŷ_Ω(s) = clip((s + 1)/2, 0, 1), the
// "sparse sigmoid", and L_Ω is the one-vs-all modified Huber loss (paper §4.4, §6.2).
#pragma once

#include <algorithm>
#include <vector>

#include "fenchel/regularizers/concepts.hpp"

namespace fenchel {

/// One-vs-all modified Huber loss.
struct SparseSigmoid {
  static constexpr Traits traits{.name = "sparse_sigmoid",
                                 .domain = Domain::cube,
                                 .separable = true,
                                 .piecewise_linear = true,
                                 .formula = "Σ p² − p",
                                 .loss = "one-vs-all modified Huber",
                                 .prediction = "sparse sigmoid",
                                 .paper = "§4.4; §6.2"};
  static std::vector<SparseSigmoid> examples() { return {{}}; }

  double phi(double p) const { return p * (p - 1); }
  double phi_prime(double p) const { return 2 * p - 1; }
  double predict_one(double s) const { return std::clamp(0.5 * (s + 1), 0.0, 1.0); }
  double slope_one(double s) const { return s > -1 && s < 1 ? 0.5 : 0; }
  double loss_one(double s, double y) const {
    if (s >= 1) return (1 - y) * (s - y);
    if (s <= -1) return y == 0 ? 0 : y * (y - 1 - s);
    const double difference = y - 0.5 * (s + 1);
    return difference * difference;
  }
  double prox_one(double eta, double tau) const { return std::clamp((eta + tau) / (1 + 2 * tau), 0.0, 1.0); }
  std::optional<double> margin(std::size_t) const { return std::nullopt; }
  std::optional<double> strong_convexity() const { return 2; }
  std::optional<double> smoothness() const { return 2; }
};

static_assert(Regularizer<SparseSigmoid>);

}  // namespace fenchel
