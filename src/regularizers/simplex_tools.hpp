// SPDX-License-Identifier: Apache-2.0
// What several Ω over the simplex share: projection, uniform predictions over the top scores, Jacobians.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/regularizers/traits.hpp"

namespace fenchel::simplex {

/// The Euclidean projection of x onto the simplex (paper eq. 7); −inf entries get 0.
void project(std::span<const double> x, std::span<double> out);

/// `traits` with what an Ω takes over from the entropy over the simplex that it is made of.
Traits inherited(const Traits& traits, const Traits& entropy);

/// The number of entries that are not masked.
std::size_t count_finite(std::span<const double> theta);

/// The lowest score that is not masked.
double lowest_finite(std::span<const double> theta);

/// Uniform over the k largest entries for the k ≥ 1 with the highest objective(sum of the k largest, k); the
/// smallest such k on ties. The prediction of every Ω that is a function of max p alone.
void predict_uniform_top(std::span<const double> theta, FunctionRef<double(double, std::size_t)> objective,
                         std::span<double> out, Workspace& scratch);

/// prox_{tau·max} over the simplex: argmin ½‖p − η‖² + tau · max_j p_j.
void prox_of_max(std::span<const double> eta, double tau, std::span<double> out);

/// J v where ∇²Ω = diag(1/s) + weight · u uᵀ on the support and s_j = 0 off it (J = 0 there). With weight 0
/// this is diag(s) − s sᵀ/Σs, the Jacobian of every separable Ω.
void jvp(std::span<const double> s, std::span<const double> u, double weight, std::span<const double> v,
         std::span<double> out);

/// The separable case.
void jvp(std::span<const double> s, std::span<const double> v, std::span<double> out);

}  // namespace fenchel::simplex
