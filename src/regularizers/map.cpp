// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/map.hpp"

#include <algorithm>

#include "core/pooled.hpp"
#include "fenchel/polytopes/all.hpp"
#include "regularizers/structured_tools.hpp"

namespace fenchel {

std::vector<Map> Map::examples() {
  return {{Sequence{3, 2}}, {Arborescence{3}}, {Permutahedron{{3, 2, 1}}}, {Birkhoff{3}}};
}

void Map::check() const { structured::check_polytope(traits.name, polytope); }

void Map::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Pooled<Structure> best;
  if (polytope.map(theta, *best, scratch) == -infinity) polytope.reject_masked();
  write(*best, out);
}

void Map::gradient(std::span<const double>, std::span<double> out) const { std::ranges::fill(out, 0.0); }

Report Map::prox(std::span<const double> eta, double, std::span<double> out, Workspace& scratch) const {
  return polytope.project(eta, out, scratch);
}

void Map::jvp(std::span<const double>, std::span<const double>, std::span<const double>,
              std::span<double> out, Workspace&) const {
  std::ranges::fill(out, 0.0);
}

}  // namespace fenchel
