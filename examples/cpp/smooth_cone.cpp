// SPDX-License-Identifier: Apache-2.0
// Your own smooth Ω over the cone R^d_+ from its value and gradient: non-negative amounts whose neighbours
// should be alike. Ω(m) = ½‖m‖² + (c/2) Σ (m_{j+1} − m_j)², c = 3.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "fenchel/fenchel.hpp"

int main() {
  constexpr double stiffness = 3;
  const auto alike = [](std::span<const double> m, std::span<double> gradient) {
    double value = 0;
    for (std::size_t j = 0; j < m.size(); ++j) value += 0.5 * m[j] * m[j], gradient[j] = m[j];
    for (std::size_t j = 0; j + 1 < m.size(); ++j) {
      const double step = m[j + 1] - m[j];
      value += 0.5 * stiffness * step * step;
      gradient[j + 1] += stiffness * step;
      gradient[j] -= stiffness * step;
    }
    return value;
  };
  const fenchel::FenchelYoungLoss loss{fenchel::Smooth{.function = alike, .domain = fenchel::Domain::cone}};
  const std::vector<double> theta{-9.0, 1.0, 6.0, 2.0};
  const std::vector<double> m = loss.predict(theta);
  std::printf("predict %g %g %g %g\n", m[0], m[1], m[2], m[3]);

  // Optimal iff every coordinate is, given its neighbours: m_j = [(θ_j + c Σ_neighbours m)/(1 + c n_j)]₊.
  bool right = m[0] == 0;
  for (std::size_t j = 0; j < m.size(); ++j) {
    const double left = j > 0 ? m[j - 1] : 0, next = j + 1 < m.size() ? m[j + 1] : 0;
    const double neighbours = (j > 0 ? 1 : 0) + (j + 1 < m.size() ? 1 : 0);
    const double best = (theta[j] + stiffness * (left + next)) / (1 + stiffness * neighbours);
    right = right && std::abs(m[j] - std::max(best, 0.0)) < 1e-9;
  }
  return right ? 0 : 1;
}
