// SPDX-License-Identifier: Apache-2.0
// NumPy arrays in .npy files (versions 1 to 3): <f4, <f8, <i4, <i8, |u1 and |b1, in C or Fortran order.
// Arrays whose type and order need no conversion stay in the file, mapped into memory.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"

namespace fenchel {

/// Reads the rows of X (one or two dimensions) and their targets: from the file options.target, or from the
/// one whose name has y in place of the last X (y.npy beside X.npy), if there is one ("-": none). Targets of
/// one dimension become labels and values, those of two dimensions values.
Dataset read_npy(const std::string& path, const ReadOptions& options = {});

/// Writes a matrix of two dimensions as <f8, version 1.
void write_npy(MatrixView<const double> rows, std::ostream& out);
/// Into a file, complete or not at all: a failure throws std::system_error and leaves an old file as it was.
void write_npy(MatrixView<const double> rows, const std::filesystem::path& path);

}  // namespace fenchel
