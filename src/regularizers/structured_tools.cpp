// SPDX-License-Identifier: Apache-2.0
#include "regularizers/structured_tools.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/pooled.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"

namespace fenchel::structured {
namespace {

// A lower bound on the distance from μ to conv(Y): the distance to the point found, less what its Wolfe gap
// leaves open.
double distance_to(const AnyPolytope& polytope, std::span<const double> mu, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto nearest = scratch.take<double>(mu.size());
  const Report report = polytope.project(mu, nearest, scratch);
  double squared = 0;
  for (std::size_t j = 0; j < mu.size(); ++j) squared += (mu[j] - nearest[j]) * (mu[j] - nearest[j]);
  return std::sqrt(std::max(squared - 2 * report.residual, 0.0));
}

// Throws if μ is further from conv(Y) than a point whose entries were rounded.
void check_inside(const AnyPolytope& polytope, std::span<const double> mu, Workspace& scratch) {
  const double rounding = simplex_tolerance<double> * std::sqrt(static_cast<double>(mu.size()));
  const double distance = distance_to(polytope, mu, scratch);
  if (distance <= rounding) return;
  throw OutsideDomain("mu", fmt::format("lies outside conv(Y) of {}: its distance is {:.6g}",
                                        polytope.traits().name, distance));
}

// Whether some structure is 0 wherever μ is, as every structure of a mixture with mean μ must be.
bool has_support(const AnyPolytope& polytope, std::span<const double> mu, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto scores = scratch.take<double>(mu.size());
  std::ranges::transform(mu, scores.begin(), [](double entry) { return entry == 0 ? -infinity : 0; });
  const Pooled<Structure> any;
  return polytope.map(scores, *any, scratch) > -infinity;
}

}  // namespace

void check_polytope(std::string_view owner, const AnyPolytope& polytope) {
  if (!polytope.empty()) return;
  throw std::invalid_argument(fmt::format(
      "{} has no polytope; expected one, such as {{\"name\": \"sequence\", \"n\": 5, \"m\": 3}}", owner));
}

bool leaves(const AnyPolytope& polytope, FunctionRef<bool(double)> steep) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto scores = scratch.take<double>(polytope.dimension());
  const auto best = scratch.take<double>(polytope.dimension());
  const auto worst = scratch.take<double>(polytope.dimension());
  const Pooled<Structure> y;
  Random random(1);
  for (double& score : scores) score = random.normal();
  polytope.map(scores, *y, scratch);
  write(*y, best);
  for (double& score : scores) score = -score;
  polytope.map(scores, *y, scratch);
  write(*y, worst);
  for (std::size_t j = 0; j < best.size(); ++j) {
    if (worst[j] != best[j] && steep(best[j])) return true;
  }
  return false;
}

operations::SolvedValue solve_dual(const AnyPolytope& polytope, const operations::ConjugateProblem& problem,
                                   std::span<const double> mu, std::span<double> theta, Workspace& scratch) {
  operations::ConjugateProblem posed = problem;
  if (posed.masks && !has_support(polytope, mu, scratch)) {
    check_inside(polytope, mu, scratch);
    posed.masks = false;  // only roundings away from conv(Y)
  }
  const operations::SolvedValue solved = operations::value_by_conjugate(posed, mu, theta, scratch);
  // Outside conv(Y) there is no maximum; ŷ is a point of conv(Y), which may be as near as μ was rounded.
  if (!(solved.report.residual <= simplex_tolerance<double>)) check_inside(polytope, mu, scratch);
  return solved;
}

operations::SolvedValue solve_value(const AnyPolytope& polytope, const operations::ConjugateProblem& problem,
                                    double at_vertices, std::span<const double> mu) {
  if (polytope.is_vertex(mu)) return {at_vertices, {}};
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  return solve_dual(polytope, problem, mu, scratch.take<double>(mu.size()), scratch);
}

}  // namespace fenchel::structured
