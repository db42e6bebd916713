// SPDX-License-Identifier: Apache-2.0
// Projections onto simple convex sets, in place: what a restriction of a Legendre-type Ψ needs (paper §3.2).
#pragma once

#include <span>

namespace fenchel {

/// The Euclidean projection onto the simplex (paper eq. 7).
void project_simplex(std::span<double> point);

/// The Kullback-Leibler projection of a positive measure onto the simplex: division by its sum.
void project_simplex_kl(std::span<double> point);

/// The projection onto [lower, upper]^d, for every separable Bregman divergence: clipping.
void project_box(std::span<double> point, double lower, double upper);

/// The Euclidean projection onto the ball of the given radius around 0.
void project_ball(std::span<double> point, double radius);

}  // namespace fenchel
