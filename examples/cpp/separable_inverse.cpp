// SPDX-License-Identifier: Apache-2.0
// Your own uniformly separable Ω(p) = Σ g(p_j) on the simplex, from g, g' and the inverse of g'.
// Here the entropy is Σ log(1 + p_j): g(t) = −log(1 + t), g'(t) = −1/(1 + t), (g')⁻¹(x) = −1/x − 1.
#include <cmath>
#include <cstdio>
#include <vector>

#include "fenchel/fenchel.hpp"

int main() {
  const fenchel::FenchelYoungLoss loss{fenchel::Separable{.g = [](double t) { return -std::log1p(t); },
                                                          .g_prime = [](double t) { return -1 / (1 + t); },
                                                          .inverse = [](double x) { return -1 / x - 1; }}};
  const std::vector<double> theta{0.3, 0.1};
  const std::vector<double> p = loss.predict(theta);
  std::printf("predict %g %g, loss %g, margin %g\n", p[0], p[1], loss.value(theta, 0), *loss.margin(2));

  // For two classes the threshold solves 1/a + 1/(a + gap) = 3, a quadratic; then p_0 = 1/a − 1.
  const double gap = theta[0] - theta[1];
  const double a = (2 - 3 * gap + std::sqrt((2 - 3 * gap) * (2 - 3 * gap) + 12 * gap)) / 6;
  const bool right = std::abs(p[0] - (1 / a - 1)) < 1e-12 && std::abs(p[0] + p[1] - 1) < 1e-12;
  return right && std::abs(*loss.margin(2) - 0.5) < 1e-12 ? 0 : 1;  // the margin is g'(1) − g'(0)
}
