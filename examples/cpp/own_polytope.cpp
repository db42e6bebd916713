// SPDX-License-Identifier: Apache-2.0
// A set of structures of your own, known only by its MAP oracle: subsets of items in a row that take no two
// neighbours. SparseMAP prediction, loss, gradient and Jacobian products follow.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "fenchel/fenchel.hpp"

// Subsets of {0, …, d − 1} without neighbours, by dynamic programming.
struct WithoutNeighbours {
  std::size_t d = 1;

  static constexpr fenchel::PolytopeTraits traits{.name = "without_neighbours", .sphere = false};
  std::size_t dimension() const { return d; }
  void map(std::span<const double> theta, std::span<double> vertex) const {
    std::vector<double> best(d + 2, 0.0);  // best[j]: of the items from j on
    for (std::size_t j = d; j-- > 0;) best[j] = std::max(best[j + 1], theta[j] + best[j + 2]);
    for (std::size_t j = 0; j < d; ++j) {
      const bool taken = theta[j] + best[j + 2] > best[j + 1] && (j == 0 || vertex[j - 1] == 0);
      vertex[j] = taken ? 1 : 0;
    }
  }
};

int main() {
  const fenchel::FenchelYoungLoss loss{fenchel::SparseMap{WithoutNeighbours{5}}};
  const std::vector<double> theta{0.6, 0.8, 0.5, 0.1, 0.9}, y{0, 1, 0, 0, 1};
  std::vector<double> gradient(5);
  const double value = loss.value_and_gradient(theta, y, gradient);
  const auto mu = loss.predict(theta);
  std::printf("loss %.4f, prediction", value);
  bool right = value > 0;
  for (std::size_t j = 0; j < 5; ++j) {
    std::printf(" %.3f", mu[j]);
    right = right && std::abs(gradient[j] - (mu[j] - y[j])) < 1e-15;
    right = right && (j == 0 || mu[j] + mu[j - 1] < 1 + 1e-9);  // as every structure does, so does a mixture
  }
  std::printf("\n");
  return right ? 0 : 1;
}
