// SPDX-License-Identifier: Apache-2.0
// Hinge losses are perceptron losses with a cost: L(θ; k) = max_j (c_kj + θ_j) − θ_k. The cost is 0/1, a
// matrix with a row for each label, or a callable of the target. Predictions leave it out.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "fenchel/fenchel.hpp"

int main() {
  const fenchel::FenchelYoungLoss perceptron{fenchel::Argmax{}};
  const std::vector<std::vector<double>> matrix{{0, 1, 4}, {1, 0, 2}, {4, 2, 0}};
  // With a distance between classes, known only as a function of the target y.
  const fenchel::Cost callable{[](std::span<const double> y, std::span<double> cost) {
    const auto truth = std::ranges::find(y, 1.0) - y.begin();
    for (std::size_t j = 0; j < cost.size(); ++j)
      cost[j] = std::abs(static_cast<double>(j) - static_cast<double>(truth));
  }};
  const auto hinge = perceptron.with_cost(fenchel::zero_one_cost());
  const auto weighted = perceptron.with_cost(matrix);
  const auto ordinal = perceptron.with_cost(callable);

  const std::vector<double> theta{0.9, 1.1, -0.4};
  bool right = hinge.predict(theta) == perceptron.predict(theta);
  for (int k = 0; k < 3; ++k) {
    double expected[3] = {-1e300, -1e300, -1e300};
    for (int j = 0; j < 3; ++j) {
      const double score = theta[static_cast<std::size_t>(j)];
      expected[0] = std::max(expected[0], (j == k ? 0 : 1) + score);
      expected[1] =
          std::max(expected[1], matrix[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)] + score);
      expected[2] = std::max(expected[2], std::abs(j - k) + score);
    }
    const double got[3] = {hinge.value(theta, k), weighted.value(theta, k), ordinal.value(theta, k)};
    std::printf("label %d: hinge %g, by matrix %g, by callable %g\n", k, got[0], got[1], got[2]);
    for (int i = 0; i < 3; ++i) {
      right = right && std::abs(got[i] - (expected[i] - theta[static_cast<std::size_t>(k)])) < 1e-12;
    }
  }
  return right ? 0 : 1;
}
