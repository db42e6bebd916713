// SPDX-License-Identifier: Apache-2.0
#include "core/wright_omega.hpp"

#include <cmath>

namespace fenchel {

double wright_omega(double x) {
  // Newton converges quadratically from these starts; the counts reach the last bit (checked in the tests).
  constexpr int steps = 6;
  if (x <= 1) {
    // On y = log ω, where y + e^y = x: keeps the relative accuracy of a tiny ω.
    double y = x <= -1 ? x - std::exp(x) : 0.5 * (x - 1);
    for (int i = 0; i < steps; ++i) {
      const double e = std::exp(y);
      y -= (y + e - x) / (1 + e);
    }
    return std::exp(y);
  }
  double w = x - std::log(x) * (x / (x + 1));
  for (int i = 0; i < steps; ++i) w -= (w + std::log(w) - x) * (w / (w + 1));
  return w;
}

}  // namespace fenchel
