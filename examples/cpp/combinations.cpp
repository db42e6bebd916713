// SPDX-License-Identifier: Apache-2.0
// New regularizers from old ones: a temperature, a restriction to a convex set by Bregman projection, and the
// sum of two.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "fenchel/fenchel.hpp"

namespace {

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t j = 0; j < a.size(); ++j) largest = std::max(largest, std::abs(a[j] - b[j]));
  return largest;
}

}  // namespace

int main() {
  const std::vector<double> theta{1.2, 0.8, -0.3};
  const fenchel::FenchelYoungLoss softmax{fenchel::Shannon{}};

  // t·Ω: ŷ(θ) = ŷ_Ω(θ/t).
  const fenchel::FenchelYoungLoss sharp{fenchel::Temperature{fenchel::Shannon{}, 0.5}};
  double worst = distance(sharp.predict(theta), softmax.predict(std::vector{2.4, 1.6, -0.6}));

  // Σ m log m − m on the cone, restricted to the simplex by the Kullback-Leibler projection, is the softmax.
  const fenchel::FenchelYoungLoss restricted{fenchel::Restriction{
      .psi = fenchel::Poisson{}, .project = fenchel::project_simplex_kl, .domain = fenchel::Domain::simplex}};
  worst = std::max(worst, distance(restricted.predict(theta), softmax.predict(theta)));

  // ½‖·‖² restricted to a set of your own, here the ball of radius 1: θ scaled down to length 1.
  const fenchel::FenchelYoungLoss ball{
      fenchel::Restriction{.psi = fenchel::Squared{},
                           .project = [](std::span<double> point) { fenchel::project_ball(point, 1); }}};
  const double length = std::hypot(1.2, 0.8, 0.3);
  worst = std::max(worst, distance(ball.predict(theta), {1.2 / length, 0.8 / length, -0.3 / length}));

  // ½‖·‖² + Φ: the prediction is prox_Φ(θ) (paper §2.3).
  const fenchel::FenchelYoungLoss sum{fenchel::Sum{.psi = fenchel::Squared{}, .phi = fenchel::Shannon{}}};
  std::vector<double> prox(theta.size());
  softmax.prox(theta, 1, prox);
  worst = std::max(worst, distance(sum.predict(theta), prox));

  std::printf("largest difference %g\n", worst);
  return worst < 1e-9 ? 0 : 1;
}
