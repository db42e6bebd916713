// SPDX-License-Identifier: Apache-2.0
// Predicts with sparsemax: a gap of 3 is beyond its margin of 1, so all the mass is on the first class.
#include <array>
#include <cstdio>

#include "fenchel/fenchel.hpp"

int main() {
  const std::array<double, 3> theta{0.0, -3.0, -3.0};
  std::array<double, 3> prediction{};
  fenchel::Workspace scratch;
  fenchel::Tsallis{.alpha = 2}.predict(theta, prediction, scratch);
  std::printf("fenchel %s: %g %g %g\n", FENCHEL_VERSION, prediction[0], prediction[1], prediction[2]);
  return prediction == std::array<double, 3>{1.0, 0.0, 0.0} ? 0 : 1;
}
