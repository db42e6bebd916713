// SPDX-License-Identifier: Apache-2.0
// What the regularizers over conv(Y) share.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/operations.hpp"
#include "regularizers/margin_search.hpp"

namespace fenchel::structured {

// Throws if `polytope` was not given.
void check_polytope(std::string_view owner, const AnyPolytope& polytope);

// operations::value_by_conjugate over conv(Y). Throws OutsideDomain if μ turns out to lie outside.
operations::SolvedValue solve_dual(const AnyPolytope& polytope, const operations::ConjugateProblem& problem,
                                   std::span<const double> mu, std::span<double> theta, Workspace& scratch);

// Ω(μ) from Ω*: `at_vertices` where μ ∈ Y, else by `solve_dual`.
operations::SolvedValue solve_value(const AnyPolytope& polytope, const operations::ConjugateProblem& problem,
                                    double at_vertices, std::span<const double> mu);

// The two for an Ω with `double predict_and_conjugate(theta, out, scratch)`: Ω*(θ), and ŷ_Ω(θ) into out.
template <class R>
operations::SolvedValue solve_value_of(const R& omega, double at_vertices, std::span<const double> mu) {
  Workspace& scratch = thread_workspace();
  const auto conjugate = [&](std::span<const double> theta, std::span<double> out) {
    return omega.predict_and_conjugate(theta, out, scratch);
  };
  const auto jvp = [&](std::span<const double> theta, std::span<const double> prediction,
                       std::span<const double> v,
                       std::span<double> out) { omega.jvp(theta, prediction, v, out, scratch); };
  return solve_value(omega.polytope, {conjugate, jvp, omega.polytope.traits().masks}, at_vertices, mu);
}
template <class R>
Report prox_of(const R& omega, std::span<const double> eta, double tau, std::span<double> out,
               Workspace& scratch) {
  const auto conjugate = [&](std::span<const double> theta, std::span<double> prediction) {
    return omega.predict_and_conjugate(theta, prediction, scratch);
  };
  return operations::prox_by_moreau(conjugate, eta, tau, out, scratch);
}

// Whether, between a structure and the one that has the opposite scores, an entry changes from a value where
// `steep` says that Ω is infinitely so: no scores keep the prediction at such a structure.
bool leaves(const AnyPolytope& polytope, FunctionRef<bool(double)> steep);

// The structured margin of Ω by search.
template <class R>
std::optional<double> margin_of(const R& omega, const MarginFacts& facts) {
  Workspace& scratch = thread_workspace();
  return search_structured_margin(
      omega.polytope,
      [&](std::span<const double> theta, std::span<const double>, std::span<double> mu) {
        omega.predict(theta, mu, scratch);
      },
      facts);
}

}  // namespace fenchel::structured
