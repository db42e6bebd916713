// SPDX-License-Identifier: Apache-2.0
// expected: this Omega lacks: static constexpr fenchel::Traits traits
#include <span>

#include "fenchel/fenchel.hpp"

struct Mine {
  fenchel::Traits traits{.name = "mine"};  // not static
  double value(std::span<const double>) const { return 0; }
  void predict(std::span<const double>, std::span<double>, fenchel::Workspace&) const {}
};

fenchel::FenchelYoungLoss loss{Mine{}};
