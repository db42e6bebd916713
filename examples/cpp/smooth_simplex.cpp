// SPDX-License-Identifier: Apache-2.0
// Your own smooth Ω over the simplex from its value and gradient; predictions come from projected gradient
// (FISTA). Here Ω(p) = ½ pᵀ A p, which couples the classes through A = [[2, 1], [1, 3]].
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "fenchel/fenchel.hpp"

int main() {
  const auto quadratic = [](std::span<const double> p, std::span<double> gradient) {
    gradient[0] = 2 * p[0] + p[1];
    gradient[1] = p[0] + 3 * p[1];
    return 0.5 * (p[0] * gradient[0] + p[1] * gradient[1]);
  };
  const fenchel::FenchelYoungLoss loss{fenchel::Smooth{.function = quadratic}};

  bool right = true;
  for (const double gap : {-3.0, -0.5, 0.0, 0.4, 2.0}) {
    const std::vector<double> theta{gap, 0.0};
    std::vector<double> p(2);
    const fenchel::Report report = loss.predict(theta, p);
    std::printf("gap %4g: predict %g %g after %d steps\n", gap, p[0], p[1], report.iterations);
    // Along p = (t, 1 − t) the objective is a parabola with its top at t = (2 + gap)/3.
    right = right && report.converged() && std::abs(p[0] - std::clamp((2 + gap) / 3, 0.0, 1.0)) < 1e-9;
  }
  return right ? 0 : 1;
}
