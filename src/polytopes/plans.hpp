// SPDX-License-Identifier: Apache-2.0
// What the Birkhoff polytope and the transport polytopes share: projections onto {μ ≥ 0 : row sums a, column
// sums b}, their derivatives, and the check of a point. Matrices are row-major, one row per entry of a.
#pragma once

#include <span>
#include <string_view>

#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/generator.hpp"

namespace fenchel::plans {

/// Wanted row and column sums, with equal totals.
struct Sums {
  std::span<const double> a;
  std::span<const double> b;
};

/// argmin ½‖μ − θ‖².
Report project(std::span<const double> theta, const Sums& sums, std::span<double> out, Workspace& scratch);

/// Its Jacobian at μ, times v: v on the support, less potentials of rows and columns that keep all sums.
void project_jvp(std::span<const double> mu, const Sums& sums, std::span<const double> v,
                 std::span<double> out, Workspace& scratch);

/// argmax ⟨θ, μ⟩ − Σ μ log μ.
Report project_kl(std::span<const double> theta, const Sums& sums, std::span<double> out, Workspace& scratch);

/// Its Jacobian at μ, times v: μ ∘ (v + α + β) with the potentials that keep all sums.
void project_kl_jvp(std::span<const double> mu, const Sums& sums, std::span<const double> v,
                    std::span<double> out, Workspace& scratch);

/// argmax ⟨θ, μ⟩ − Σ φ(μ), μ ≥ 0.
Report project_bregman(const Generator& phi, std::span<const double> theta, const Sums& sums,
                       std::span<double> out, Workspace& scratch);

/// Its Jacobian at μ, times v.
void project_bregman_jvp(const Generator& phi, std::span<const double> mu, const Sums& sums,
                         std::span<const double> v, std::span<double> out, Workspace& scratch);

/// Throws std::invalid_argument unless μ is non-negative with these sums, up to `point_tolerance`.
void check_point(std::string_view name, std::span<const double> mu, const Sums& sums);

/// How far, relative to the largest sum, a point may be outside: input rounded to six digits passes.
inline constexpr double point_tolerance = 1e-5;

}  // namespace fenchel::plans
