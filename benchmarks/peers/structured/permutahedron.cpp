// SPDX-License-Identifier: Apache-2.0
// Projections onto the permutahedron of (d, …, 1) and isotonic regression. Every pass takes the next of many
// rows: on the same row again and again, branch prediction would learn its order by heart.
#include "fenchel/polytopes/permutahedron.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/workspace.hpp"
#include "peers/structured/registry.hpp"
#include "solvers/isotonic.hpp"

namespace {

constexpr std::size_t entries = std::size_t{1} << 22;

struct Rows {
  std::size_t d;
  std::vector<double> scores;
  std::vector<double> out;
  std::vector<std::uint32_t> ends;
  fenchel::Workspace scratch;
  std::size_t next = 0;

  Rows(std::size_t size, double scale) : d(size), out(size), ends(size) {
    fenchel::Random random(7);
    scores.resize(std::max<std::size_t>(4, entries / d) * d);
    for (double& score : scores) score = scale * random.normal();
  }

  std::span<const double> take() {
    const std::span<const double> row(scores.data() + next, d);
    next = (next + d) % scores.size();
    return row;
  }
};

std::function<void()> projection(const fenchel::bench::Arguments& a, bool kl) {
  const auto rows = std::make_shared<Rows>(a.size("d"), a.number("scale"));
  const auto set = std::make_shared<fenchel::Permutahedron>(fenchel::Permutahedron::ranking(rows->d));
  return [=] {
    const fenchel::Workspace::Frame frame(rows->scratch);
    kl ? set->project_kl(rows->take(), rows->out, rows->scratch)
       : set->project(rows->take(), rows->out, rows->scratch);
  };
}

std::function<void()> isotonic(const fenchel::bench::Arguments& a) {
  const auto rows = std::make_shared<Rows>(a.size("d"), 1);
  return [=] { fenchel::isotonic_regression(rows->take(), rows->out, rows->ends, rows->scratch); };
}

const bool added =
    fenchel::bench::add_case("permutahedron", [](const auto& a) { return projection(a, false); }) &&
    fenchel::bench::add_case("permutahedron_kl", [](const auto& a) { return projection(a, true); }) &&
    fenchel::bench::add_case("isotonic", isotonic);

}  // namespace
