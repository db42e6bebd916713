// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/maximum_entropy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/all.hpp"
#include "fenchel/regularizers/norm.hpp"
#include "fenchel/regularizers/operations.hpp"
#include "fenchel/regularizers/shannon.hpp"
#include "regularizers/simplex_tools.hpp"
#include "regularizers/structured_tools.hpp"

namespace fenchel {

namespace {

constexpr std::size_t largest_limit = 10'000'000;  // some GiB of structures

// Whether Y is certain to have more than `limit` structures: their number is Z(0), known before any is
// listed. False for sets without marginals.
bool surely_more(const AnyPolytope& polytope, std::span<const double> equal, std::size_t limit) {
  constexpr double rounding = 1e-6;  // of log Z
  if (!polytope.offers(Oracle::marginals)) return false;
  return polytope.log_partition(equal, thread_workspace()) > std::log(static_cast<double>(limit)) + rounding;
}

}  // namespace

std::vector<MaximumEntropy> MaximumEntropy::examples() {
  return {{Sequence{3, 2}, Tsallis{1.5}}, {Arborescence{3}, Shannon{}}, {KSubsets{4, 2}, Norm{2}}};
}

void MaximumEntropy::check() const {
  structured::check_polytope(traits.name, polytope);
  if (limit < 1 || limit > largest_limit) {
    throw std::invalid_argument(
        fmt::format("limit is {}; expected a number of structures in 1..{}", limit, largest_limit));
  }
  const Traits inner = entropy.refined_traits();
  if (inner.domain != Domain::simplex) {
    throw std::invalid_argument(
        fmt::format("entropy is {}, whose domain is {}; expected an Ω over the simplex", inner.name,
                    to_string(inner.domain)));
  }
  if (!polytope.offers(Oracle::k_best)) {
    std::vector<Structure> none;
    polytope.k_best({}, 1, none, thread_workspace());  // throws
  }
}

void MaximumEntropy::prepare() {
  const std::vector<double> equal(polytope.dimension(), 0.0);
  const bool too_many = surely_more(polytope, equal, limit);
  if (!too_many) polytope.k_best(equal, limit + 1, structures, thread_workspace());
  if (too_many || structures.size() > limit) {
    throw std::invalid_argument(
        fmt::format("{} has more than {} structures; expected a set that can be listed, or a larger limit",
                    polytope.traits().name, limit));
  }
}

Traits MaximumEntropy::refined_traits() const { return simplex::inherited(traits, entropy.refined_traits()); }

double MaximumEntropy::distribution(std::span<const double> theta, std::span<double> scores,
                                    std::span<double> p, Report& report, Workspace& scratch) const {
  for (std::size_t i = 0; i < structures.size(); ++i) scores[i] = dot(structures[i], theta);
  if (max_of(scores) == -infinity) polytope.reject_masked();
  const double top = operations::shift_scores(Domain::simplex, scores);
  report = entropy.predict(scores, p, scratch);
  return top + entropy.conjugate(scores, p);
}

double MaximumEntropy::mean(std::span<const double> theta, std::span<double> out, Report& report,
                            Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto scores = scratch.take<double>(structures.size());
  const auto p = scratch.take<double>(structures.size());
  const double result = distribution(theta, scores, p, report, scratch);
  std::ranges::fill(out, 0.0);
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] != 0) add(structures[i], p[i], out);
  }
  return result;
}

Report MaximumEntropy::predict(std::span<const double> theta, std::span<double> out,
                               Workspace& scratch) const {
  Report report;
  mean(theta, out, report, scratch);
  return report;
}

double MaximumEntropy::predict_and_conjugate(std::span<const double> theta, std::span<double> out,
                                             Workspace& scratch) const {
  Report report;
  return mean(theta, out, report, scratch);
}

double MaximumEntropy::conjugate(std::span<const double> theta, std::span<const double>) const {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  return predict_and_conjugate(theta, scratch.take<double>(theta.size()), scratch);
}

operations::SolvedValue MaximumEntropy::solve_value(std::span<const double> mu) const {
  const Workspace::Frame frame(thread_workspace());
  const auto vertex = thread_workspace().take<double>(structures.size());
  std::ranges::fill(vertex, 0.0);
  vertex[0] = 1;
  return structured::solve_value_of(*this, entropy.value(vertex), mu);
}

Report MaximumEntropy::prox(std::span<const double> eta, double tau, std::span<double> out,
                            Workspace& scratch) const {
  return structured::prox_of(*this, eta, tau, out, scratch);
}

void MaximumEntropy::jvp(std::span<const double> theta, std::span<const double>, std::span<const double> v,
                         std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const std::size_t count = structures.size();
  const auto scores = scratch.take<double>(count);
  const auto p = scratch.take<double>(count);
  const auto direction = scratch.take<double>(count);
  const auto moved = scratch.take<double>(count);
  Report report;
  distribution(theta, scores, p, report, scratch);
  for (std::size_t i = 0; i < count; ++i) direction[i] = dot(structures[i], v);
  entropy.jvp(scores, p, direction, moved, scratch);
  std::ranges::fill(out, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    if (moved[i] != 0) add(structures[i], moved[i], out);
  }
}

namespace {

// The smallest ½‖y − z‖² between two structures, over as many pairs as can be compared quickly.
double half_closest(std::span<const Structure> structures) {
  constexpr std::size_t most_pairs = 4'000'000;
  const std::size_t count = structures.size();
  const std::size_t stride = 1 + count * count / most_pairs;
  double closest = infinity;
  for (std::size_t i = 0; i < count; i += stride) {
    const double square = overlap(structures[i], structures[i]);
    for (std::size_t k = 0; k < count; ++k) {
      if (k == i) continue;
      const Structure& other = structures[k];
      closest = std::min(closest, square + overlap(other, other) - 2 * overlap(structures[i], other));
    }
  }
  return 0.5 * closest;
}

}  // namespace

// A symmetric, convex Ω on the simplex that is smooth at its vertices has zero loss at e_y iff every other
// score is lower by its margin. Scores of structures differ by (m/2)‖y − z‖², and that is least for the
// closest z. Where Ω is not convex, all other scores have to be near for the margin to be needed.
std::optional<double> MaximumEntropy::margin(std::size_t) const {
  if (structures.size() == 1) return 0;
  const auto inner = entropy.margin(structures.size());
  if (!inner) return std::nullopt;
  const Traits facts = entropy.refined_traits();
  if (facts.symmetric && facts.convex) return *inner / half_closest(structures);
  return structured::margin_of(*this, {.exists = true});
}

}  // namespace fenchel
