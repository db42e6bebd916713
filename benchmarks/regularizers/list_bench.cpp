// SPDX-License-Identifier: Apache-2.0
// Every Ω of the list, so that a new one is measured beside the others: predictions of a batch of rows in
// double, on one thread. Those over structures are left out, since their sets fix the number of scores:
// benchmarks/polytopes has the oracles behind them.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "fenchel/core/spec.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/regularizers/any.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "inputs.hpp"

namespace fenchel::bench {
namespace {

constexpr std::size_t batch_rows = 64;
constexpr std::size_t scores_per_row = 1000;

void predict_batch(benchmark::State& state, const FenchelYoungLoss& loss) {
  Batch<double> batch(batch_rows, scores_per_row, "normal", 1.0);
  for (auto _ : state) {
    loss.predict(batch.scores(), batch.result(), {.threads = 1});
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch.theta.size()));
}

bool takes_any_size(const AnyRegularizer& omega) {
  return omega.refined_traits().domain != Domain::polytope && !omega.dimension();
}

const bool registered = [] {
  for (const RegularizerEntry& entry : regularizer_list()) {
    for (const AnyRegularizer& omega : entry.examples) {
      if (!takes_any_size(omega)) continue;
      benchmark::RegisterBenchmark(("omega/" + to_json(omega.spec())).c_str(),
                                   [omega](benchmark::State& state) { predict_batch(state, omega); })
          ->MinTime(0.05)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace fenchel::bench
