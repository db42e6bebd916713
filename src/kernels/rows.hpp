// SPDX-License-Identifier: Apache-2.0
// The compiled SIMD kernels on blocks of rows of the simplex: θ → ŷ_Ω(θ), with the by-products from which
// the Fenchel-Young loss follows at no cost (paper §3.1, §4.3, Proposition "Reduction to root finding").
//
// Every function predicts each row of `theta` into the same row of `out` (`out` may be `theta` itself) and
// returns the index of the first row that is not a score vector (a NaN, a +inf, or nothing but −inf), or
// `theta.rows()` when there is none; rows from that one on hold unspecified values. A score of −inf is a
// mask: its probability is exactly 0. The instruction set is chosen when the program runs.
//
// Entries are within 1e-14 of the exact ones for double and 4e-7 for float, rows sum to one within 4e-15 and
// 3e-7. A row's bits depend on that row, its length and the instruction set only, not on the block it comes
// in. One thread works on the block it is given: hand each thread as many rows as possible, since blocks of
// 4 MiB and more are written past the cache. Rows have fewer than 2^32 entries.
#pragma once

#include <cstddef>

#include "fenchel/core/row_summaries.hpp"
#include "fenchel/core/views.hpp"

namespace fenchel {

namespace kernels {

/// Blocks whose output is at least this large are written past the cache, which they would only flush.
inline constexpr std::size_t streaming_bytes = std::size_t{4} << 20;

/// softmax: Ω(p) = Σ p log p, Ω*(θ) = log Σ exp θ.
std::size_t softmax(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries);
std::size_t softmax(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries);

/// sparsemax, the Euclidean projection: Ω(p) = ½‖p‖² − ½.
std::size_t sparsemax(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries);
std::size_t sparsemax(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries);

/// 1.5-entmax: Ω(p) = (4/3) Σ (p^1.5 − p).
std::size_t entmax15(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries);
std::size_t entmax15(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries);

/// α-entmax for 1 < α ≤ 2: Ω(p) = Σ (p^α − p) / (α(α−1)). The accuracy above holds for α ≥ 1.05; nearer to 1
/// that of double grows like 2e-16/(α−1). Fastest where 1/(α−1) is a whole number: α = 2, 1.5,
/// 4/3, 1.25, 1.2 …
std::size_t entmax(MatrixView<const float> theta, MatrixView<float> out, double alpha,
                   RowSummaries summaries);
std::size_t entmax(MatrixView<const double> theta, MatrixView<double> out, double alpha,
                   RowSummaries summaries);

/// The name of the instruction set in use, for example "AVX2".
const char* simd_target();

}  // namespace kernels
}  // namespace fenchel
