// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/structured_margin.hpp"

#include <algorithm>

#include "fenchel/core/check.hpp"

namespace fenchel {

std::optional<double> structured_margin(const AnyRegularizer& omega, const AnyPolytope& polytope,
                                        const Cost& cost) {
  if (const auto d = omega.dimension()) check_size("polytope", polytope.dimension(), *d);
  Workspace& scratch = thread_workspace();
  const auto predict = [&](std::span<const double> theta, std::span<const double> y, std::span<double> mu) {
    const Workspace::Frame frame(scratch);
    const auto augmented = scratch.take<double>(theta.size());
    std::ranges::fill(augmented, 0.0);
    if (!cost.empty()) cost.write(y, augmented);
    for (std::size_t j = 0; j < theta.size(); ++j) augmented[j] += theta[j];
    omega.predict(augmented, mu, scratch);
  };
  return structured_margin(polytope, predict);
}

}  // namespace fenchel
