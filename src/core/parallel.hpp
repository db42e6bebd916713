// SPDX-License-Identifier: Apache-2.0
// The loop over blocks of rows: threads take whole blocks, and the blocks do not depend on the number of
// threads, so that results have the same bits for any number of them.
#pragma once

#include <cstddef>

#include "fenchel/core/function_ref.hpp"

namespace fenchel {

/// The number of threads that a request stands for: 0 means all that the machine (or OMP_NUM_THREADS) offers.
/// A child of fork() gets 1, because threads do not survive a fork. OptionError for thousands of them.
int resolve_threads(int requested);

/// How many rows of `row_bytes` make a block: a fixed function of the row, never of the number of threads.
std::size_t rows_per_block(std::size_t row_bytes);

/// Calls body(first, last) for consecutive blocks of [0, count). An exception in a body is rethrown here
/// after the loop; if several were thrown, that of the earliest block.
void for_each_block(std::size_t count, std::size_t block, int threads,
                    FunctionRef<void(std::size_t first, std::size_t last)> body);

}  // namespace fenchel
