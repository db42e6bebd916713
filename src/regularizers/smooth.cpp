// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/smooth.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "regularizers/simplex_tools.hpp"

namespace fenchel {

void Smooth::check() const {
  if (!function) throw std::invalid_argument("smooth: function must be set");
  if (domain == Domain::polytope)
    throw std::invalid_argument("domain is conv(Y); expected R^d, simplex, cube or cone");
}

Traits Smooth::refined_traits() const {
  Traits refined = traits;
  refined.domain = domain;
  return refined;
}

double Smooth::value(std::span<const double> mu) const {
  const Workspace::Frame frame(thread_workspace());
  return function(mu, thread_workspace().take<double>(mu.size()));
}

void Smooth::gradient(std::span<const double> mu, std::span<double> out) const { function(mu, out); }

// argmin (ridge/2)‖μ‖² + τΩ(μ) − ⟨θ, μ⟩ over the domain.
Report Smooth::solve(std::span<const double> theta, double ridge, double tau, std::span<double> out,
                     Workspace& scratch) const {
  auto objective = [&](std::span<const double> mu, std::span<double> gradient) {
    double total = tau * function(mu, gradient);
    for (std::size_t j = 0; j < mu.size(); ++j) {
      if (theta[j] == -infinity) {
        gradient[j] = 0;  // held at 0 by the projection
        continue;
      }
      gradient[j] = tau * gradient[j] + ridge * mu[j] - theta[j];
      total += mu[j] * (0.5 * ridge * mu[j] - theta[j]);
    }
    return total;
  };
  auto project = [&](std::span<double> mu) {
    for (std::size_t j = 0; j < mu.size(); ++j) {
      if (theta[j] == -infinity) mu[j] = domain == Domain::simplex ? -infinity : 0;
    }
    if (domain == Domain::simplex) simplex::project(mu, mu);
    if (domain == Domain::cone || domain == Domain::cube) {
      for (double& entry : mu) entry = std::max(entry, 0.0);
    }
    if (domain == Domain::cube) {
      for (double& entry : mu) entry = std::min(entry, 1.0);
    }
  };
  std::ranges::fill(out, domain == Domain::reals ? 0.0 : 0.5);
  return solver.minimize(objective, project, out, scratch);
}

Report Smooth::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  return solve(theta, 0, 1, out, scratch);
}

Report Smooth::prox(std::span<const double> eta, double tau, std::span<double> out,
                    Workspace& scratch) const {
  return solve(eta, 1, tau, out, scratch);
}

std::optional<double> Smooth::margin(std::size_t d) const {
  if (domain != Domain::simplex) return std::nullopt;
  std::vector<double> vertex(d, 0.0);
  std::vector<double> slope(d);
  double margin = 0;
  for (std::size_t k = 0; k < d; ++k) {
    vertex[k] = 1;
    function(vertex, slope);
    for (std::size_t j = 0; j < d; ++j) {
      if (j != k) margin = std::max(margin, slope[k] - slope[j]);
    }
    vertex[k] = 0;
  }
  return std::isfinite(margin) ? std::optional(margin) : std::nullopt;
}

}  // namespace fenchel
