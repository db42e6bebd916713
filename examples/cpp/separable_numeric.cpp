// SPDX-License-Identifier: Apache-2.0
// Your own uniformly separable Ω(p) = Σ g(p_j) on the simplex when g' has no handy inverse: leave `inverse`
// out, and it is found numerically. Here g(t) = t eᵗ, g'(t) = (1 + t) eᵗ.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "fenchel/fenchel.hpp"

int main() {
  const auto g_prime = [](double t) { return (1 + t) * std::exp(t); };
  const fenchel::FenchelYoungLoss loss{
      fenchel::Separable{.g = [](double t) { return t * std::exp(t); }, .g_prime = g_prime}};
  const std::vector<double> theta{1.5, 1.0, 0.2, -2.0};
  const std::vector<double> p = loss.predict(theta);
  std::printf("predict %g %g %g %g, margin %g\n", p[0], p[1], p[2], p[3], *loss.margin(4));

  // Optimal iff θ_j − g'(p_j) is the same τ wherever p_j > 0 and at most τ elsewhere, and Σ p = 1.
  const double tau = theta[0] - g_prime(p[0]);
  double sum = 0;
  bool right = std::abs(*loss.margin(4) - (2 * std::numbers::e - 1)) < 1e-12;  // g'(1) − g'(0)
  for (std::size_t j = 0; j < p.size(); ++j) {
    const double slack = tau - (theta[j] - g_prime(p[j]));
    right = right && (p[j] > 0 ? std::abs(slack) < 1e-12 : slack > 0);
    sum += p[j];
  }
  return right && p[3] == 0 && std::abs(sum - 1) < 1e-12 ? 0 : 1;
}
