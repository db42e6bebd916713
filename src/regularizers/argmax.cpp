// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/argmax.hpp"

#include <algorithm>

#include "fenchel/polytopes/cube.hpp"
#include "fenchel/regularizers/map.hpp"
#include "regularizers/simplex_tools.hpp"

namespace fenchel {

void Argmax::predict(std::span<const double> theta, std::span<double> out, Workspace&) const {
  const auto top = std::ranges::max_element(theta) - theta.begin();
  std::ranges::fill(out, 0.0);
  out[static_cast<std::size_t>(top)] = 1;
}

void Argmax::gradient(std::span<const double>, std::span<double> out) const { std::ranges::fill(out, 0.0); }

Report Argmax::prox(std::span<const double> eta, double, std::span<double> out, Workspace&) const {
  simplex::project(eta, out);
  return {};
}

void Argmax::jvp(std::span<const double>, std::span<const double>, std::span<const double>,
                 std::span<double> out, Workspace&) const {
  std::ranges::fill(out, 0.0);  // ŷ is piecewise constant
}

AnyRegularizer Argmax::coordinatewise(std::size_t d) const { return Map{Cube{d}}; }

}  // namespace fenchel
