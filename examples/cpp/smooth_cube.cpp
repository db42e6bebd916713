// SPDX-License-Identifier: Apache-2.0
// Your own smooth Ω over the cube [0, 1]^d from its value and gradient: labels that are not exclusive, with a
// price on how many are on. Ω(μ) = ½‖μ‖² + (c/2)(Σ μ_j)², c = 0.2.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "fenchel/fenchel.hpp"

int main() {
  constexpr double price = 0.2;
  const auto few_labels = [](std::span<const double> mu, std::span<double> gradient) {
    double count = 0, squares = 0;
    for (const double entry : mu) count += entry, squares += entry * entry;
    for (std::size_t j = 0; j < mu.size(); ++j) gradient[j] = mu[j] + price * count;
    return 0.5 * squares + 0.5 * price * count * count;
  };
  const fenchel::FenchelYoungLoss loss{
      fenchel::Smooth{.function = few_labels, .domain = fenchel::Domain::cube}};
  const std::vector<double> theta{2.0, 0.9, 0.7, -0.5};
  const std::vector<double> y{1.0, 1.0, 0.0, 0.0};
  const std::vector<double> mu = loss.predict(theta);
  std::printf("predict %g %g %g %g, loss %g\n", mu[0], mu[1], mu[2], mu[3], loss.value(theta, y));

  // Optimal iff every coordinate is, given the others: μ_j = clip(θ_j − c Σ μ, 0, 1).
  double count = 0;
  for (const double entry : mu) count += entry;
  bool right = true;
  for (std::size_t j = 0; j < mu.size(); ++j) {
    right = right && std::abs(mu[j] - std::clamp(theta[j] - price * count, 0.0, 1.0)) < 1e-9;
  }
  return right ? 0 : 1;
}
