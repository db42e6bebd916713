// SPDX-License-Identifier: Apache-2.0
// Whether rows are kept dense or sparse.
#pragma once

#include <cstddef>

#include "fenchel/data/options.hpp"

namespace fenchel {

/// Under Storage::automatic: dense if at least two thirds of the entries are there, which is where 8 bytes
/// for every entry are no more than 12 for each that is there.
inline bool dense_is_better(Storage storage, std::size_t rows, std::size_t cols, std::size_t entries) {
  if (cols == 0) return false;
  if (storage != Storage::automatic) return storage == Storage::dense;
  return 3.0 * static_cast<double>(entries) >= 2.0 * static_cast<double>(rows) * static_cast<double>(cols);
}

}  // namespace fenchel
