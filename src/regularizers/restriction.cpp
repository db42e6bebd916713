// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/restriction.hpp"

#include <stdexcept>
#include <string>

#include "fenchel/core/numeric.hpp"
#include "solvers/lbfgs_minimizer.hpp"

namespace fenchel {
namespace {

// Ω*(θ) and ŷ_Ω(θ) for scores with any shift.
double conjugate_of(const AnyRegularizer& omega, std::span<const double> theta, std::span<double> out,
                    Workspace& scratch) {
  return operations::conjugate_at(
      [&](std::span<const double> mu) { return omega.value(mu); },
      [&](std::span<const double> at, std::span<double> mu) { return omega.predict(at, mu, scratch); }, theta,
      omega.refined_traits().domain, out, scratch);
}

// Whether Ω is ½‖·‖², on all of R^d and up to a constant.
bool half_squared_norm(const AnyRegularizer& omega) {
  return omega.ridge() == 1.0 && omega.refined_traits().domain == Domain::reals;
}

}  // namespace

void Restriction::check() const {
  if (!project) throw std::invalid_argument("restriction: project must be set");
  const Traits inner = psi.refined_traits();
  if (!inner.legendre || inner.domain == Domain::simplex) {
    throw std::invalid_argument("psi is " + std::string(inner.name) +
                                "; expected an omega of Legendre type on R^d, the cube or the cone");
  }
}

Traits Restriction::refined_traits() const {
  const Traits inner = psi.refined_traits();
  Traits refined = traits;
  refined.domain = domain;
  refined.strongly_convex = inner.strongly_convex;
  refined.value_by_search = inner.value_by_search;
  refined.predict_by_search = inner.predict_by_search;
  refined.score_limit = inner.score_limit;
  return refined;
}

Report Restriction::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Report report = psi.predict(theta, out, scratch);
  project(out);
  return report;
}

void Sum::check() const {
  for (const AnyRegularizer* part : {&psi, &phi}) {
    const Traits inner = part->refined_traits();
    if (!inner.convex)
      throw std::invalid_argument(std::string(inner.name) + " is not convex; expected a convex omega");
  }
  if (psi.dimension() && phi.dimension() && *psi.dimension() != *phi.dimension()) {
    throw std::invalid_argument("psi is for " + std::to_string(*psi.dimension()) + " scores and phi for " +
                                std::to_string(*phi.dimension()) + "; expected the same number");
  }
  if (!psi.refined_traits().strictly_convex) {
    throw std::invalid_argument("psi is " + std::string(psi.refined_traits().name) +
                                "; expected a strictly convex omega (put the other one in phi)");
  }
}

Traits Sum::refined_traits() const {
  const Traits first = psi.refined_traits();
  const Traits second = phi.refined_traits();
  Traits refined = traits;
  refined.domain = second.domain == Domain::reals ? first.domain : second.domain;
  refined.strongly_convex = first.strongly_convex || second.strongly_convex;
  refined.sparse = first.sparse || second.sparse;
  refined.symmetric = first.symmetric && second.symmetric;
  refined.zero_at_vertices = first.zero_at_vertices && second.zero_at_vertices;
  refined.differentiable = first.differentiable && second.differentiable;
  refined.attained = first.attained && second.attained;
  refined.value_by_search = first.value_by_search || second.value_by_search;
  return refined;
}

Report Sum::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  if (half_squared_norm(psi)) return phi.prox(theta, 1, out, scratch);
  if (half_squared_norm(phi)) return psi.prox(theta, 1, out, scratch);
  const Workspace::Frame frame(scratch);
  const auto u = scratch.take<double>(theta.size());
  const auto rest = scratch.take<double>(theta.size());
  const auto other = scratch.take<double>(theta.size());
  for (std::size_t j = 0; j < u.size(); ++j) u[j] = 0.5 * theta[j];
  auto objective = [&](std::span<const double> at, std::span<double> gradient) {
    for (std::size_t j = 0; j < at.size(); ++j) rest[j] = theta[j] - at[j];
    const double total = conjugate_of(phi, at, gradient, scratch) + conjugate_of(psi, rest, other, scratch);
    for (std::size_t j = 0; j < at.size(); ++j) gradient[j] -= other[j];
    return total;
  };
  const Report report = LbfgsMinimizer{}.minimize(objective, u, scratch);
  conjugate_of(phi, u, out, scratch);
  return report;
}

void Sum::check_scores(std::string_view name, std::span<const double> theta) const {
  for (const AnyRegularizer* part : {&psi, &phi}) part->check_scores(name, theta);
}

void Sum::check_point(std::string_view name, std::span<const double> mu) const {
  for (const AnyRegularizer* part : {&psi, &phi}) part->check_point(name, mu);
}

void Sum::gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto other = scratch.take<double>(mu.size());
  psi.gradient(mu, out, scratch);
  phi.gradient(mu, other, scratch);
  for (std::size_t j = 0; j < mu.size(); ++j) out[j] += other[j];
}

}  // namespace fenchel
