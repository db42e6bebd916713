// SPDX-License-Identifier: Apache-2.0
// The passes over a transport plan that Sinkhorn's method (solvers/sinkhorn.hpp) is made of: each reads the
// matrix once.
#pragma once

#include <span>

#include "fenchel/core/views.hpp"

namespace fenchel::kernels {

/// The scalings of one sweep: the plan is diag(u) K diag(v).
struct SweepVectors {
  std::span<const double> a;  ///< wanted row sums
  std::span<const double> v;
  std::span<double> u;  ///< in: that of the previous sweep; out: a / (K v), 0 where a is 0
  std::span<double> w;  ///< out: Kᵀu
};

/// Rescales the rows and sums the columns in one pass; returns Σ |u (K v) − a| for the u that came in.
double sinkhorn_sweep(MatrixView<const double> kernel, const SweepVectors& vectors);

/// Potentials of a plan with entries exp(scores + alpha + beta), and where its sums go.
struct PlanVectors {
  std::span<const double> alpha;
  std::span<const double> beta;
  std::span<double> row_sums;
  std::span<double> column_sums;
};

/// The plan and its sums; entries below 1e-307 are 0, those above e^700 are e^700.
void exponential_plan(MatrixView<const double> scores, const PlanVectors& vectors, MatrixView<double> plan);

/// plan = diag(u) K diag(v); `plan` may be `kernel`.
void scale_plan(MatrixView<const double> kernel, std::span<const double> u, std::span<const double> v,
                MatrixView<double> plan);

}  // namespace fenchel::kernels
