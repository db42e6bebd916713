// SPDX-License-Identifier: Apache-2.0
// Soft-DTW, value and gradient, against the textbook loops in double with the C library's exp and log; the
// other oracles; and growth with the size of the grid (items are cells: all of it is linear in them).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/alignment.hpp"
#include "fenchel/polytopes/soft_dtw.hpp"

namespace fenchel::bench {
namespace {

std::vector<double> squared_normals(std::size_t size) {
  Random random(3);
  std::vector<double> cost(size);
  for (double& entry : cost) {
    const double x = random.normal();
    entry = x * x;
  }
  return cost;
}

/// The recursion r(i, j) = D(i, j) + softmin of three, then its gradient from last to first.
class PlainSoftDtw {
 public:
  double run(const std::vector<double>& cost, std::size_t m, std::size_t n, double gamma,
             std::vector<double>& gradient) {
    const std::size_t w = n + 2;
    r_.assign((m + 2) * w, 1e300);
    r_[0] = 0;
    for (std::size_t i = 1; i <= m; ++i) {
      for (std::size_t j = 1; j <= n; ++j) {
        const double a = -r_[(i - 1) * w + j] / gamma;
        const double b = -r_[i * w + j - 1] / gamma;
        const double c = -r_[(i - 1) * w + j - 1] / gamma;
        const double top = std::max(a, std::max(b, c));
        const double sum = std::exp(a - top) + std::exp(b - top) + std::exp(c - top);
        r_[i * w + j] = cost[(i - 1) * n + j - 1] - gamma * (std::log(sum) + top);
      }
    }
    e_.assign((m + 2) * w, 0);
    e_[m * w + n] = 1;
    for (std::size_t i = m; i >= 1; --i) {
      for (std::size_t j = n; j >= 1; --j) {
        const double here = r_[i * w + j];
        double& e = e_[i * w + j];
        if (i < m)
          e += e_[(i + 1) * w + j] * std::exp((r_[(i + 1) * w + j] - here - cost[i * n + j - 1]) / gamma);
        if (j < n)
          e += e_[i * w + j + 1] * std::exp((r_[i * w + j + 1] - here - cost[(i - 1) * n + j]) / gamma);
        if (i < m && j < n) {
          e += e_[(i + 1) * w + j + 1] * std::exp((r_[(i + 1) * w + j + 1] - here - cost[i * n + j]) / gamma);
        }
        gradient[(i - 1) * n + j - 1] = e;
      }
    }
    return r_[m * w + n];
  }

 private:
  std::vector<double> r_;
  std::vector<double> e_;
};

void plain_soft_dtw(benchmark::State& state) {
  const auto m = static_cast<std::size_t>(state.range(0));
  const std::vector<double> cost = squared_normals(m * m);
  std::vector<double> gradient(m * m);
  PlainSoftDtw plain;
  for (auto _ : state) benchmark::DoNotOptimize(plain.run(cost, m, m, 1, gradient));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(m * m));
}

void soft_dtw_value_gradient(benchmark::State& state) {
  const auto m = static_cast<std::size_t>(state.range(0));
  const std::vector<double> cost = squared_normals(m * m);
  std::vector<double> gradient(m * m);
  const SoftDtwOptions options{.gamma = 1, .band = static_cast<std::size_t>(state.range(1))};
  for (auto _ : state) {
    benchmark::DoNotOptimize(soft_dtw({cost.data(), m, m}, {gradient.data(), m, m}, options));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(m * m));
}

/// `oracle` runs on a square grid of scores.
template <class Oracle>
void run_oracle(benchmark::State& state, Oracle oracle) {
  const Alignment set{.m = static_cast<std::size_t>(state.range(0)),
                      .n = static_cast<std::size_t>(state.range(0))};
  std::vector<double> theta = squared_normals(set.dimension());
  for (double& score : theta) score = -score;
  std::vector<double> mu(theta.size());
  std::vector<double> out(theta.size());
  Workspace scratch;
  set.marginals(theta, mu, scratch);
  for (auto _ : state) {
    oracle(set, theta, mu, out, scratch);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(theta.size()));
}

using Numbers = std::vector<double>;

void alignment_map(benchmark::State& state) {
  Structure best;
  run_oracle(state, [&](const Alignment& set, const Numbers& theta, const Numbers&, Numbers&,
                        Workspace& scratch) { benchmark::DoNotOptimize(set.map(theta, best, scratch)); });
}

void alignment_log_partition(benchmark::State& state) {
  run_oracle(state, [](const Alignment& set, const Numbers& theta, const Numbers&, Numbers&,
                       Workspace& scratch) { benchmark::DoNotOptimize(set.log_partition(theta, scratch)); });
}

void alignment_marginals_jvp(benchmark::State& state) {
  run_oracle(state, [](const Alignment& set, const Numbers& theta, const Numbers& mu, Numbers& out,
                       Workspace& scratch) { set.marginals_jvp(theta, mu, theta, out, scratch); });
}

void alignment_ten_best(benchmark::State& state) {
  std::vector<Structure> best;
  run_oracle(state, [&](const Alignment& set, const Numbers& theta, const Numbers&, Numbers&,
                        Workspace& scratch) { set.k_best(theta, 10, best, scratch); });
}

BENCHMARK(plain_soft_dtw)->Arg(500);
BENCHMARK(soft_dtw_value_gradient)
    ->Args({500, 0})
    ->Args({64, 0})
    ->Args({125, 0})
    ->Args({250, 0})
    ->Args({1000, 0})
    ->Args({2000, 0})
    ->Args({2000, 20});
BENCHMARK(alignment_map)->Arg(125)->Arg(500)->Arg(2000);
BENCHMARK(alignment_log_partition)->Arg(125)->Arg(500)->Arg(2000);
BENCHMARK(alignment_marginals_jvp)->Arg(125)->Arg(500)->Arg(2000);
BENCHMARK(alignment_ten_best)->Arg(125)->Arg(500);

}  // namespace
}  // namespace fenchel::bench
