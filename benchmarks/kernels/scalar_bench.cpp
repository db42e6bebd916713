// SPDX-License-Identifier: Apache-2.0
// Plain code for the same maps, as one would write it without this library: what the compiler alone achieves.
#include <benchmark/benchmark.h>

#include <cmath>
#include <functional>

#include "inputs.hpp"

namespace fenchel::bench {
namespace {

void softmax_row(const float* theta, std::size_t cols, float* out) {
  const float top = *std::max_element(theta, theta + cols);
  float sum = 0.0F;
  for (std::size_t i = 0; i < cols; ++i) sum += out[i] = std::exp(theta[i] - top);
  for (std::size_t i = 0; i < cols; ++i) out[i] /= sum;
}

void sparsemax_row(const float* theta, std::size_t cols, float* out) {
  static thread_local std::vector<float> sorted;
  sorted.assign(theta, theta + cols);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  float sum = 0.0F;
  float tau = 0.0F;
  for (std::size_t k = 0; k < cols; ++k) {
    sum += sorted[k];
    const float candidate = (sum - 1.0F) / static_cast<float>(k + 1);
    if (sorted[k] <= candidate) break;
    tau = candidate;
  }
  for (std::size_t i = 0; i < cols; ++i) out[i] = std::max(theta[i] - tau, 0.0F);
}

template <void (*row)(const float*, std::size_t, float*)>
void run(benchmark::State& state) {
  const auto cols = static_cast<std::size_t>(state.range(0));
  Batch<float> batch(rows_for(cache_entries, cols), cols, "normal", 1.0);
  for (auto _ : state) {
    for (std::size_t r = 0; r < batch.rows; ++r)
      row(batch.theta.data() + r * cols, cols, batch.out.data() + r * cols);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch.theta.size()));
}

BENCHMARK(run<softmax_row>)->Name("scalar/softmax")->Arg(10)->Arg(100)->Arg(1000)->Arg(32000);
BENCHMARK(run<sparsemax_row>)->Name("scalar/sparsemax")->Arg(10)->Arg(100)->Arg(1000)->Arg(32000);

}  // namespace
}  // namespace fenchel::bench
