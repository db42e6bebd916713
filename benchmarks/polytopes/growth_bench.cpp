// SPDX-License-Identifier: Apache-2.0
// How every oracle grows with the size of its structures: one sweep per oracle, labelled with the cost that
// Table 2 of the paper states for it. scripts/bench_growth fits the exponents.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/alignment.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "fenchel/polytopes/birkhoff.hpp"
#include "fenchel/polytopes/cube.hpp"
#include "fenchel/polytopes/k_subsets.hpp"
#include "fenchel/polytopes/permutahedron.hpp"
#include "fenchel/polytopes/projective_tree.hpp"
#include "fenchel/polytopes/sequence.hpp"
#include "fenchel/polytopes/soft_dtw.hpp"

namespace fenchel::bench {
namespace {

constexpr std::size_t few = 16;                        // the size that a sweep holds fixed
constexpr std::size_t entries = std::size_t{1} << 21;  // of all rows together

/// What an oracle reads and writes. `theta` is another row of scores each time: on the same row, branch
/// prediction would learn small sizes by heart, and only those.
struct Room {
  std::span<const double> theta;
  std::vector<double> mu;
  Structure best;
  Workspace scratch;
};

/// A name and the cost it should have, with the exponent of the size that grows: "n m^2" in n is 1.
struct Title {
  std::string name;
  std::string cost;
};

/// The spread of the scores, given their number.
using Scale = double (*)(std::size_t d);

/// Against ranks 1..d: blocks of every size, so that the sort is needed.
double far(std::size_t d) { return static_cast<double>(d); }

/// Registers oracle(set, room) for the sets make(size), size = first, 2 first, ..., last.
template <class Make, class Oracle>
void sweep(
    const Title& title, std::int64_t first, std::int64_t last, Make make, Oracle oracle,
    Scale scale = [](std::size_t) { return 1.0; }) {
  auto run = [=](benchmark::State& state) {
    const auto set = make(static_cast<std::size_t>(state.range(0)));
    const std::size_t d = set.dimension();
    std::vector<double> scores(std::max<std::size_t>(4, entries / d) * d);
    Random random(5);
    for (double& score : scores) score = scale(d) * random.normal();
    Room room;
    room.mu.resize(d);
    std::size_t next = 0;
    for (auto _ : state) {
      room.theta = std::span(scores).subspan(next, d);
      next = (next + d) % scores.size();
      oracle(set, room);
      benchmark::ClobberMemory();
    }
    state.SetLabel(title.cost);
  };
  benchmark::RegisterBenchmark(("growth/" + title.name).c_str(), run)->RangeMultiplier(2)->Range(first, last);
}

const auto map = [](const auto& set, Room& room) {
  benchmark::DoNotOptimize(set.map(room.theta, room.best, room.scratch));
};
const auto marginals = [](const auto& set, Room& room) {
  benchmark::DoNotOptimize(set.marginals(room.theta, room.mu, room.scratch));
};
const auto project = [](const auto& set, Room& room) {
  benchmark::DoNotOptimize(set.project(room.theta, room.mu, room.scratch));
};
const auto smooth_alignment = [](const Alignment& set, Room& room) {
  benchmark::DoNotOptimize(
      soft_dtw({room.theta.data(), set.m, set.n}, {room.mu.data(), set.m, set.n}, {.gamma = 1}));
};

const bool registered = [] {
  const auto by_steps = [](std::size_t n) { return Sequence{.n = n, .m = few}; };
  const auto by_tags = [](std::size_t m) { return Sequence{.n = few, .m = m}; };
  sweep({"Viterbi, in n", "n m^2: 1"}, 64, 1024, by_steps, map);
  sweep({"Viterbi, in m", "n m^2: 2"}, 16, 256, by_tags, map);
  sweep({"forward-backward, in n", "n m^2: 1"}, 64, 1024, by_steps, marginals);
  sweep({"forward-backward, in m", "n m^2: 2"}, 16, 256, by_tags, marginals);
  const auto square = [](std::size_t n) { return Alignment{.m = n, .n = n}; };
  sweep({"DTW, in m = n", "m n: 2"}, 64, 1024, square, map);
  sweep({"soft-DTW with gradient, in m = n", "m n: 2"}, 64, 1024, square, smooth_alignment);
  const auto arborescence = [](std::size_t n) { return Arborescence{.n = n}; };
  sweep({"maximum arborescence", "n^2: 2"}, 64, 2048, arborescence, map);
  sweep({"matrix-tree marginals", "n^3: 3"}, 32, 512, arborescence, marginals);
  const auto projective = [](std::size_t n) { return ProjectiveTree{.n = n}; };
  sweep({"Eisner", "n^3: 3"}, 32, 256, projective, map);
  sweep({"Eisner inside-outside", "n^3: 3"}, 32, 256, projective, marginals);
  sweep({"permutahedron", "d log d: 1"}, 1024, 262144, Permutahedron::ranking, project, far);
  sweep(
      {"assignment", "n^3: 3"}, 32, 512, [](std::size_t n) { return Birkhoff{.n = n}; }, map);
  sweep(
      {"capped simplex", "d: 1"}, 1024, 262144,
      [](std::size_t d) {
        return KSubsets{d, d / 8};
      },
      project);
  sweep(
      {"cube", "d: 1"}, 1024, 262144, [](std::size_t d) { return Cube{d}; }, project);
  return true;
}();

}  // namespace
}  // namespace fenchel::bench
