// SPDX-License-Identifier: Apache-2.0
// expected: this Omega lacks: static constexpr fenchel::Traits traits
#include <fenchel/fenchel.hpp>

struct Own {
  double value(std::span<const double> mu) const { return mu[0]; }
  void predict(std::span<const double>, std::span<double> out, fenchel::Workspace&) const { out[0] = 1; }
};

const fenchel::FenchelYoungLoss loss{Own{}};
