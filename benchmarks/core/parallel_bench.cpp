// SPDX-License-Identifier: Apache-2.0
// Why threads are not OpenMP's: a short loop on two threads, once with our pool and once with OpenMP, alone
// and beside `busy` threads of another kind that use the processors, as on a machine that others use too.
// With one thread the same loop is the measure of both.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/parallel.hpp"

namespace fenchel::bench {
namespace {

constexpr std::size_t blocks = 16;

/// Threads that use their processors until they are told to stop.
class Crowd {
 public:
  explicit Crowd(std::int64_t size) {
    for (std::int64_t k = 0; k < size; ++k) {
      threads_.emplace_back([this] {
        while (!stop_) benchmark::ClobberMemory();
      });
    }
  }
  ~Crowd() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

void work(std::int64_t steps) {
  double x = 1;
  for (std::int64_t k = 0; k < steps; ++k) benchmark::DoNotOptimize(x = x * 0.999 + 0.001);
}

void pool(benchmark::State& state) {
  const Crowd crowd(state.range(1));
  for (auto _ : state) {
    for_each_block(blocks, 1, static_cast<int>(state.range(0)),
                   [&](std::size_t, std::size_t) { work(state.range(2)); });
  }
}

void openmp(benchmark::State& state) {
  const Crowd crowd(state.range(1));
  const int threads = static_cast<int>(state.range(0));
  for (auto _ : state) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (std::size_t b = 0; b < blocks; ++b) work(state.range(2));
  }
}

void shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"threads", "busy", "steps"})->ArgsProduct({{1, 2}, {0, 4}, {100, 10'000}})->UseRealTime();
}
BENCHMARK(pool)->Name("short_loop/pool")->Apply(shapes);
BENCHMARK(openmp)->Name("short_loop/openmp")->Apply(shapes);

}  // namespace
}  // namespace fenchel::bench
