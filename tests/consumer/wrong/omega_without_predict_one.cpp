// SPDX-License-Identifier: Apache-2.0
// expected: this Omega lacks: double predict_one(
#include <fenchel/fenchel.hpp>

struct Own {
  static constexpr fenchel::Traits traits{.name = "own"};
  double phi(double m) const { return m * m / 2; }
};

const fenchel::FenchelYoungLoss loss{Own{}};
