// SPDX-License-Identifier: Apache-2.0
// Files that do not fit into memory: an error that names them, not a bare std::bad_alloc.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "fenchel/data/data_error.hpp"

namespace fenchel {

/// Calls read(). Throws DataError about `source` where that runs out of memory.
template <class Read>
auto within_memory(const std::string& source, const Read& read) {
  const char* const problem =
      "there is not enough memory for its content; single precision takes half of it, and a binary cache "
      "(write_cache) is mapped instead of read";
  try {
    return read();
  } catch (const std::bad_alloc&) {
    throw DataError(source, 0, 0, problem);
  } catch (const std::length_error&) {  // of a vector that would be longer than any memory
    throw DataError(source, 0, 0, problem);
  }
}

}  // namespace fenchel
