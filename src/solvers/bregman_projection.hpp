// SPDX-License-Identifier: Apache-2.0
// Projections argmax ⟨θ, μ⟩ − Σ φ(μ_j) for any generator φ, where they come down to searches on a line:
//  - a fixed sum: μ = (φ')⁻¹(θ − τ) with the τ that gives it (paper §8.3, "Reduction to root finding");
//  - the permutations of w (paper §7.3): isotonic optimisation, min Σ φ*(s_i − v_i) + w_i v_i over
//    v_1 ≥ … ≥ v_n, whose solution is constant on blocks, each of which has a fixed sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/generator.hpp"

namespace fenchel {

/// argmax ⟨θ, μ⟩ − Σ φ(μ) with Σ μ = total. Entries with θ = −inf get 0; n others, n ≥ 1, must be able to
/// have that sum: n · lower ≤ total ≤ n · upper. θ and μ must not overlap.
void share_sum(const Generator& phi, std::span<const double> theta, double total, std::span<double> mu);

/// The σ for which Σ (φ')⁻¹(θ_j + offsets_j + σ) = total, with θ as above; where no finite one does, because
/// every entry would have to be at the same end of the interval, one that comes as close as rounding.
double shift_for_sum(const Generator& phi, std::span<const double> theta, std::span<const double> offsets,
                     double total);

/// argmax ⟨s, μ⟩ − Σ φ(μ) over the hull of the permutations of w; s and w in descending order, w where φ is
/// finite. Writes μ and where the blocks of the dual solution end; returns their number. Parts
/// are split at a level of v until one block solves them, which takes about log n rounds where the levels are
/// spread evenly (and n at worst).
std::size_t isotonic_bregman(const Generator& phi, std::span<const double> s, std::span<const double> w,
                             std::span<double> mu, std::span<std::uint32_t> ends, Workspace& scratch);

}  // namespace fenchel
