// SPDX-License-Identifier: Apache-2.0
// Every row kernel over lengths, spreads and hard inputs, in cache and out of it; the copies of the same
// bytes, which nothing that reads θ and writes ŷ can beat; and value + gradient against the prediction alone.
#include <benchmark/benchmark.h>

#include <cstring>

#include "copies.hpp"
#include "inputs.hpp"

namespace fenchel::bench {
namespace {

struct Named {
  const char* name;
  double alpha;
};
constexpr Named omegas[] = {
    {"softmax", 1.0}, {"sparsemax", 2.0}, {"entmax15", 1.5}, {"entmax_1.2", 1.2}, {"entmax_1.8", 1.8}};
constexpr std::size_t lengths[] = {10, 16, 32, 64, 100, 1000, 32000, 128000};

void count_bytes(benchmark::State& state, const Batch<float>& batch) {
  const auto entries = static_cast<std::int64_t>(batch.theta.size());
  state.SetItemsProcessed(state.iterations() * entries);
  state.SetBytesProcessed(state.iterations() * entries * 2 * static_cast<std::int64_t>(sizeof(float)));
}

template <class Operation>
void add(const std::string& name, std::size_t entries, std::size_t cols, const std::string& input,
         double sigma, Operation operation) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    Batch<float> batch(rows_for(entries, cols), cols, input, sigma);
    for (auto _ : state) {
      operation(batch);
      benchmark::ClobberMemory();
    }
    count_bytes(state, batch);
  })->MinTime(0.05);
}

void add_kernels(const std::string& where, std::size_t entries) {
  for (const std::size_t cols : lengths) {
    const std::string tail = "/d=" + std::to_string(cols) + "/" + where;
    add("limit/memcpy" + tail, entries, cols, "normal", 1.0, [](Batch<float>& batch) {
      std::memcpy(batch.out.data(), batch.theta.data(), batch.theta.size() * sizeof(float));
    });
    add("limit/stream" + tail, entries, cols, "normal", 1.0,
        [](Batch<float>& batch) { stream_copy(batch.theta.data(), batch.theta.size(), batch.out.data()); });
    for (const Named& omega : omegas) {
      const double alpha = omega.alpha;
      for (const int sigma : {1, 4}) {
        const std::string id = std::string(omega.name) + tail + "/sigma=" + std::to_string(sigma);
        add("predict/" + id, entries, cols, "normal", sigma,
            [=](Batch<float>& batch) { predict<float>(alpha, batch.scores(), batch.result()); });
      }
      add("value_gradient/" + std::string(omega.name) + tail + "/sigma=1", entries, cols, "normal", 1.0,
          [=](Batch<float>& batch) { benchmark::DoNotOptimize(value_and_gradient(alpha, batch)); });
    }
  }
}

void add_hard_inputs() {
  for (const Named& omega : omegas) {
    const double alpha = omega.alpha;
    const auto run = [=](Batch<float>& batch) { predict<float>(alpha, batch.scores(), batch.result()); };
    const std::string name = std::string("hard/") + omega.name + "/d=32000/";
    for (const char* input : {"equal", "ascending", "descending"}) {
      add(name + input, 64000, 32000, input, 1.0, run);
    }
    for (const auto& [sigma, text] : {std::pair{0.1, "0.1"}, std::pair{1e-4, "1e-4"}}) {
      add(name + "sigma=" + text, 64000, 32000, "normal", sigma, run);
    }
  }
}

const bool registered = [] {
  add_kernels("cache", cache_entries);
  add_kernels("memory", memory_entries);
  add_hard_inputs();
  return true;
}();

}  // namespace
}  // namespace fenchel::bench
