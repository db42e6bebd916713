// SPDX-License-Identifier: Apache-2.0
// Sparse matrices in files: NAME.offsets, NAME.indices and NAME.values.
#pragma once

#include <cstddef>
#include <string>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/tensor_file.hpp"

namespace fenchel {

/// The arrays are the matrix's own: it must live until they are written.
void add_sparse(TensorFile& file, const std::string& name, const CsrMatrix<double>& rows);
/// Throws std::invalid_argument unless the arrays are a matrix of that many columns.
CsrMatrix<double> read_sparse(const TensorFile& file, const std::string& name, std::size_t cols);

}  // namespace fenchel
