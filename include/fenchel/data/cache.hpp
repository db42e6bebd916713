// SPDX-License-Identifier: Apache-2.0
// Data sets as binary files that are mapped into memory instead of read: a tensor file (core/tensor_file.hpp)
// with the arrays of a Dataset.
#pragma once

#include <filesystem>

#include "fenchel/core/dataset.hpp"

namespace fenchel {

/// Writes a data set, or leaves an old file of that name as it was and throws std::system_error.
void write_cache(const Dataset& data, const std::filesystem::path& path);

/// The data set of a file; features stay in it, in the precision they were written in. Everything that
/// indexes memory is checked: a file that is not what write_cache writes throws DataError (or
/// std::runtime_error, if it is not a tensor file at all).
Dataset map_cache(const std::filesystem::path& path);

/// Whether the file is such a cache. False if it cannot be read.
bool is_cache(const std::filesystem::path& path);

}  // namespace fenchel
