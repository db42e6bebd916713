// SPDX-License-Identifier: Apache-2.0
// Projective trees: growth with the length of the sentence (the exponent is printed), plain sums against
// logarithmic ones, and both against the textbook loops in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/projective_tree.hpp"

namespace fenchel::bench {
namespace {

std::vector<double> scores(std::size_t n, double sigma) {
  Random random(11);
  std::vector<double> theta(n * n);
  for (double& score : theta) score = sigma * random.normal();
  return theta;
}

// Scores under which only logarithms keep the digits: two words that prefer each other as head.
std::vector<double> wide_scores(std::size_t n) {
  std::vector<double> theta = scores(n, 1);
  theta[1] = theta[n] = 3000;
  return theta;
}

template <class Pass>
void run(benchmark::State& state, const std::vector<double>& theta, Pass pass) {
  const ProjectiveTree set{static_cast<std::size_t>(state.range(0))};
  Workspace scratch;
  for (auto _ : state) {
    pass(set, theta, scratch);
    benchmark::ClobberMemory();
  }
  state.SetComplexityN(state.range(0));
}

void best(benchmark::State& state) {
  Structure y;
  run(state, scores(static_cast<std::size_t>(state.range(0)), 1),
      [&](const auto& set, const auto& theta, auto& scratch) { set.map(theta, y, scratch); });
}

void marginals(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<double> mu(n * n);
  run(state, scores(n, 1),
      [&](const auto& set, const auto& theta, auto& scratch) { set.marginals(theta, mu, scratch); });
}

// A sentence of a block of 64.
void marginals_block(benchmark::State& state) {
  constexpr std::size_t rows = 64;
  const auto n = static_cast<std::size_t>(state.range(0));
  Random random(13);
  std::vector<double> theta(rows * n * n);
  for (double& score : theta) score = random.normal();
  std::vector<double> mu(theta.size());
  std::vector<double> log_partitions(rows);
  run(state, theta, [&](const auto& set, const auto& scores, auto& scratch) {
    set.marginals_block({scores.data(), rows, n * n}, {mu.data(), rows, n * n}, log_partitions, scratch);
  });
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows));
}

void marginals_wide(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<double> mu(n * n);
  run(state, wide_scores(n),
      [&](const auto& set, const auto& theta, auto& scratch) { set.marginals(theta, mu, scratch); });
}

void log_partition(benchmark::State& state) {
  run(state, scores(static_cast<std::size_t>(state.range(0)), 1),
      [&](const auto& set, const auto& theta, auto& scratch) {
        benchmark::DoNotOptimize(set.log_partition(theta, scratch));
      });
}

void covariance(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<double> theta = scores(n, 1);
  const std::vector<double> v = scores(n, 2);
  std::vector<double> mu(n * n);
  std::vector<double> out(n * n);
  Workspace scratch;
  ProjectiveTree{n}.marginals(theta, mu, scratch);
  run(state, theta, [&](const auto& set, const auto& scores, auto& workspace) {
    set.marginals_jvp(scores, mu, v, out, workspace);
  });
}

// A draw alone: the difference of sampling 1000 trees and one.
void thousand_samples(benchmark::State& state) {
  std::vector<Structure> draws(1000);
  Random random(12);
  run(state, scores(static_cast<std::size_t>(state.range(0)), 1),
      [&](const auto& set, const auto& theta, auto& scratch) { set.sample(theta, random, draws, scratch); });
}

void ten_best(benchmark::State& state) {
  std::vector<Structure> found;
  run(state, scores(static_cast<std::size_t>(state.range(0)), 1),
      [&](const auto& set, const auto& theta, auto& scratch) { set.k_best(theta, 10, found, scratch); });
}

// log Z by the textbook: one table per kind of item, log-sum-exp term by term.
double textbook(const std::vector<double>& theta, std::size_t n) {
  const std::size_t size = n + 1;
  auto add = [](double x, double y) {
    const double top = std::max(x, y);
    return top == -infinity ? top : top + std::log1p(std::exp(std::min(x, y) - top));
  };
  auto score = [&](std::size_t h, std::size_t m) {
    if (m == 0) return -infinity;
    return theta[(h == 0 ? m - 1 : h - 1) * n + m - 1];
  };
  std::vector<double> right(size * size, -infinity);
  std::vector<double> left = right;
  std::vector<double> arcs = right;
  for (std::size_t s = 0; s < size; ++s) right[s * size + s] = left[s * size + s] = 0;
  for (std::size_t width = 1; width < size; ++width) {
    for (std::size_t s = 0; s + width < size; ++s) {
      const std::size_t t = s + width;
      double join = -infinity;
      for (std::size_t r = s; r < t; ++r) join = add(join, right[s * size + r] + left[(r + 1) * size + t]);
      arcs[s * size + t] = score(s, t) + join;
      arcs[t * size + s] = score(t, s) + join;
      double to_right = -infinity;
      double to_left = -infinity;
      for (std::size_t r = s; r < t; ++r) {
        to_right = add(to_right, arcs[s * size + r + 1] + right[(r + 1) * size + t]);
        to_left = add(to_left, left[s * size + r] + arcs[t * size + r]);
      }
      right[s * size + t] = to_right;
      left[s * size + t] = to_left;
    }
  }
  return right[n];
}

void textbook_log_partition(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  run(state, scores(n, 1),
      [&](const auto&, const auto& theta, auto&) { benchmark::DoNotOptimize(textbook(theta, n)); });
}

#define FENCHEL_SWEEP(name) \
  BENCHMARK(name)->Name("projective_tree/" #name)->RangeMultiplier(2)->Range(10, 160)->Complexity()
FENCHEL_SWEEP(best);
FENCHEL_SWEEP(marginals);
FENCHEL_SWEEP(marginals_block);
FENCHEL_SWEEP(marginals_wide);
FENCHEL_SWEEP(log_partition);
FENCHEL_SWEEP(textbook_log_partition);
FENCHEL_SWEEP(covariance);
FENCHEL_SWEEP(thousand_samples);
BENCHMARK(ten_best)->Name("projective_tree/ten_best")->Arg(20)->Arg(40);

}  // namespace
}  // namespace fenchel::bench
