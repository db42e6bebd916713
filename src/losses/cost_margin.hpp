// SPDX-License-Identifier: Apache-2.0
// The separation margin of a loss over the simplex whose cost depends on the truth (paper Definition 4,
// §3.4).
#pragma once

#include <cstddef>
#include <optional>

#include "fenchel/losses/fenchel_young.hpp"

namespace fenchel {

/// The smallest m such that θ_k ≥ m + θ_j for all j ≠ k implies L_Ω(θ + c_k; e_k) = 0, for every label k.
std::optional<double> cost_margin(const FenchelYoungLoss& loss, std::size_t d);

}  // namespace fenchel
