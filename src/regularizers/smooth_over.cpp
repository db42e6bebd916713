// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/smooth_over.hpp"

#include <stdexcept>

#include "core/pooled.hpp"
#include "fenchel/core/numeric.hpp"
#include "regularizers/structured_tools.hpp"

namespace fenchel {

void SmoothOver::check() const {
  if (!function) throw std::invalid_argument("smooth_over: function must be set");
  structured::check_polytope(traits.name, polytope);
}

double SmoothOver::value(std::span<const double> mu) const {
  const Workspace::Frame frame(thread_workspace());
  return function(mu, thread_workspace().take<double>(mu.size()));
}

void SmoothOver::gradient(std::span<const double> mu, std::span<double> out) const { function(mu, out); }

Report SmoothOver::solve(std::span<const double> theta, double ridge, double tau, Mixture& mixture,
                         std::span<double> out, Workspace& scratch) const {
  const auto objective = [&](std::span<const double> mu, std::span<double> gradient) {
    double total = tau * function(mu, gradient);
    for (std::size_t j = 0; j < mu.size(); ++j) {
      gradient[j] = tau * gradient[j] + ridge * mu[j] - theta[j];
      if (theta[j] != -infinity) total += mu[j] * (0.5 * ridge * mu[j] - theta[j]);
    }
    return total;
  };
  const auto oracle = [&](std::span<const double> scores, Structure& best) {
    return polytope.map(scores, best, scratch);
  };
  const Report report = solver.minimize(objective, oracle, mixture, out, scratch);
  if (report.residual == infinity) polytope.reject_masked();
  return report;
}

Report SmoothOver::mixture(std::span<const double> theta, Mixture& mixture, std::span<double> out,
                           Workspace& scratch) const {
  return solve(theta, 0, 1, mixture, out, scratch);
}

Report SmoothOver::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Pooled<Mixture> combination;
  combination->weights.clear();
  return solve(theta, 0, 1, *combination, out, scratch);
}

Report SmoothOver::prox(std::span<const double> eta, double tau, std::span<double> out,
                        Workspace& scratch) const {
  const Pooled<Mixture> combination;
  combination->weights.clear();
  return solve(eta, 1, tau, *combination, out, scratch);
}

std::optional<double> SmoothOver::margin(std::size_t) const {
  return structured::margin_of(*this, {.differentiable = true});
}

}  // namespace fenchel
