// SPDX-License-Identifier: Apache-2.0
// Arborescence: growth of map (n²) and marginals (n³), of the path for hard scores, and of draws; the
// projection of flat to steep scores, beside the marginals of the same scores; marginals of a block against
// the time of as many multiply-adds in a plain triple loop.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "fenchel/polytopes/arborescence.hpp"

namespace fenchel::bench {
namespace {

std::vector<double> random_scores(std::size_t count, double scale) {
  Random random(11);
  std::vector<double> theta(count);
  for (double& score : theta) score = scale * random.normal();
  return theta;
}

template <bool single_root>
void map(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Arborescence set{n, single_root};
  const std::vector<double> theta = random_scores(n * n, 1);
  Workspace scratch;
  Structure best;
  for (auto _ : state) benchmark::DoNotOptimize(set.map(theta, best, scratch));
  state.SetComplexityN(state.range(0));
}

void marginals(benchmark::State& state, double scale) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Arborescence set{n, false};
  const std::vector<double> theta = random_scores(n * n, scale);
  std::vector<double> mu(n * n);
  Workspace scratch;
  for (auto _ : state) benchmark::DoNotOptimize(set.marginals(theta, mu, scratch));
  state.SetComplexityN(state.range(0));
}
void gentle(benchmark::State& state) { marginals(state, 1); }
void hard(benchmark::State& state) { marginals(state, 250); }

// Scores are normal, with the second argument in hundredths as their deviation; a fresh row each time.
template <class Oracle>
void over_rows(benchmark::State& state, Oracle oracle) {
  const auto n = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t rows = 16;
  const std::vector<double> theta = random_scores(rows * n * n, 0.01 * static_cast<double>(state.range(1)));
  std::vector<double> mu(n * n);
  Workspace scratch;
  std::size_t row = 0;
  for (auto _ : state) {
    oracle(Arborescence{n, true}, std::span(theta).subspan(row * n * n, n * n), mu, scratch);
    benchmark::ClobberMemory();
    row = (row + 1) % rows;
  }
}
void project(benchmark::State& state) {
  over_rows(state, [](const Arborescence& set, auto theta, auto& mu, Workspace& scratch) {
    set.project(theta, mu, scratch);
  });
}
void marginals_of_rows(benchmark::State& state) {
  over_rows(state, [](const Arborescence& set, auto theta, auto& mu, Workspace& scratch) {
    set.marginals(theta, mu, scratch);
  });
}

void marginals_block(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t batch = 64;
  const Arborescence set{n, false};
  const std::vector<double> theta = random_scores(batch * n * n, 1);
  std::vector<double> mu(theta.size());
  std::vector<double> log_z(batch);
  Workspace scratch;
  for (auto _ : state) {
    set.marginals_block({theta.data(), batch, n * n}, {mu.data(), batch, n * n}, log_z, scratch);
    benchmark::ClobberMemory();
  }
  state.SetComplexityN(state.range(0));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch * n * n * n));
}

// n³ multiply-adds for each of 64 matrices, as the compiler makes them.
void plain_loops(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t batch = 64;
  const std::vector<double> a = random_scores(n * n, 1);
  std::vector<double> c(batch * n * n);
  for (auto _ : state) {
    for (std::size_t b = 0; b < batch; ++b) {
      double* out = c.data() + b * n * n;
      std::fill_n(out, n * n, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
          for (std::size_t j = 0; j < n; ++j) out[i * n + j] += a[i * n + k] * a[k * n + j];
        }
      }
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch * n * n * n));
}

void sample(benchmark::State& state, double cycles) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Arborescence set{n, false};
  std::vector<double> theta = random_scores(n * n, 1);
  for (std::size_t m = 0; m < n; ++m) theta[(m ^ 1U) * n + m] += cycles;
  std::vector<Structure> draws(16);
  Random random(1);
  Workspace scratch;
  for (auto _ : state) {
    set.sample(theta, random, draws, scratch);
    benchmark::ClobberMemory();
  }
  state.SetComplexityN(state.range(0));
  state.SetItemsProcessed(state.iterations() * 16);
}
void sample_by_walks(benchmark::State& state) { sample(state, 0); }
void sample_word_by_word(benchmark::State& state) { sample(state, 40); }

void k_best(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<double> theta = random_scores(n * n, 1);
  std::vector<Structure> trees;
  Workspace scratch;
  for (auto _ : state) {
    Arborescence{n, false}.k_best(theta, 16, trees, scratch);
    benchmark::ClobberMemory();
  }
  state.SetComplexityN(state.range(0));
}

BENCHMARK(map<false>)->Name("arborescence/map")->RangeMultiplier(2)->Range(32, 1024)->Complexity();
BENCHMARK(map<true>)->Name("arborescence/map_single_root")->RangeMultiplier(2)->Range(32, 1024)->Complexity();
BENCHMARK(gentle)->Name("arborescence/marginals")->RangeMultiplier(2)->Range(16, 512)->Complexity();
BENCHMARK(hard)->Name("arborescence/marginals_hard")->RangeMultiplier(2)->Range(16, 256)->Complexity();
BENCHMARK(project)->Name("arborescence/project")->ArgsProduct({{10, 25, 60, 100}, {5, 30, 100, 300, 1000}});
BENCHMARK(marginals_of_rows)->Name("arborescence/marginals_of_rows")->ArgsProduct({{10, 25, 60, 100}, {30}});
BENCHMARK(marginals_block)->Name("arborescence/marginals_64")->Arg(10)->Arg(30)->Arg(60);
BENCHMARK(plain_loops)->Name("arborescence/plain_loops_64")->Arg(10)->Arg(30)->Arg(60);
BENCHMARK(sample_by_walks)
    ->Name("arborescence/sample_16_by_walks")
    ->RangeMultiplier(2)
    ->Range(16, 128)
    ->Complexity();
BENCHMARK(sample_word_by_word)
    ->Name("arborescence/sample_16_word_by_word")
    ->RangeMultiplier(2)
    ->Range(16, 128)
    ->Complexity();
BENCHMARK(k_best)->Name("arborescence/k_best_16")->RangeMultiplier(2)->Range(16, 64)->Complexity();

}  // namespace
}  // namespace fenchel::bench
