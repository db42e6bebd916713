// SPDX-License-Identifier: Apache-2.0
// The active set method on trees and sequences: time, and as counters the calls of the MAP oracle per
// problem, the structures in the solution, calls / (structures + 2), and the share of the time that the
// oracle takes.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "fenchel/polytopes/sequence.hpp"
#include "fenchel/solvers/active_set.hpp"

namespace fenchel::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t problems = 8;
constexpr double sigmas[] = {0.1, 1, 8};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Set>
std::vector<std::vector<double>> scores(const Set& set, double sigma) {
  Random random(7);
  std::vector<std::vector<double>> thetas(problems, std::vector<double>(set.dimension()));
  for (auto& theta : thetas) {
    for (double& score : theta) score = sigma * random.normal();
  }
  return thetas;
}

// `drift`: each problem is solved again after its scores moved by this much, from the solution before.
template <class Set>
void project(benchmark::State& state, const Set& set, double sigma, double drift) {
  auto thetas = scores(set, sigma);
  std::vector<Mixture> mixtures(problems);
  std::vector<double> mu(set.dimension());
  Workspace scratch;
  Random random(8);
  if (drift > 0) {
    for (std::size_t i = 0; i < problems; ++i) {
      ActiveSet{}.minimize(
          thetas[i],
          [&](std::span<const double> theta, Structure& best) { return set.map(theta, best, scratch); },
          mixtures[i], mu, scratch);
    }
  }
  double calls = 0, structures = 0, ratio = 0, oracle_time = 0, time = 0, solved = 0;
  const auto map = [&](std::span<const double> theta, Structure& best) {
    const auto start = Clock::now();
    const double value = set.map(theta, best, scratch);
    oracle_time += seconds_since(start);
    return value;
  };
  for (auto _ : state) {
    for (std::size_t i = 0; i < problems; ++i) {
      if (drift == 0) mixtures[i].weights.clear();
      for (double& score : thetas[i]) score += drift == 0 ? 0 : drift * random.normal();
      const auto start = Clock::now();
      const Report report = ActiveSet{}.minimize(thetas[i], map, mixtures[i], mu, scratch);
      time += seconds_since(start);
      const auto size = static_cast<double>(mixtures[i].size());
      calls += report.iterations;
      structures += size;
      ratio += report.iterations / (size + 2);
      solved += 1;
    }
  }
  state.counters["calls"] = calls / solved;
  state.counters["structures"] = structures / solved;
  state.counters["calls/(structures+2)"] = ratio / solved;
  state.counters["oracle_share"] = oracle_time / time;
  state.counters["us/problem"] = 1e6 * time / solved;
}

template <class Set>
void add(const std::string& name, const Set& set) {
  for (const double sigma : sigmas) {
    std::string label = name + "/sigma=" + std::to_string(sigma);
    label.resize(label.size() - 4);
    benchmark::RegisterBenchmark(("active_set/" + label).c_str(),
                                 [=](benchmark::State& state) { project(state, set, sigma, 0); })
        ->MinTime(0.1)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("active_set_warm/" + label).c_str(),
                                 [=](benchmark::State& state) { project(state, set, sigma, 0.01 * sigma); })
        ->MinTime(0.1)
        ->Unit(benchmark::kMillisecond);
  }
}

const bool registered = [] {
  add("tree/n=10", Arborescence{.n = 10});
  add("tree/n=30", Arborescence{.n = 30});
  add("sequence/n=20,m=5", Sequence{.n = 20, .m = 5});
  add("sequence/n=50,m=10", Sequence{.n = 50, .m = 10});
  return true;
}();

}  // namespace
}  // namespace fenchel::bench
