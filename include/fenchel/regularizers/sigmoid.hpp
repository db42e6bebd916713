// SPDX-License-Identifier: Apache-2.0
// Ω(p) = Σ p log p + (1 − p) log(1 − p) on the unit cube, the Fermi-Dirac entropy: ŷ_Ω is the sigmoid and
// L_Ω the one-vs-all logistic loss (paper §2.2, §6.2).
#pragma once

#include <vector>

#include "fenchel/regularizers/concepts.hpp"

namespace fenchel {

/// One-vs-all logistic regression.
struct Sigmoid {
  static constexpr Traits traits{.name = "sigmoid",
                                 .domain = Domain::cube,
                                 .sparse = false,
                                 .separable = true,
                                 .legendre = true,
                                 .formula = "Σ p log p + (1−p) log(1−p)",
                                 .loss = "one-vs-all logistic",
                                 .prediction = "sigmoid",
                                 .paper = "§2.2; §6.2"};
  static std::vector<Sigmoid> examples() { return {{}}; }

  double phi(double p) const;
  double phi_prime(double p) const;
  double predict_one(double s) const;
  double slope_one(double s) const;
  double loss_one(double s, double y) const;
  double prox_one(double eta, double tau) const;
  std::optional<double> margin(std::size_t) const { return std::nullopt; }
  std::optional<double> strong_convexity() const { return 4; }
};

static_assert(Regularizer<Sigmoid>);

}  // namespace fenchel
