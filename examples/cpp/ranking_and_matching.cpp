// SPDX-License-Identifier: Apache-2.0
// Rankings live in a permutahedron, matchings in the Birkhoff polytope: projections give differentiable
// rankings and soft matchings, and the losses that go with them (paper §7.3).
#include <cmath>
#include <cstdio>
#include <vector>

#include "fenchel/fenchel.hpp"

int main() {
  // The best of three gets 3, the worst 1; the truth is (2, 1, 3).
  const fenchel::Permutahedron ranks{{3, 2, 1}};
  const std::vector<double> theta{2.1, 1.9, 3.0}, truth{2, 1, 3};
  const fenchel::FenchelYoungLoss hard{fenchel::Map{ranks}};
  const fenchel::FenchelYoungLoss soft{fenchel::SparseMap{ranks}};
  const auto mu = soft.predict(theta);
  std::printf("ranks %.2f %.2f %.2f, perceptron %.3f, projection loss %.3f\n", mu[0], mu[1], mu[2],
              hard.value(theta, truth), soft.value(theta, truth));

  // A matching of two to two: entropic (Sinkhorn) and Euclidean.
  const fenchel::Birkhoff pairs{2};
  const std::vector<double> similarity{1.0, 0.2, 0.4, 0.8};
  const auto sinkhorn = fenchel::FenchelYoungLoss{fenchel::Entropic{pairs}}.predict(similarity);
  const auto euclidean = fenchel::FenchelYoungLoss{fenchel::SparseMap{pairs}}.predict(similarity);
  std::printf("Sinkhorn %.4f, Euclidean %.4f\n", sinkhorn[0], euclidean[0]);
  const double expected = 1 / (1 + std::exp(-(1.0 + 0.8 - 0.2 - 0.4) / 2));
  const bool right = hard.value(theta, truth) == 0 && std::abs(sinkhorn[0] - expected) < 1e-9 &&
                     std::abs(euclidean[0] - 0.8) < 1e-9;
  return right ? 0 : 1;
}
