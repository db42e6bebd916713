// SPDX-License-Identifier: Apache-2.0
// Ω(p) = ½‖p‖²_q − ½ on the simplex for 1 < q ≤ 2, (q − 1)-strongly convex; q = 2 is sparsemax (paper §4.3).
// With x = [θ − τ]₊, A = Σ x^{1/(q−1)} and B = Σ x^{q/(q−1)}: A B^{(q−2)/q} = 1 and p ∝ x^{1/(q−1)}.
#pragma once

#include <tuple>
#include <vector>

#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// The squared-norm-entropy losses.
struct SquaredNorm {
  double q = 1.5;

  static constexpr Traits traits{.name = "squared_norm",
                                 .formula = "½‖p‖²_q − ½",
                                 .loss = "squared norm entropy; q=2 sparsemax",
                                 .prediction = "squared normmax",
                                 .paper = "§4.3"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"q", &SquaredNorm::q, "order of the norm, in (1, 2]; 2 is sparsemax"}};
  }
  static std::vector<SquaredNorm> examples() { return {{1.1}, {1.3}, {1.5}, {1.8}, {2}}; }
  void check() const;

  double value(std::span<const double> p) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> p, std::span<double> out) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const { return 1; }
  std::optional<double> strong_convexity() const { return q - 1; }
  std::optional<double> smoothness() const;
  std::optional<double> ridge() const { return q == 2 ? std::optional(1.0) : std::nullopt; }
};

static_assert(Regularizer<SquaredNorm>);

}  // namespace fenchel
