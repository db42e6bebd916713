// SPDX-License-Identifier: Apache-2.0
// Ω(m) = Σ m log m − m on the non-negative orthant, of Legendre type: ŷ_Ω(θ) = exp θ, and L_Ω(θ; y) is the
// generalized Kullback-Leibler divergence KL(y ‖ exp θ), the Poisson deviance (paper §3.2, §6).
#pragma once

#include <vector>

#include "fenchel/regularizers/concepts.hpp"

namespace fenchel {

/// The Poisson loss.
struct Poisson {
  static constexpr Traits traits{.name = "poisson",
                                 .domain = Domain::cone,
                                 .strongly_convex = false,
                                 .sparse = false,
                                 .separable = true,
                                 .zero_at_vertices = false,
                                 .legendre = true,
                                 .score_limit = 700,  // s exp(s) is finite
                                 .formula = "Σ m log m − m",
                                 .loss = "Poisson (generalized KL)",
                                 .prediction = "exp",
                                 .paper = "§3.2; §6"};
  static std::vector<Poisson> examples() { return {{}}; }

  double phi(double m) const;
  double phi_prime(double m) const;
  double predict_one(double s) const;
  double slope_one(double s) const { return predict_one(s); }
  double loss_one(double s, double y) const;
  double prox_one(double eta, double tau) const;  ///< τ ω(η/τ − log τ), ω the Wright omega function
  std::optional<double> margin(std::size_t) const { return std::nullopt; }
};

static_assert(Regularizer<Poisson>);

}  // namespace fenchel
