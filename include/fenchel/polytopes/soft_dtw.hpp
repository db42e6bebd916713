// SPDX-License-Identifier: Apache-2.0
// Dynamic time warping and soft-DTW under their usual names: the oracles of Alignment with costs D = −θ in
// place of similarities and a temperature γ (paper §7.3 "Alignments").
//   dtw(D) = min ⟨D, y⟩ over the alignments y,   soft_dtw(D, γ) = −γ log Σ exp(−⟨D, y⟩/γ),
// and the gradient of the latter with respect to D is the expected alignment.
//
// A cost of +inf forbids a pair of steps; if no alignment is left, the value is +inf and gradients are 0. All
// throw std::invalid_argument for other costs that are not finite, for empty series and for γ ≤ 0. Any γ > 0
// is exact: nothing overflows, and the value tends to dtw(D) as γ → 0. It may be negative, because it counts
// alignments.
#pragma once

#include <cstddef>
#include <vector>

#include "fenchel/core/views.hpp"
#include "fenchel/polytopes/alignment.hpp"

namespace fenchel {

/// The best alignment and its cost.
struct WarpingPath {
  double value = 0;
  std::vector<Alignment::Cell> path;
};

/// The alignment of least cost; `band` as in Alignment.
WarpingPath dtw(MatrixView<const double> cost, std::size_t band = 0);

struct SoftDtwOptions {
  double gamma = 1;      ///< temperature, > 0
  std::size_t band = 0;  ///< as in Alignment
};

/// The soft minimum of the costs of all alignments.
double soft_dtw(MatrixView<const double> cost, const SoftDtwOptions& options = {});

/// The same, and its gradient with respect to the costs: the expected alignment. `gradient` has the shape of
/// `cost`.
double soft_dtw(MatrixView<const double> cost, MatrixView<double> gradient,
                const SoftDtwOptions& options = {});

/// cost(i, j) = ‖a_i − b_j‖² for the steps (rows) of two series.
void squared_euclidean_cost(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> cost);

/// Gradients with respect to two series; an empty view is not written.
struct SeriesGradients {
  MatrixView<double> a;
  MatrixView<double> b;
};

/// soft_dtw of the squared Euclidean costs of two series, and its gradients with respect to them:
/// 2 Σ_j μ(i, j) (a_i − b_j) and 2 Σ_i μ(i, j) (b_j − a_i).
double soft_dtw_series(MatrixView<const double> a, MatrixView<const double> b,
                       const SeriesGradients& gradients, const SoftDtwOptions& options = {});

}  // namespace fenchel
