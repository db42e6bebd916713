// SPDX-License-Identifier: Apache-2.0
// For dual points that may come from a file: whether a point is in the domain of Ω, and the bound of the loss
// that it gives.
#pragma once

#include <span>

#include "fenchel/core/workspace.hpp"
#include "fenchel/losses/fenchel_young.hpp"

namespace fenchel {

/// Whether μ is in the domain of Ω, up to rounding.
bool in_domain(const AnyRegularizer& omega, std::span<const double> mu, Workspace& scratch);

/// The gradient of a loss with a weight.
struct WeightedGradient {
  double weight;
  std::span<const double> gradient;
};

/// The largest a with a + ⟨θ, g⟩ ≤ w L(θ + c_y; y) for all θ, c_y the cost: w (Ω(y) − Ω(μ)) + ⟨c_y, g⟩ at
/// μ = y + g/w. −inf where μ is not in the domain: there is no such a. +inf where Ω has no formula.
double weighted_dual_bound(const FenchelYoungLoss& loss, std::span<const double> y, const WeightedGradient& g,
                           Workspace& scratch);

}  // namespace fenchel
