// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/entropic.hpp"

#include <cmath>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/all.hpp"
#include "regularizers/structured_tools.hpp"

namespace fenchel {

std::vector<Entropic> Entropic::examples() {
  return {{Birkhoff{3}}, {Permutahedron{{3, 2, 1}}}, {KSubsets{5, 2}}, {Transport{{1, 2}, {0.5, 1.5, 1}}}};
}

void Entropic::check() const { structured::check_polytope(traits.name, polytope); }

Traits Entropic::refined_traits() const {
  Traits refined = traits;
  refined.sparse = polytope.traits().name == Permutahedron::traits.name;  // reaches its faces
  return refined;
}

void Entropic::check_point(std::string_view name, std::span<const double> mu) const {
  polytope.check_point(name, mu);
  check_within(name, mu, 0, infinity);
}

double Entropic::value(std::span<const double> mu) const {
  double sum = 0;
  for (const double entry : mu) sum += xlogx(entry);
  return sum;
}

Report Entropic::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  return polytope.project_kl(theta, out, scratch);
}

void Entropic::gradient(std::span<const double> mu, std::span<double> out) const {
  for (std::size_t j = 0; j < mu.size(); ++j) out[j] = mu[j] > 0 ? 1 + std::log(mu[j]) : -infinity;
}

void Entropic::jvp(std::span<const double> theta, std::span<const double> prediction,
                   std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  polytope.project_kl_jvp(theta, prediction, v, out, scratch);
}

std::optional<double> Entropic::margin(std::size_t) const { return structured::margin_of(*this); }

}  // namespace fenchel
