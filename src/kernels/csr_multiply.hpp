// SPDX-License-Identifier: Apache-2.0
// Sparse rows times a dense matrix with a row of contiguous entries for each column, compiled for every
// instruction set. With the transpose of the sparse matrix the same product gives gradients, one feature at a
// time, without a copy per thread.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/matrix.hpp"

namespace fenchel::kernels {

/// The stride that rows of b and out need for a given width: the kernels read and write whole vectors.
std::size_t padded_width(std::size_t width, std::size_t entry_bytes);

/// out_i = start + Σ_j a_ij b_j for every row i of a. The strides are padded_width of the same width; `start`
/// has as many entries, and what lies after the width in b and start must be finite.
void csr_multiply(const CsrView<float>& a, MatrixView<const float> b, std::span<const float> start,
                  MatrixView<float> out);
void csr_multiply(const CsrView<double>& a, MatrixView<const double> b, std::span<const double> start,
                  MatrixView<double> out);

/// out_i += Σ_j a_ij b_j for every row i of a, added up in double after every few entries. Only b is padded.
void csr_multiply_add(const CsrView<float>& a, MatrixView<const float> b, MatrixView<double> out);
void csr_multiply_add(const CsrView<double>& a, MatrixView<const double> b, MatrixView<double> out);

}  // namespace fenchel::kernels
