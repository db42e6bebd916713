// SPDX-License-Identifier: Apache-2.0
// Ω(p) = ‖p‖_q − 1 on the simplex, the norm entropies, for q > 1 and q = ∞ (the Berger-Parker index): not
// separable, margin 1 (paper §4.3, §5). With x = [θ − τ]₊: Σ x^{q/(q−1)} = 1 and p ∝ x^{1/(q−1)}.
#pragma once

#include <tuple>
#include <vector>

#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// The norm-entropy losses; "normmax" is q = ∞.
struct Norm {
  double q = 2;

  static constexpr Traits traits{.name = "norm",
                                 .strongly_convex = false,
                                 .formula = "‖p‖_q − 1",
                                 .loss = "norm entropy",
                                 .prediction = "normmax",
                                 .paper = "§4.3; §5"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"q", &Norm::q, "order of the norm, > 1 or inf"}};
  }
  static std::vector<Norm> examples();
  void check() const;
  Traits refined_traits() const;

  double value(std::span<const double> p) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> p, std::span<double> out) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const { return 1; }
};

static_assert(Regularizer<Norm>);

}  // namespace fenchel
