// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/sparsemap.hpp"

#include <algorithm>

#include "fenchel/polytopes/all.hpp"
#include "regularizers/structured_tools.hpp"

namespace fenchel {

std::vector<SparseMap> SparseMap::examples() {
  return {{Sequence{3, 2}},
          {Chain{3, 2}},
          {Alignment{2, 3}},
          {Arborescence{3}},
          {Birkhoff{3}},
          {ProjectiveTree{3}},
          {KSubsets{5, 2}},
          {Cube{3}},
          {Permutahedron{{3, 2, 1}}},
          {Transport{{1, 2}, {0.5, 1.5, 1}}}};
}

void SparseMap::check() const { structured::check_polytope(traits.name, polytope); }

double SparseMap::value(std::span<const double> mu) const { return 0.5 * dot_masked(mu, mu); }

Report SparseMap::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  return polytope.project(theta, out, scratch);
}

Report SparseMap::mixture(std::span<const double> theta, Mixture& mixture, std::span<double> out,
                          Workspace& scratch) const {
  return polytope.project(theta, mixture, out, scratch);
}

void SparseMap::gradient(std::span<const double> mu, std::span<double> out) const {
  std::ranges::copy(mu, out.begin());
}

Report SparseMap::prox(std::span<const double> eta, double tau, std::span<double> out,
                       Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto shrunk = scratch.take<double>(eta.size());
  for (std::size_t j = 0; j < eta.size(); ++j) shrunk[j] = eta[j] / (1 + tau);
  return polytope.project(shrunk, out, scratch);
}

void SparseMap::jvp(std::span<const double> theta, std::span<const double> prediction,
                    std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  polytope.project_jvp(theta, prediction, v, out, scratch);
}

std::optional<double> SparseMap::margin(std::size_t) const {
  if (single_structure(polytope)) return 0;
  return polytope.traits().sphere ? 1
                                  : structured::margin_of(*this, {.differentiable = true, .exists = true});
}

}  // namespace fenchel
