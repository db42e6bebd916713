// SPDX-License-Identifier: Apache-2.0
// How well distributions and numbers are predicted. Rows p are predictions, rows y truths; every metric is
// the mean over rows, 0 of no rows. A row p may have fewer columns than y has: the missing ones are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fenchel/core/views.hpp"

namespace fenchel::metrics {

/// The smallest probability that log losses use; smaller ones are raised to it. Sparse predictions are
/// exactly 0 somewhere, and one wrong zero would otherwise make the mean infinite. Here it costs
/// −log of this, 36.04.
inline constexpr double smallest_probability = std::numeric_limits<double>::epsilon();

/// −log p_k, k the true class.
double log_loss(std::span<const std::int32_t> truth, MatrixView<const double> p);
/// −Σ_j y_j log p_j.
double log_loss(MatrixView<const double> truth, MatrixView<const double> p);
/// −Σ_j y_j log p_j + (1 − y_j) log(1 − p_j), each label an event of its own.
double binary_log_loss(MatrixView<const double> truth, MatrixView<const double> p);

/// ‖p − e_k‖², k the true class.
double brier(std::span<const std::int32_t> truth, MatrixView<const double> p);

/// ½ KL(p ‖ m) + ½ KL(y ‖ m) with m = (p + y)/2 and natural logarithms: from 0 to log 2 (paper §9.1).
double jensen_shannon(std::span<const double> y, std::span<const double> p);
double jensen_shannon(MatrixView<const double> truth, MatrixView<const double> p);

/// ‖p − y‖².
double squared_error(MatrixView<const double> truth, MatrixView<const double> p);
/// ½‖p − y‖².
double half_squared_error(MatrixView<const double> truth, MatrixView<const double> p);
/// Σ_j |p_j − y_j| / columns.
double absolute_error(MatrixView<const double> truth, MatrixView<const double> p);
/// 1 − Σ (p − y)² / Σ (y − mean of y)² of each column, and their mean. A column of equal truths gives 1 if
/// predicted exactly and 0 if not.
double r_squared(MatrixView<const double> truth, MatrixView<const double> p);

/// How many entries of a row are not 0.
double mean_support(MatrixView<const double> p);

/// Rows whose confidence max_j p_j lies in one part of (0, 1].
struct CalibrationBin {
  std::size_t rows = 0;
  double confidence = 0;  ///< its mean
  double accuracy = 0;    ///< the share of rows whose class has the largest entry (the first of equal ones)
};
/// Equal parts of (0, 1], each with its upper end.
std::vector<CalibrationBin> calibration_bins(std::span<const std::int32_t> truth, MatrixView<const double> p,
                                             std::size_t bins = 15);

/// Σ_b (n_b/n) |accuracy of bin b − mean confidence of bin b| over the calibration_bins.
double calibration_error(std::span<const std::int32_t> truth, MatrixView<const double> p,
                         std::size_t bins = 15);

}  // namespace fenchel::metrics
