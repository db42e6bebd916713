// SPDX-License-Identifier: Apache-2.0
// expected: this Omega lacks: double value(
#include <fenchel/fenchel.hpp>

struct Own {
  static constexpr fenchel::Traits traits{.name = "own"};
  void predict(std::span<const double>, std::span<double> out, fenchel::Workspace&) const { out[0] = 1; }
};

const fenchel::FenchelYoungLoss loss{Own{}};
