// SPDX-License-Identifier: Apache-2.0
// How the time grows: with the number of threads, with the columns and with the rows (both should be linear).
#include <benchmark/benchmark.h>
#include <omp.h>

#include "inputs.hpp"

namespace fenchel::bench {
namespace {

/// range(0) threads, each over blocks of rows of one batch; softmax, sparsemax and 1.5-entmax by range(1)/10.
void threads(benchmark::State& state) {
  const int count = static_cast<int>(state.range(0));
  const double alpha = static_cast<double>(state.range(1)) / 10.0;
  const auto cols = static_cast<std::size_t>(state.range(2));
  const auto entries = static_cast<std::size_t>(state.range(3));
  Batch<float> batch(rows_for(entries, cols), cols, "normal", 1.0);
  const auto blocks = static_cast<std::size_t>(count);
  for (auto _ : state) {
#pragma omp parallel for num_threads(count) schedule(static)
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t first = batch.rows * b / blocks;
      const std::size_t size = batch.rows * (b + 1) / blocks - first;
      predict<float>(alpha, batch.scores().block(first, size), batch.result().block(first, size));
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch.theta.size()));
}
// In cache, the batch is twice the usual one: each core brings its own cache.
BENCHMARK(threads)
    ->ArgNames({"threads", "alpha10", "d", "entries"})
    ->ArgsProduct({{1, 2}, {10, 15, 20}, {16, 100, 1000}, {2 * cache_entries, memory_entries}})
    ->UseRealTime()
    ->MinTime(0.1);

template <int alpha10>
void by_columns(benchmark::State& state) {
  const auto cols = static_cast<std::size_t>(state.range(0));
  Batch<float> batch(16, cols, "normal", 1.0);
  for (auto _ : state) {
    predict<float>(alpha10 / 10.0, batch.scores(), batch.result());
    benchmark::ClobberMemory();
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(by_columns<10>)
    ->Name("linear_d/softmax")
    ->RangeMultiplier(4)
    ->Range(64, 1 << 16)
    ->Complexity(benchmark::oN);
BENCHMARK(by_columns<15>)
    ->Name("linear_d/entmax15")
    ->RangeMultiplier(4)
    ->Range(64, 1 << 16)
    ->Complexity(benchmark::oN);
BENCHMARK(by_columns<20>)
    ->Name("linear_d/sparsemax")
    ->RangeMultiplier(4)
    ->Range(64, 1 << 16)
    ->Complexity(benchmark::oN);

template <int alpha10>
void by_rows(benchmark::State& state) {
  Batch<float> batch(static_cast<std::size_t>(state.range(0)), 100, "normal", 1.0);
  for (auto _ : state) {
    predict<float>(alpha10 / 10.0, batch.scores(), batch.result());
    benchmark::ClobberMemory();
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(by_rows<10>)
    ->Name("linear_rows/softmax")
    ->RangeMultiplier(4)
    ->Range(16, 1 << 14)
    ->Complexity(benchmark::oN);
BENCHMARK(by_rows<20>)
    ->Name("linear_rows/sparsemax")
    ->RangeMultiplier(4)
    ->Range(16, 1 << 14)
    ->Complexity(benchmark::oN);

}  // namespace
}  // namespace fenchel::bench
