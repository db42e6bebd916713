// SPDX-License-Identifier: Apache-2.0
// Dual ascent and related methods on random data: a fit to a duality gap of 1e-6 for several Ω, its growth
// with the number of examples (at best linear: every example must be visited; lambda grows alike), and the
// two products with one row against plain loops.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/solvers/dual_ascent.hpp"
#include "fenchel/training/train.hpp"
#include "kernels/feature_rows.hpp"

namespace fenchel::bench {
namespace {

constexpr std::size_t features = 50;
constexpr std::size_t classes = 10;

struct Data {
  Matrix<double> x;
  std::vector<std::int32_t> y;
};

Data random_data(std::size_t rows) {
  Random random(1);
  Data data{Matrix<double>(rows, features), {}};
  std::vector<double> truth(features * classes);
  for (double& entry : truth) entry = random.normal();
  for (double& entry : data.x.entries()) entry = random.normal() / 7;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> scores(classes);
    for (double& score : scores) score = random.normal();
    kernels::add_scores(std::span<const double>(data.x.row(i)), truth.data(), scores);
    data.y.push_back(static_cast<std::int32_t>(std::ranges::max_element(scores) - scores.begin()));
  }
  return data;
}

template <class Omega>
void fit(benchmark::State& state, Omega omega, bool cost) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const Data data = random_data(rows);
  const LinearProblem<double> problem{.x = data.x,
                                      .y = data.y,
                                      .outputs = classes,
                                      .loss = {omega, cost ? zero_one_cost() : Cost{}},
                                      .intercept = Intercept::none};
  TrainOptions options{.penalty = L2(static_cast<double>(rows) / 1000), .threads = 1};
  for (auto _ : state) {
    const auto algorithm = DualAscent{}.start(problem, options);
    run(*algorithm);
    state.counters["rounds"] = algorithm->report().iterations;
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK_CAPTURE(fit, hinge, Argmax{}, true)->Arg(4000);
BENCHMARK_CAPTURE(fit, sparsemax, Tsallis{2}, false)->RangeMultiplier(4)->Range(1024, 16384)->Complexity();
BENCHMARK_CAPTURE(fit, entmax15, Tsallis{1.5}, false)->Arg(4000);
BENCHMARK_CAPTURE(fit, shannon, Shannon{}, false)->Arg(4000);
BENCHMARK_CAPTURE(fit, sigmoid, Sigmoid{}, false)->Arg(4000);

std::vector<double> numbers(std::size_t count) {
  Random random(2);
  std::vector<double> values(count);
  for (double& entry : values) entry = random.normal();
  return values;
}

void scores_by_kernel(benchmark::State& state) {
  const auto width = static_cast<std::size_t>(state.range(0));
  const auto x = numbers(features), w = numbers(features * width);
  std::vector<double> theta(width);
  for (auto _ : state) {
    kernels::add_scores(std::span<const double>(x), w.data(), theta);
    benchmark::DoNotOptimize(theta.data());
  }
}
BENCHMARK(scores_by_kernel)->Arg(3)->Arg(10)->Arg(26)->Arg(100);

void scores_by_loops(benchmark::State& state) {
  const auto width = static_cast<std::size_t>(state.range(0));
  const auto x = numbers(features), w = numbers(features * width);
  std::vector<double> theta(width);
  for (auto _ : state) {
    for (std::size_t j = 0; j < features; ++j) {
      for (std::size_t k = 0; k < width; ++k) theta[k] += x[j] * w[j * width + k];
    }
    benchmark::DoNotOptimize(theta.data());
  }
}
BENCHMARK(scores_by_loops)->Arg(3)->Arg(10)->Arg(26)->Arg(100);

}  // namespace
}  // namespace fenchel::bench
