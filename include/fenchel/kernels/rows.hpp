// SPDX-License-Identifier: Apache-2.0
// The compiled SIMD kernels on blocks of rows of the simplex: θ → ŷ_Ω(θ), with the by-products that make
// the Fenchel-Young loss free (paper §3.1, §4.3, Proposition "Reduction to root finding").
//
// Every function predicts each row of `theta` into the same row of `out` (`out` may be `theta` itself) and
// returns the index of the first row that is not a score vector (a NaN, a +inf, or nothing but −inf), or
// `theta.rows()` when there is none; rows from that one on hold unspecified values. A score of −inf is a
// mask: its probability is exactly 0. The instruction set is chosen when the program runs.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/views.hpp"

namespace fenchel {

/// Per-row by-products of a prediction, for Ω over the simplex: Ω*(θ) = shift + conjugate, where shift = max θ
/// and conjugate = Ω*(θ − shift) is free of cancellation. Both spans hold one entry a row, or both are empty
/// when nobody asks. Elsewhere shift is 0.
struct RowSummaries {
  std::span<double> shift;
  std::span<double> conjugate;

  bool wanted() const { return !shift.empty(); }
  RowSummaries block(std::size_t first, std::size_t count) const {
    if (!wanted()) return {};
    return {shift.subspan(first, count), conjugate.subspan(first, count)};
  }
};

namespace kernels {

/// softmax: Ω(p) = Σ p log p, Ω*(θ) = log Σ exp θ.
std::size_t softmax(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries);
std::size_t softmax(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries);

/// sparsemax, the Euclidean projection: Ω(p) = ½‖p‖² − ½.
std::size_t sparsemax(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries);
std::size_t sparsemax(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries);

/// 1.5-entmax: Ω(p) = (4/3) Σ (p^1.5 − p).
std::size_t entmax15(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries);
std::size_t entmax15(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries);

/// α-entmax for 1 < α ≤ 2: Ω(p) = Σ (p^α − p) / (α(α−1)).
std::size_t entmax(MatrixView<const float> theta, MatrixView<float> out, double alpha, RowSummaries summaries);
std::size_t entmax(MatrixView<const double> theta, MatrixView<double> out, double alpha, RowSummaries summaries);

/// The name of the instruction set in use, for example "AVX2".
const char* simd_target();

}  // namespace kernels
}  // namespace fenchel
