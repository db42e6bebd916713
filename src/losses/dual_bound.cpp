// SPDX-License-Identifier: Apache-2.0
#include "losses/dual_bound.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

constexpr double rounding = 1e-6;  // as points may be off that users give
constexpr double tiny = 1e-12;     // what sums and differences leave beyond a bound

bool near(std::span<const double> a, std::span<const double> b) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (!(std::abs(a[j] - b[j]) <= rounding * std::max(1.0, std::abs(b[j])))) return false;
  }
  return true;
}

}  // namespace

bool in_domain(const AnyRegularizer& omega, std::span<const double> mu, Workspace& scratch) {
  try {
    check_point("mu", mu, omega.refined_traits().domain);
    omega.check_point("mu", mu);
  } catch (const std::invalid_argument&) {
    return false;
  }
  const AnyPolytope* polytope = omega.polytope();
  if (!polytope || omega.refined_traits().domain != Domain::polytope) return true;
  // The checks of sets of structures are necessary ones. A projection leaves a point of the set where it is;
  // so does ŷ of ½‖·‖² over a cone.
  const Workspace::Frame frame(scratch);
  const auto projected = scratch.take<double>(mu.size());
  polytope->project(mu, projected, scratch);
  if (near(projected, mu)) return true;
  omega.predict(mu, projected, scratch);
  return near(projected, mu);
}

double weighted_dual_bound(const FenchelYoungLoss& loss, std::span<const double> y, const WeightedGradient& g,
                           Workspace& scratch) {
  if (!(g.weight > 0)) return max_abs(g.gradient) == 0 ? 0 : -infinity;
  const Workspace::Frame frame(scratch);
  const auto mu = scratch.take<double>(y.size());
  const auto cost = scratch.take<double>(y.size());
  const Domain domain = loss.omega().refined_traits().domain;
  const bool bounded = domain != Domain::reals && domain != Domain::polytope;
  for (std::size_t j = 0; j < y.size(); ++j) {
    mu[j] = y[j] + g.gradient[j] / g.weight;
    if (bounded && mu[j] < 0 && mu[j] > -tiny) mu[j] = 0;
    if (domain == Domain::cube && mu[j] > 1 && mu[j] < 1 + tiny) mu[j] = 1;
  }
  if (!in_domain(loss.omega(), mu, scratch)) return -infinity;
  // An Ω whose values are searched for may be predicted approximately: its mixtures say no more than that.
  if (loss.omega().refined_traits().value_by_search) return infinity;
  loss.cost().write(y, cost);
  return g.weight * (loss.omega().value(y) - loss.omega().value(mu)) + dot(cost, g.gradient);
}

}  // namespace fenchel
