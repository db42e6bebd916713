// SPDX-License-Identifier: Apache-2.0
// Means of series under soft-DTW (Cuturi and Blondel 2017): a series b that minimises
//   Σ_i w_i soft_dtw(D(b, x_i), γ),   D(b, x) = the squared Euclidean costs,
// whose gradient is that of soft_dtw_series (paper §7.3 "Alignments").
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/polytopes/soft_dtw.hpp"

namespace fenchel {

struct SoftDtwBarycenterOptions {
  SoftDtwOptions soft_dtw;
  std::span<const double> weights;  ///< one ≥ 0 for each series, divided by their sum; empty: all equal
  /// Has the length of the result; empty: the mean of the series, stretched to the length of the longest.
  MatrixView<const double> start;
  double tolerance = 1e-6;  ///< for ‖gradient‖_∞ over the range of the values of all series
  int max_iterations = 1000;
  int threads = 1;  ///< share the series; 0: as many as the machine offers; results do not depend on it
};

struct SoftDtwBarycenter {
  Matrix<double> series;
  double value = 0;  ///< of the sum above
  Report report;     ///< at best `stationary`, because the sum is not convex in b
};

/// A local minimum, by L-BFGS from the start. The rows of a series are its steps; lengths may differ.
/// Throws std::invalid_argument for series or weights that are not finite, γ ≤ 0, and sizes that do not
/// match.
SoftDtwBarycenter soft_dtw_barycenter(std::span<const MatrixView<const double>> series,
                                      const SoftDtwBarycenterOptions& options = {});

}  // namespace fenchel
