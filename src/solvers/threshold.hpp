// SPDX-License-Identifier: Apache-2.0
// Proposition "Reduction to root finding" (paper §8.3, appendix B.8): for Ω(p) = Σ g(p_j) on the simplex,
// ŷ_Ω(θ) = p(τ) with p_j(τ) = (g')⁻¹(max(θ_j − τ, g'(0))) and Σ_j p_j(τ) = 1. The proximity operator of a
// separable Ω is the same problem with another g (paper, appendix A.1).
#pragma once

#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/root.hpp"

namespace fenchel {

/// p_j as a function of θ_j − τ: value and slope, both 0 below g'(0). Only Newton reads the slope.
using ThresholdCurve = FunctionRef<RootSample(double)>;

/// Finds the τ ∈ [lower, upper] with Σ_j curve(θ_j − τ) = total and writes p. Entries with θ_j = −inf get 0.
/// The result mixes the two ends of the final bracket so that its sum is right even where p jumps between
/// neighbouring numbers (steep g near 0). θ and p may share memory.
Root solve_threshold(std::span<const double> theta, ThresholdCurve curve, double lower, double upper,
                     std::span<double> p, const RootOptions& options = {}, double total = 1);

}  // namespace fenchel
