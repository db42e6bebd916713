// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/conic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/pooled.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/all.hpp"
#include "fenchel/solvers/active_set.hpp"
#include "regularizers/structured_tools.hpp"

namespace fenchel {

std::vector<Conic> Conic::examples() { return {{Sequence{3, 2}}, {Arborescence{3}}, {Simplex{4}}}; }

void Conic::check() const { structured::check_polytope(traits.name, polytope); }

void Conic::check_point(std::string_view name, std::span<const double> mu) const {
  check_size(name, mu.size(), polytope.dimension());
}

double Conic::value(std::span<const double> mu) const { return 0.5 * dot_masked(mu, mu); }

namespace {

// y scaled, or the zero vector where no structure has a positive score.
double best_of_truncated(const AnyPolytope& polytope, double scale, std::span<const double> scores,
                         Structure& best, Workspace& scratch) {
  const double value = polytope.map(scores, best, scratch);
  if (std::isnan(value) || value == infinity) return value;
  if (!(value > 0)) {
    best.clear();
    return 0;
  }
  if (best.values.empty()) best.values.assign(best.size(), 1.0);
  for (double& entry : best.values) entry *= scale;
  return scale * value;
}

void rescale(Mixture& mixture, double weight_factor, double value_factor) {
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    Structure& y = mixture.structures[i];
    mixture.weights[i] *= weight_factor;
    if (y.values.empty()) y.values.assign(y.size(), 1.0);
    for (double& value : y.values) value *= value_factor;
    if (std::ranges::all_of(y.values, [](double value) { return value == 1; })) y.values.clear();
  }
}

// Removes the zero vector; returns its weight.
double remove_zero(Mixture& mixture) {
  double weight = 0;
  for (std::size_t i = mixture.size(); i-- > 0;) {
    if (mixture.structures[i].size() > 0) continue;
    weight += mixture.weights[i];
    std::swap(mixture.structures[i], mixture.structures[mixture.size() - 1]);
    std::swap(mixture.weights[i], mixture.weights.back());
    mixture.weights.pop_back();
  }
  return weight;
}

}  // namespace

// The cone, cut off where the weights sum to `scale`, is the convex hull of 0 and the structures times
// `scale`: the active-set method projects onto that, and where the cut was too low it is raised. A power of
// two, so that scaling is exact.
Report Conic::mixture(std::span<const double> theta, Mixture& mixture, std::span<double> out,
                      Workspace& scratch) const {
  // With more structures each call costs too much; the report states the remaining gap.
  constexpr int most_calls = 2000;
  constexpr double largest_scale = 0x1p60;  // beyond any combination that could be resolved
  double length = 1;
  for (const double score : theta) length += std::max(score, 0.0);
  double scale = std::min(std::exp2(std::ceil(std::log2(2 * length))), largest_scale);
  mixture.weights.resize(std::min(mixture.weights.size(), mixture.structures.size()));
  Report report;
  for (int calls = 0;; scale *= 1024) {
    rescale(mixture, 1 / scale, scale);
    const auto oracle = [&](std::span<const double> scores, Structure& best) {
      return best_of_truncated(polytope, scale, scores, best, scratch);
    };
    report = ActiveSet{.max_iterations = most_calls}.minimize(theta, oracle, mixture, out, scratch);
    report.iterations += calls;
    calls = report.iterations;
    const double zero = remove_zero(mixture);
    rescale(mixture, scale, 1 / scale);
    if (zero > 0 || report.status == Status::max_iterations || scale >= largest_scale) break;
  }
  return report;
}

Report Conic::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Pooled<Mixture> combination;
  combination->weights.clear();
  return mixture(theta, *combination, out, scratch);
}

void Conic::gradient(std::span<const double> mu, std::span<double> out) const {
  std::ranges::copy(mu, out.begin());
}

Report Conic::prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto shrunk = scratch.take<double>(eta.size());
  for (std::size_t j = 0; j < eta.size(); ++j) shrunk[j] = eta[j] / (1 + tau);
  return predict(shrunk, out, scratch);
}

void Conic::jvp(std::span<const double> theta, std::span<const double>, std::span<const double> v,
                std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  Mixture combination;
  mixture(theta, combination, scratch.take<double>(theta.size()), scratch);
  // Projecting onto the span of the structures is projecting onto their differences from one more, the zero
  // vector.
  combination.structures.resize(combination.size());
  combination.structures.emplace_back();
  combination.weights.push_back(1);
  active_set_jvp(combination, v, out, scratch);
}

}  // namespace fenchel
