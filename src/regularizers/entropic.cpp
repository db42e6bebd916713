// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/entropic.hpp"

#include <cmath>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/all.hpp"
#include "regularizers/structured_tools.hpp"
#include "solvers/entropic_active_set.hpp"

namespace fenchel {

std::vector<Entropic> Entropic::examples() {
  return {{Birkhoff{3}}, {Permutahedron{{3, 2, 1}}}, {KSubsets{5, 2}}, {Transport{{1, 2}, {0.5, 1.5, 1}}}};
}

void Entropic::check() const { structured::check_polytope(traits.name, polytope); }

Traits Entropic::refined_traits() const {
  Traits refined = traits;
  refined.sparse = polytope.traits().entropic_faces;
  refined.predict_by_search = !polytope.offers(Oracle::project_kl);
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

Report Entropic::mixture(std::span<const double> theta, Mixture& mixture, std::span<double> out,
                         Workspace& scratch) const {
  const auto oracle = [&](std::span<const double> scores, Structure& best) {
    return polytope.map(scores, best, scratch);
  };
  const Report report = EntropicActiveSet{}.minimize(theta, oracle, mixture, out, scratch);
  if (report.residual == infinity) polytope.reject_masked();
  return report;
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

// The slope of μ log μ at 0 is −inf: towards a structure z that uses an entry that y does not, no scores keep
// the prediction at y.
std::optional<double> Entropic::margin(std::size_t) const {
  if (single_structure(polytope)) return 0;
  if (structured::leaves(polytope, [](double entry) { return entry == 0; })) return std::nullopt;
  return structured::margin_of(*this, {.differentiable = true});
}

}  // namespace fenchel
