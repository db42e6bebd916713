// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.hpp"

#include <fmt/core.h>
#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "core/thread_pool.hpp"
#include "fenchel/core/option_error.hpp"

namespace fenchel {
namespace {

std::atomic<bool> forked{false};

// Large enough to amortise a virtual call and fill SIMD lanes, small enough that the scores and predictions
// of a block stay in the second-level cache between the passes over them and that threads share a batch
// evenly.
constexpr std::size_t block_bytes = std::size_t{1} << 15;
constexpr std::size_t lane_rows = 16;  // blocks are multiples of the widest group of rows in lanes

}  // namespace

int resolve_threads(int requested) {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forked = true; });
  (void)registered;
  if (forked) return 1;
  constexpr int most_threads = 4096;  // more are not asked for but by mistake
  if (requested > most_threads)
    throw OptionError(fmt::format("`threads` is {}; expected at most {}", requested, most_threads));
  return requested > 0 ? requested : omp_get_max_threads();
}

std::size_t rows_per_block(std::size_t row_bytes) {
  const std::size_t rows = block_bytes / std::max<std::size_t>(row_bytes, 1);
  return rows < lane_rows ? std::max<std::size_t>(rows, 1) : rows / lane_rows * lane_rows;
}

void for_each_block(std::size_t count, std::size_t block, int threads,
                    FunctionRef<void(std::size_t first, std::size_t last)> body) {
  const std::size_t blocks = (count + block - 1) / block;
  const int team =
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(resolve_threads(threads)), blocks));
  if (team <= 1) {
    for (std::size_t b = 0; b < blocks; ++b) body(b * block, std::min(count, (b + 1) * block));
    return;
  }
  std::mutex mutex;
  std::exception_ptr failure;
  std::size_t failed_block = blocks;
  const auto run = [&](std::size_t b) {
    try {
      body(b * block, std::min(count, (b + 1) * block));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (b < failed_block) {
        failed_block = b;
        failure = std::current_exception();
      }
    }
  };
  share_loop(blocks, static_cast<std::size_t>(team - 1), run);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace fenchel
