// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/separable.hpp"

#include <cmath>
#include <stdexcept>

#include "fenchel/core/numeric.hpp"
#include "regularizers/simplex_tools.hpp"
#include "solvers/threshold.hpp"

namespace fenchel {

void Separable::check() const {
  if (!g || !g_prime) throw std::invalid_argument("separable: g and g_prime must be set");
  if (!std::isfinite(g_prime(1))) {
    throw std::invalid_argument("g_prime is not finite at 1; expected a g that is differentiable on (0, 1]");
  }
  if (!(g_prime(1) > g_prime(0.5))) {
    throw std::invalid_argument("g_prime does not increase from 0.5 to 1; expected a strictly convex g");
  }
  if (method == RootMethod::newton) {
    throw std::invalid_argument("method is newton; expected bisection or toms748 (g'' is not known)");
  }
}

Traits Separable::refined_traits() const {
  Traits refined = traits;
  refined.sparse = std::isfinite(g_prime(0));
  refined.zero_at_vertices = g(0) == 0 && g(1) == 0;
  refined.legendre = !refined.sparse;
  return refined;
}

double Separable::value(std::span<const double> p) const {
  double sum = 0;
  for (const double entry : p) sum += g(entry);
  return sum;
}

// argmax ⟨θ, p⟩ − Σ (ridge/2) p² + τ g(p).
Report Separable::solve(std::span<const double> theta, double ridge, double tau,
                        std::span<double> out) const {
  const double at_zero = tau * g_prime(0);
  const double at_one = ridge + tau * g_prime(1);
  auto curve = [&](double x) {
    if (!(x > at_zero)) return RootSample{};
    if (x >= at_one) return RootSample{1, 0};
    if (ridge == 0 && inverse) return RootSample{inverse(x / tau), 0};
    auto excess = [&](double t) { return RootSample{x - ridge * t - tau * g_prime(t), 0}; };
    return RootSample{find_root(excess, 0, 1).x, 0};
  };
  const double top = max_of(theta);
  const double share = 1 / static_cast<double>(simplex::count_finite(theta));
  return solve_threshold(theta, curve, top - at_one, top - (ridge * share + tau * g_prime(share)), out,
                         {.method = method})
      .report;
}

Report Separable::predict(std::span<const double> theta, std::span<double> out, Workspace&) const {
  return solve(theta, 0, 1, out);
}

void Separable::gradient(std::span<const double> p, std::span<double> out) const {
  for (std::size_t j = 0; j < p.size(); ++j) out[j] = g_prime(p[j]);
}

Report Separable::prox(std::span<const double> eta, double tau, std::span<double> out, Workspace&) const {
  if (tau == 0) {
    simplex::project(eta, out);
    return {};
  }
  return solve(eta, 1, tau, out);
}

std::optional<double> Separable::margin(std::size_t) const {
  const double at_zero = g_prime(0);
  if (!std::isfinite(at_zero)) return std::nullopt;
  return g_prime(1) - at_zero;
}

}  // namespace fenchel
