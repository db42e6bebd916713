// SPDX-License-Identifier: Apache-2.0
// Ω(p) = Σ_j −H([p_j, 1 − p_j]) on the unit cube from any two-class entropy H: the one-vs-all reduction
// (paper §6.1). ŷ_j is the first entry of the two-class prediction at [θ_j, 0].
#pragma once

#include <tuple>
#include <vector>

#include "fenchel/regularizers/any.hpp"
#include "fenchel/regularizers/shannon.hpp"

namespace fenchel {

/// A one-vs-all loss.
struct OneVsAll {
  AnyRegularizer entropy = Shannon{};

  static constexpr Traits traits{.name = "one_vs_all",
                                 .domain = Domain::cube,
                                 .separable = true,
                                 .formula = "Σ −H([p, 1−p])",
                                 .loss = "one-vs-all from any two-class entropy",
                                 .prediction = "coordinate-wise",
                                 .paper = "§6.1"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"entropy", &OneVsAll::entropy, "an Ω over the simplex, nested"}};
  }
  static std::vector<OneVsAll> examples();
  void check() const;
  Traits refined_traits() const;

  double value(std::span<const double> p) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  double loss(std::span<const double> theta, std::span<const double> y,
              std::span<const double> prediction) const;
  void gradient(std::span<const double> p, std::span<double> out, Workspace& scratch) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const { return std::nullopt; }
};

static_assert(Regularizer<OneVsAll>);

}  // namespace fenchel
