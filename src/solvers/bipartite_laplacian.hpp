// SPDX-License-Identifier: Apache-2.0
// The linear system behind every smooth map onto a transport polytope: given weights W ≥ 0 (rows × columns),
// find potentials α, β with
//     Σ_j W_ij (α_i + β_j) = ρ_i  and  Σ_i W_ij (α_i + β_j) = γ_j,
// the Hessian of the dual of Sinkhorn (W = μ) and of the Euclidean projection (W = 1 on the support), and the
// correction that keeps the sums of a derivative. Each connected part of W leaves a shift free.
#pragma once

#include <span>

#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// Added to the diagonal, relative to it: large against rounding (so that the shift each connected part
/// leaves free does no harm), small against every coupling that can move a plan by more than rounding.
inline constexpr double smallest_ridge = 1e-14;

/// A factorisation that lives in `scratch`: keep it inside one workspace frame.
class BipartiteLaplacian {
 public:
  BipartiteLaplacian(MatrixView<const double> weights, double ridge, Workspace& scratch);

  /// One right-hand side; rows and columns without weights get 0. The inputs may not overlap the outputs.
  void solve(std::span<const double> rho, std::span<const double> gamma, std::span<double> alpha,
             std::span<double> beta) const;

  /// Multiplications of a factorisation with dense weights, for deciding whether it pays.
  static double cost(std::size_t rows, std::size_t columns);

 private:
  bool by_columns() const { return weights_.cols() <= weights_.rows(); }
  void form();
  void form_sparse(std::span<const double> inverse);
  void factorize(double ridge);
  void solve_once(std::span<const double> rho, std::span<const double> gamma, std::span<double> alpha,
                  std::span<double> beta) const;

  MatrixView<const double> weights_;
  Workspace& scratch_;
  std::span<double> row_sums_, column_sums_;
  std::span<double> factor_;  // Cholesky factor of the Schur complement on the shorter side
};

/// out = W ∘ (v + α + β) with the potentials for which every row and column of `out` sums to 0: the
/// derivative of a plan along v, where W is the derivative of its entries.
void tangent_part(MatrixView<const double> weights, std::span<const double> v, std::span<double> out,
                  Workspace& scratch);

}  // namespace fenchel
