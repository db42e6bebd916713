// SPDX-License-Identifier: Apache-2.0
// Ω(p) = Σ (p^α + (1 − p)^α − 1)/(α(α − 1)) on the unit cube: the Tsallis entropy of [p, 1 − p] in each
// coordinate. α = 1 is the sigmoid, α = 2 the sparse sigmoid (paper §4.3, §6.1).
#pragma once

#include <tuple>
#include <vector>

#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// One-vs-all Tsallis loss.
struct TsallisSigmoid {
  double alpha = 1.5;

  static constexpr Traits traits{.name = "tsallis_sigmoid",
                                 .domain = Domain::cube,
                                 .separable = true,
                                 .formula = "Σ (p^α + (1−p)^α − 1)/(α(α−1))",
                                 .loss = "one-vs-all Tsallis",
                                 .prediction = "α-sigmoid",
                                 .paper = "§4.3; §6.1"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"alpha", &TsallisSigmoid::alpha, "order of the entropy, > 0; 1 is sigmoid"}};
  }
  static std::vector<TsallisSigmoid> examples() { return {{0.5}, {1}, {1.2}, {1.5}, {2}, {2.5}, {4}}; }
  void check() const;
  Traits refined_traits() const;

  double phi(double p) const;
  double phi_prime(double p) const;
  double predict_one(double s) const;
  double slope_one(double s) const;
  double loss_one(double s, double y) const;
  double prox_one(double eta, double tau) const;
  std::optional<double> margin(std::size_t) const { return std::nullopt; }
  std::optional<double> strong_convexity() const;
  std::optional<double> smoothness() const;

 private:
  double lower_half(double target, double unit, double weight) const;
};

static_assert(Regularizer<TsallisSigmoid>);

}  // namespace fenchel
