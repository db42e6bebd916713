// SPDX-License-Identifier: Apache-2.0
// The pairwise-hinge entropies with a general cost matrix (paper, lemma of appendix B.9), by interior points.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "fenchel/core/report.hpp"
#include "fenchel/regularizers/pairwise_hinge.hpp"

namespace fenchel::pairwise {

/// Which φ in ℓ(θ; k) = Σ_j c_kj φ(θ_j).
enum class Kind { hinge, smoothed, squared };

/// Square, finite, non-negative, and no class that never costs anything.
void check_costs(const CostMatrix& costs);

double value(Kind kind, const CostMatrix& costs, std::span<const double> p);
void gradient(Kind kind, const CostMatrix& costs, std::span<const double> p, std::span<double> out);
Report predict(Kind kind, const CostMatrix& costs, std::span<const double> theta, std::span<double> out);
/// prox_{τΩ}(η): the same programme with ½‖p‖² added.
Report prox(Kind kind, const CostMatrix& costs, std::span<const double> eta, double tau,
            std::span<double> out);
/// max_k sup_p (Ω(e_k) − Ω(p))/(1 − p_k), which for a concave H is a one-sided slope at the vertex.
std::optional<double> margin(Kind kind, const CostMatrix& costs, std::size_t d);

}  // namespace fenchel::pairwise
