// SPDX-License-Identifier: Apache-2.0
// expected: this Omega lacks: void predict(
#include <fenchel/fenchel.hpp>

struct Own {
  static constexpr fenchel::Traits traits{.name = "own"};
  double value(std::span<const double> mu) const { return mu[0]; }
};

const fenchel::FenchelYoungLoss loss{Own{}};
