// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/conic.hpp"

#include <algorithm>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/pooled.hpp"
#include "fenchel/polytopes/all.hpp"
#include "fenchel/solvers/conditional_gradient.hpp"
#include "regularizers/structured_tools.hpp"

namespace fenchel {

std::vector<Conic> Conic::examples() { return {{Sequence{3, 2}}, {Arborescence{3}}, {Simplex{4}}}; }

void Conic::check() const { structured::check_polytope(traits.name, polytope); }

void Conic::check_point(std::string_view name, std::span<const double> mu) const {
  check_size(name, mu.size(), polytope.dimension());
}

double Conic::value(std::span<const double> mu) const { return 0.5 * dot_masked(mu, mu); }

Report Conic::mixture(std::span<const double> theta, Mixture& mixture, std::span<double> out,
                      Workspace& scratch) const {
  const auto objective = [&](std::span<const double> mu, std::span<double> gradient) {
    for (std::size_t j = 0; j < mu.size(); ++j) gradient[j] = mu[j] - theta[j];
    return 0.5 * dot_masked(mu, mu) - dot_masked(theta, mu);
  };
  const auto oracle = [&](std::span<const double> scores, Structure& best) {
    return polytope.map(scores, best, scratch);
  };
  // As for the Kullback-Leibler projection by conditional gradient: beyond some hundreds of structures each
  // call costs too much, and the report states what is left to gain.
  constexpr int most_calls = 300;
  return ConditionalGradient{.max_iterations = most_calls}.minimize_over_cone(objective, oracle, mixture, out,
                                                                              scratch);
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
  // The projection onto the span of the structures is that onto the differences from one more, the zero
  // vector.
  combination.structures.resize(combination.size());
  combination.structures.emplace_back();
  combination.weights.push_back(1);
  active_set_jvp(combination, v, out, scratch);
}

}  // namespace fenchel
