// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/bregman.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/all.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "regularizers/structured_tools.hpp"

namespace fenchel {
namespace {

// The largest (φ'(s) − φ'(t))/(s − t) of neighbouring weights, which edges of the permutahedron exchange.
double steepest(const Generator& phi, std::vector<double> w) {
  std::ranges::sort(w);
  double largest = 0;
  for (std::size_t i = 1; i < w.size(); ++i) {
    if (w[i] == w[i - 1]) continue;
    largest = std::max(largest, (phi.slope(w[i]) - phi.slope(w[i - 1])) / (w[i] - w[i - 1]));
  }
  return largest;
}

}  // namespace

std::vector<Bregman> Bregman::examples() {
  return {{Permutahedron{{3, 2, 1}}},
          {Birkhoff{3}},
          {Transport{{1, 2}, {0.5, 1.5, 1}}, "tsallis", 0.5},
          {KSubsets{5, 2}, "tsallis", 1.2},
          {Permutahedron{{3, 2, 1, 0}}, "tsallis", 2.5},
          {Permutahedron{{3, 2, 1}}, "burg"},
          {Permutahedron{{1, 0.75, 0.25, 0}}, "fermi_dirac"},
          {Birkhoff{3}, "fermi_dirac"}};
}

void Bregman::check() const {
  structured::check_polytope(traits.name, polytope);
  const Generator given = chosen();
  if (!polytope.offers(Oracle::project_bregman)) {
    std::string known;
    for (const PolytopeEntry& entry : polytope_list()) {
      if (!entry.examples.front().offers(Oracle::project_bregman)) continue;
      known += (known.empty() ? "" : ", ") + std::string(entry.traits.name);
    }
    throw std::invalid_argument(fmt::format(
        "{} has no Bregman projections; expected one of {}, or another omega: entropic, sparsemap",
        polytope.traits().name, known));
  }
  const auto [lowest, highest] = polytope.entry_range();
  if (lowest == -infinity) return;
  check_covers(given, fmt::format("structures of {}", polytope.traits().name), lowest, highest);
}

void Bregman::prepare() {
  phi = chosen();
  generator = phi.name();
}

Traits Bregman::refined_traits() const {
  Traits refined = traits;
  refined.sparse = phi.lowest_slope() > -infinity || polytope.traits().entropic_faces;
  refined.strongly_convex = strong_convexity().has_value();
  refined.piecewise_linear = phi.order() == 2.0;
  return refined;
}

void Bregman::check_point(std::string_view name, std::span<const double> mu) const {
  polytope.check_point(name, mu);
  check_within(name, mu, phi.lower(), phi.upper());
}

double Bregman::value(std::span<const double> mu) const {
  double sum = 0;
  for (const double entry : mu) sum += phi.value(entry);
  return sum;
}

Report Bregman::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  return polytope.project_bregman(phi, theta, out, scratch);
}

void Bregman::gradient(std::span<const double> mu, std::span<double> out) const {
  for (std::size_t j = 0; j < mu.size(); ++j) out[j] = phi.slope(mu[j]);
}

Report Bregman::prox(std::span<const double> eta, double tau, std::span<double> out,
                     Workspace& scratch) const {
  if (tau == 0) return polytope.project(eta, out, scratch);
  return polytope.project_bregman(phi.with_ridge(tau), eta, out, scratch);
}

void Bregman::jvp(std::span<const double> theta, std::span<const double> prediction,
                  std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  polytope.project_bregman_jvp(phi, {theta, prediction}, v, out, scratch);
}

std::optional<double> Bregman::margin(std::size_t) const {
  if (single_structure(polytope)) return 0;
  const auto steep = [&](double entry) { return !std::isfinite(phi.slope(entry)); };
  if (structured::leaves(polytope, steep)) return std::nullopt;
  // Along an edge [y, z], y stays the prediction while ⟨θ, y − z⟩ ≥ ⟨∇Ω(y), y − z⟩: the margin is the largest
  // 2⟨∇Ω(y), y − z⟩/‖y − z‖². As many entries rise as fall where sums are fixed.
  if (polytope.traits().binary && polytope.traits().fixed_sum) return phi.slope(1) - phi.slope(0);
  if (const auto* permutations = polytope.get_if<Permutahedron>()) return steepest(phi, permutations->w);
  return structured::margin_of(*this, {.differentiable = true, .exists = true});
}

std::optional<double> Bregman::strong_convexity() const {
  const auto [lowest, highest] = polytope.entry_range();
  if (!std::isfinite(highest - lowest)) return std::nullopt;
  const auto least = phi.least_curvature(lowest, highest);
  return least && *least > 0 ? least : std::nullopt;
}

}  // namespace fenchel
