// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/pairwise_hinge.hpp"

#include <algorithm>

#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/argmax.hpp"
#include "regularizers/pairwise_costs.hpp"
#include "regularizers/simplex_tools.hpp"

namespace fenchel {
namespace {

using pairwise::Kind;

// The traits with general costs: classes are no longer interchangeable, and ŷ solves a small dense programme.
Traits with_costs(Traits refined, const CostMatrix& costs) {
  refined.symmetric = costs.empty();
  refined.predict_by_search = refined.jvp_by_differences = !costs.empty();
  for (std::size_t k = 0; k < costs.size(); ++k) refined.zero_at_vertices &= costs[k][k] == 0;
  return refined;
}

}  // namespace

void PairwiseHinge::check() const { pairwise::check_costs(costs); }
void PairwiseSmoothedHinge::check() const { pairwise::check_costs(costs); }
void PairwiseSquaredHinge::check() const { pairwise::check_costs(costs); }
Traits PairwiseHinge::refined_traits() const { return with_costs(traits, costs); }
Traits PairwiseSmoothedHinge::refined_traits() const { return with_costs(traits, costs); }
Traits PairwiseSquaredHinge::refined_traits() const { return with_costs(traits, costs); }

double PairwiseHinge::value(std::span<const double> p) const {
  if (!costs.empty()) return pairwise::value(Kind::hinge, costs, p);
  return -static_cast<double>(p.size()) * (1 - max_of(p));
}

Report PairwiseHinge::predict(std::span<const double> theta, std::span<double> out,
                              Workspace& scratch) const {
  if (!costs.empty()) return pairwise::predict(Kind::hinge, costs, theta, out);
  const auto d = static_cast<double>(theta.size());
  auto objective = [d](double sum, std::size_t k) { return (sum - d) / static_cast<double>(k); };
  simplex::predict_uniform_top(theta, objective, out, scratch);
  return {};
}

void PairwiseHinge::gradient(std::span<const double> p, std::span<double> out) const {
  if (!costs.empty()) return pairwise::gradient(Kind::hinge, costs, p, out);
  const double top = max_of(p);
  const auto ties = static_cast<double>(std::ranges::count(p, top));
  for (std::size_t j = 0; j < p.size(); ++j) out[j] = p[j] == top ? static_cast<double>(p.size()) / ties : 0;
}

Report PairwiseHinge::prox(std::span<const double> eta, double tau, std::span<double> out, Workspace&) const {
  if (!costs.empty()) return pairwise::prox(Kind::hinge, costs, eta, tau, out);
  simplex::prox_of_max(eta, tau * static_cast<double>(eta.size()), out);
  return {};
}

void PairwiseHinge::jvp(std::span<const double> theta, std::span<const double> prediction,
                        std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  Argmax{}.jvp(theta, prediction, v, out,
               scratch);  // piecewise constant, also with general costs (a linear programme)
}

std::optional<double> PairwiseHinge::margin(std::size_t d) const {
  if (!costs.empty()) return pairwise::margin(Kind::hinge, costs, d);
  return static_cast<double>(d);
}

}  // namespace fenchel
