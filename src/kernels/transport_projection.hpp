// SPDX-License-Identifier: Apache-2.0
// The passes over a plan μ = [scores + α + β]₊ that the Euclidean projection onto a transport polytope
// (solvers/transport_projection.hpp) is made of.
#pragma once

#include <span>

#include "fenchel/core/views.hpp"
#include "kernels/sinkhorn.hpp"

namespace fenchel::kernels {

/// The plan [scores + alpha + beta]₊ and its sums.
void clipped_plan(MatrixView<const double> scores, const PlanVectors& vectors, MatrixView<double> plan);

/// The α for which Σ_j [row_j + beta_j + α]₊ = sum > 0, from a guess; −inf entries (never all) are left out.
double shift_for_sum(std::span<const double> row, std::span<const double> beta, double sum, double guess);

}  // namespace fenchel::kernels
