// SPDX-License-Identifier: Apache-2.0
// Linear chains: log-partition and marginals of a batch against a copy of the potentials (the limit) and
// against plain code in the log domain; the other oracles; and the growth with n (linear) and m (quadratic).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/chain.hpp"
#include "fenchel/polytopes/sequence.hpp"
#include "fenchel/regularizers/smoothed_paths.hpp"

namespace fenchel::bench {
namespace {

constexpr std::size_t steps = 50;
constexpr std::size_t batch = 64;

std::vector<double> scores(std::size_t count) {
  Random random(1);
  std::vector<double> theta(count);
  for (double& entry : theta) entry = random.normal();
  return theta;
}

/// A batch of potentials and room for the results.
template <class Set>
struct Batch {
  Set set;
  std::vector<double> theta = scores(batch * set.dimension());
  std::vector<double> mu = std::vector<double>(theta.size());

  std::span<const double> row(std::size_t b) const {
    return std::span(theta).subspan(b * set.dimension(), set.dimension());
  }
  std::span<double> out(std::size_t b) { return std::span(mu).subspan(b * set.dimension(), set.dimension()); }
};

std::size_t states(const benchmark::State& state) { return static_cast<std::size_t>(state.range(0)); }

void copy(benchmark::State& state) {
  Batch<Sequence> data{{.n = steps, .m = states(state)}};
  for (auto _ : state) {
    std::memcpy(data.mu.data(), data.theta.data(), data.theta.size() * sizeof(double));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(copy)->ArgName("m")->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);

template <class Set>
void marginals(benchmark::State& state) {
  Batch<Set> data{{.n = steps, .m = states(state)}};
  for (auto _ : state) {
    for (std::size_t b = 0; b < batch; ++b) {
      benchmark::DoNotOptimize(data.set.marginals(data.row(b), data.out(b), thread_workspace()));
    }
  }
}
BENCHMARK(marginals<Sequence>)->ArgName("m")->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);
BENCHMARK(marginals<Chain>)->ArgName("m")->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);

double log_sum(std::span<const double> values) {
  const double top = max_of(values);
  double sum = 0;
  for (const double value : values) sum += std::exp(value - top);
  return top + std::log(sum);
}

/// The textbook: forward and backward variables as logarithms, one log-sum-exp each, marginals by exp.
double plain_marginals(const Sequence& set, std::span<const double> theta, std::span<double> mu) {
  const std::size_t m = set.m;
  std::vector<double> alpha(set.n * m);
  std::vector<double> beta(set.n * m);
  std::vector<double> x(m);
  for (std::size_t i = 0; i < m; ++i) alpha[i] = theta[i * m];
  for (std::size_t t = 1; t < set.n; ++t) {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) x[j] = theta[(t * m + i) * m + j] + alpha[(t - 1) * m + j];
      alpha[t * m + i] = log_sum(x);
    }
  }
  for (std::size_t t = set.n - 1; t > 0; --t) {
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t i = 0; i < m; ++i) x[i] = theta[(t * m + i) * m + j] + beta[t * m + i];
      beta[(t - 1) * m + j] = log_sum(x);
    }
  }
  const double log_z = log_sum(std::span<const double>(alpha).last(m));
  for (std::size_t t = 0; t < set.n; ++t) {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        const double before = t > 0 ? alpha[(t - 1) * m + j] : (j == 0 ? 0 : -infinity);
        mu[(t * m + i) * m + j] = std::exp(before + theta[(t * m + i) * m + j] + beta[t * m + i] - log_z);
      }
    }
  }
  return log_z;
}

void plain(benchmark::State& state) {
  Batch<Sequence> data{{.n = steps, .m = states(state)}};
  for (auto _ : state) {
    for (std::size_t b = 0; b < batch; ++b) {
      benchmark::DoNotOptimize(plain_marginals(data.set, data.row(b), data.out(b)));
    }
  }
}
BENCHMARK(plain)->ArgName("m")->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);

template <class Set>
void map(benchmark::State& state) {
  Batch<Set> data{{.n = steps, .m = states(state)}};
  Structure y;
  for (auto _ : state) {
    for (std::size_t b = 0; b < batch; ++b)
      benchmark::DoNotOptimize(data.set.map(data.row(b), y, thread_workspace()));
  }
}
BENCHMARK(map<Sequence>)->ArgName("m")->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);
BENCHMARK(map<Chain>)->ArgName("m")->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);

template <class Set>
void jvp(benchmark::State& state) {
  Batch<Set> data{{.n = steps, .m = states(state)}};
  const std::vector<double> v = scores(data.set.dimension());
  std::vector<double> product(data.set.dimension());
  for (std::size_t b = 0; b < batch; ++b) data.set.marginals(data.row(b), data.out(b), thread_workspace());
  for (auto _ : state) {
    for (std::size_t b = 0; b < batch; ++b) {
      data.set.marginals_jvp(data.row(b), data.out(b), v, product, thread_workspace());
      benchmark::ClobberMemory();
    }
  }
}
BENCHMARK(jvp<Sequence>)->ArgName("m")->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);
BENCHMARK(jvp<Chain>)->ArgName("m")->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);

/// One sequence of range(0) steps and range(1) states whose scores need the log domain.
void log_domain(benchmark::State& state) {
  const Sequence set{.n = steps, .m = states(state)};
  std::vector<double> theta = scores(set.dimension());
  std::vector<double> mu(theta.size());
  for (double& entry : theta) entry *= 1e3;
  for (auto _ : state) benchmark::DoNotOptimize(set.marginals(theta, mu, thread_workspace()));
}
BENCHMARK(log_domain)->ArgName("m")->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);

void smoothed_gini(benchmark::State& state) {
  const AnyRegularizer omega = SmoothedPaths{Sequence{.n = steps, .m = states(state)}, Tsallis{2}};
  const std::vector<double> theta = scores(*omega.dimension());
  std::vector<double> mu(theta.size());
  for (auto _ : state) omega.predict(theta, mu, thread_workspace());
}
BENCHMARK(smoothed_gini)->ArgName("m")->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);

void sample(benchmark::State& state) {
  const Chain set{.n = steps, .m = 10};
  const std::vector<double> theta = scores(set.dimension());
  std::vector<Structure> draws(static_cast<std::size_t>(state.range(0)));
  Random random(2);
  for (auto _ : state) set.sample(theta, random, draws, thread_workspace());
}
BENCHMARK(sample)->ArgName("draws")->Arg(1)->Arg(1000)->Unit(benchmark::kMicrosecond);

void k_best(benchmark::State& state) {
  const Sequence set{.n = steps, .m = 10};
  const std::vector<double> theta = scores(set.dimension());
  std::vector<Structure> best;
  for (auto _ : state) set.k_best(theta, static_cast<std::size_t>(state.range(0)), best, thread_workspace());
}
BENCHMARK(k_best)->ArgName("k")->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMicrosecond);

void by_steps(benchmark::State& state) {
  const Chain set{.n = static_cast<std::size_t>(state.range(0)), .m = 16};
  const std::vector<double> theta = scores(set.dimension());
  std::vector<double> mu(theta.size());
  for (auto _ : state) benchmark::DoNotOptimize(set.marginals(theta, mu, thread_workspace()));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(by_steps)->Name("linear_n/chain")->RangeMultiplier(4)->Range(64, 16384)->Complexity(benchmark::oN);

void by_states(benchmark::State& state) {
  const Sequence set{.n = 20, .m = static_cast<std::size_t>(state.range(0))};
  const std::vector<double> theta = scores(set.dimension());
  std::vector<double> mu(theta.size());
  for (auto _ : state) benchmark::DoNotOptimize(set.marginals(theta, mu, thread_workspace()));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(by_states)
    ->Name("quadratic_m/sequence")
    ->RangeMultiplier(2)
    ->Range(8, 128)
    ->Complexity(benchmark::oNSquared);

}  // namespace
}  // namespace fenchel::bench
