// SPDX-License-Identifier: Apache-2.0
// Sorting, isotonic regression and projection onto the permutahedron against plain code, and their growth.
// Every iteration takes the next of many rows: on the same row, branch prediction would learn its order by
// heart.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/k_subsets.hpp"
#include "fenchel/polytopes/permutahedron.hpp"
#include "kernels/sort.hpp"
#include "solvers/isotonic.hpp"

namespace fenchel::bench {
namespace {

constexpr std::size_t entries = std::size_t{1} << 22;

struct Rows {
  std::size_t d;
  std::vector<double> scores;
  std::vector<double> out;
  std::vector<std::uint32_t> indices;
  std::size_t next = 0;

  Rows(const benchmark::State& state, double scale)
      : d(static_cast<std::size_t>(state.range(0))), out(d), indices(d) {
    Random random(7);
    scores.resize(std::max<std::size_t>(4, entries / d) * d);
    for (double& score : scores) score = scale * random.normal();
  }

  std::span<const double> take() {
    const std::span<const double> row(scores.data() + next, d);
    next = (next + d) % scores.size();
    return row;
  }
};

// Runs body(row, rows, scratch) on fresh rows; items are entries.
template <class Body>
void run(benchmark::State& state, double scale, Body body) {
  Rows rows(state, scale);
  Workspace scratch;
  const Workspace::Frame frame(scratch);
  for (auto _ : state) {
    body(rows.take(), rows, scratch);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
}

void sort_ours(benchmark::State& state) {
  run(state, 1, [](auto row, Rows& rows, Workspace& scratch) {
    kernels::argsort_descending(row, rows.indices, rows.out, scratch);
  });
}

void sort_plain(benchmark::State& state) {
  run(state, 1, [](auto row, Rows& rows, Workspace&) {
    std::iota(rows.indices.begin(), rows.indices.end(), 0U);
    std::ranges::sort(rows.indices,
                      [row](auto a, auto b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
  });
}

void isotonic_ours(benchmark::State& state) {
  run(state, 1, [](auto row, Rows& rows, Workspace& scratch) {
    isotonic_regression(row, rows.out, rows.indices, scratch);
  });
}

// Pooling with a stack and a branch, as one would write it.
void isotonic_plain(benchmark::State& state) {
  run(state, 1, [](auto row, Rows& rows, Workspace& scratch) {
    const Workspace::Frame frame(scratch);
    const auto sums = scratch.take<double>(row.size());
    const auto sizes = scratch.take<double>(row.size());
    std::size_t count = 0;
    for (const double y : row) {
      sums[count] = y;
      sizes[count++] = 1;
      while (count > 1 && sums[count - 2] * sizes[count - 1] < sums[count - 1] * sizes[count - 2]) {
        --count;
        sums[count - 1] += sums[count];
        sizes[count - 1] += sizes[count];
      }
    }
    std::size_t i = 0;
    for (std::size_t b = 0; b < count; ++b) {
      for (double left = sizes[b]; left > 0; --left) rows.out[i++] = sums[b] / sizes[b];
    }
  });
}

// One block (strong regularization) at scale 1, many small ones at scale d.
void projection(benchmark::State& state, bool weak) {
  const auto set = Permutahedron::ranking(static_cast<std::size_t>(state.range(0)));
  run(state, weak ? static_cast<double>(state.range(0)) : 1,
      [&](auto row, Rows& rows, Workspace& scratch) { set.project(row, rows.out, scratch); });
}

void projection_kl(benchmark::State& state) {
  const auto set = Permutahedron::ranking(static_cast<std::size_t>(state.range(0)));
  run(state, 1, [&](auto row, Rows& rows, Workspace& scratch) { set.project_kl(row, rows.out, scratch); });
}

void capped_simplex(benchmark::State& state) {
  const KSubsets set{static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(0)) / 10};
  run(state, 1, [&](auto row, Rows& rows, Workspace& scratch) { set.project(row, rows.out, scratch); });
}

// O(d k) with k = 20.
void subset_marginals(benchmark::State& state) {
  const KSubsets set{static_cast<std::size_t>(state.range(0)), 20};
  run(state, 1, [&](auto row, Rows& rows, Workspace& scratch) { set.marginals(row, rows.out, scratch); });
}

void sizes(benchmark::internal::Benchmark* benchmark) { benchmark->RangeMultiplier(10)->Range(100, 1000000); }

BENCHMARK(sort_ours)->Name("argsort/fenchel")->Apply(sizes)->Complexity(benchmark::oNLogN);
BENCHMARK(sort_plain)->Name("argsort/std::sort")->Apply(sizes);
BENCHMARK(isotonic_ours)->Name("isotonic/fenchel")->Apply(sizes)->Complexity(benchmark::oN);
BENCHMARK(isotonic_plain)->Name("isotonic/plain")->Apply(sizes);
BENCHMARK_CAPTURE(projection, strong, false)
    ->Name("permutahedron/one block")
    ->Apply(sizes)
    ->Complexity(benchmark::oN);
BENCHMARK_CAPTURE(projection, weak, true)
    ->Name("permutahedron/many blocks")
    ->Apply(sizes)
    ->Complexity(benchmark::oN);
BENCHMARK(projection_kl)->Name("permutahedron/entropic")->Apply(sizes)->Complexity(benchmark::oN);
BENCHMARK(capped_simplex)->Name("k_subsets/project")->Apply(sizes)->Complexity(benchmark::oN);
BENCHMARK(subset_marginals)
    ->Name("k_subsets/marginals")
    ->RangeMultiplier(10)
    ->Range(100, 100000)
    ->Complexity(benchmark::oN);

}  // namespace
}  // namespace fenchel::bench
