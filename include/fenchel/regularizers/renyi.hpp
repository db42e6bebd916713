// SPDX-License-Identifier: Apache-2.0
// Ω(p) = (1/(β − 1)) log Σ p^β on the simplex, the Rényi negentropy, for 0 ≤ β ≤ ∞; β = 1 is Shannon (paper
// §4.3). Concave entropy, dense ŷ and no margin for β < 1; not concave, sparse, with a margin that depends on
// d for β > 1. With b = β/(β − 1): p ∝ w, w_i = [1 + (θ_i + c)/b]₊^{1/(β−1)}, and c makes Σ w_i(θ_i + c) = 0.
#pragma once

#include <tuple>
#include <vector>

#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// The Rényi losses. For β > 1 there can be several stationary points: ŷ is the global maximum, and the
/// report says "stationary" if that could not be proven. β = 0 is the limit from above, whose ŷ is the
/// argmax.
struct Renyi {
  double beta = 0.5;

  static constexpr Traits traits{.name = "renyi",
                                 .formula = "log(Σ p^β)/(β−1)",
                                 .loss = "Rényi; β=1 logistic",
                                 .prediction = "Rényi argmax",
                                 .paper = "§4.3"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"beta", &Renyi::beta, "order of the entropy, >= 0 or inf; 1 is softmax"}};
  }
  static std::vector<Renyi> examples();
  void check() const;
  Traits refined_traits() const;

  double value(std::span<const double> p) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const;
  void gradient(std::span<const double> p, std::span<double> out) const;
  /// For β ≤ 1 only.
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t d) const;
  std::optional<double> strong_convexity() const;
};

static_assert(Regularizer<Renyi>);

}  // namespace fenchel
