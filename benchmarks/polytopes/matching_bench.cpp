// SPDX-License-Identifier: Apache-2.0
// Matchings and plans: a sweep of Sinkhorn's method against reading its matrix once (the limit) and against
// plain loops, and the growth of every solver with the number of rows.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/birkhoff.hpp"
#include "fenchel/polytopes/transport.hpp"
#include "kernels/sinkhorn.hpp"

namespace fenchel::bench {
namespace {

std::vector<double> uniform(std::size_t count) {
  Random random(2);
  std::vector<double> values(count);
  for (double& value : values) value = random.uniform();
  return values;
}

struct Sweep {
  explicit Sweep(std::size_t n) : size(n) {}
  std::size_t size;
  std::vector<double> kernel = uniform(size * size);
  std::vector<double> ones = std::vector<double>(size, 1.0);
  std::vector<double> u = ones;
  std::vector<double> w = ones;
};

void sweep(benchmark::State& state) {
  Sweep x(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        kernels::sinkhorn_sweep({x.kernel.data(), x.size, x.size}, {x.ones, x.ones, x.u, x.w}));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(x.kernel.size() * sizeof(double)));
}
BENCHMARK(sweep)->Name("sinkhorn_sweep/ours")->Arg(100)->Arg(500)->Arg(1000);

void plain_sweep(benchmark::State& state) {
  Sweep x(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    for (std::size_t j = 0; j < x.size; ++j) x.w[j] = 0;
    for (std::size_t i = 0; i < x.size; ++i) {
      const double* row = &x.kernel[i * x.size];
      double product = 0;
      for (std::size_t j = 0; j < x.size; ++j) product += row[j] * x.ones[j];
      x.u[i] = 1 / product;
      for (std::size_t j = 0; j < x.size; ++j) x.w[j] += x.u[i] * row[j];
    }
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(x.kernel.size() * sizeof(double)));
}
BENCHMARK(plain_sweep)->Name("sinkhorn_sweep/plain")->Arg(100)->Arg(500)->Arg(1000);

/// Adds up the matrix in independent integer sums, which the compiler may reorder: bound by the loads.
void read_once(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const std::vector<std::uint64_t> words(size * size, 3);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (const std::uint64_t word : words) sum += word;
    benchmark::DoNotOptimize(sum);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(words.size() * sizeof(double)));
}
BENCHMARK(read_once)->Name("sinkhorn_sweep/limit")->Arg(100)->Arg(500)->Arg(1000);

void assignment(benchmark::State& state) {
  const Birkhoff set{static_cast<std::size_t>(state.range(0))};
  const std::vector<double> theta = uniform(set.dimension());
  Structure best;
  Workspace scratch;
  for (auto _ : state) benchmark::DoNotOptimize(set.map(theta, best, scratch));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(assignment)->Name("birkhoff/map")->RangeMultiplier(2)->Range(16, 512)->Complexity();

template <bool entropic>
void projection(benchmark::State& state) {
  const Birkhoff set{static_cast<std::size_t>(state.range(0))};
  std::vector<double> theta = uniform(set.dimension());
  for (double& entry : theta) entry *= static_cast<double>(state.range(1));
  std::vector<double> mu(set.dimension());
  Workspace scratch;
  for (auto _ : state) {
    benchmark::DoNotOptimize(entropic ? set.project_kl(theta, mu, scratch) : set.project(theta, mu, scratch));
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(projection<false>)
    ->Name("birkhoff/project")
    ->ArgNames({"n", "scale"})
    ->ArgsProduct({{16, 32, 64, 128, 256}, {1, 100}})
    ->Complexity();
BENCHMARK(projection<true>)
    ->Name("birkhoff/project_kl")
    ->ArgNames({"n", "scale"})
    ->ArgsProduct({{16, 32, 64, 128, 256}, {1, 100}})
    ->Complexity();

void linear_programme(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  Transport set{uniform(n), std::vector<double>(n + 1)};
  double total = 0;
  for (const double mass : set.a) total += mass;
  for (double& mass : set.b) mass = total / static_cast<double>(n + 1);
  const std::vector<double> theta = uniform(set.dimension());
  Structure best;
  Workspace scratch;
  for (auto _ : state) benchmark::DoNotOptimize(set.map(theta, best, scratch));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(linear_programme)->Name("transport/map")->RangeMultiplier(2)->Range(16, 256)->Complexity();

}  // namespace
}  // namespace fenchel::bench
