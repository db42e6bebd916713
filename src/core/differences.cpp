// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/differences.hpp"

#include <algorithm>
#include <cmath>

namespace fenchel {

void jvp_by_differences(VectorMap map, std::span<const double> theta, std::span<const double> v,
                        std::span<double> out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const std::size_t d = theta.size();
  const auto at = scratch.take<double>(d);
  const auto below = scratch.take<double>(d);
  double size = 0;
  for (const double entry : v) size = std::isfinite(entry) ? std::max(size, std::abs(entry)) : size;
  if (size == 0) return std::ranges::fill(out, 0.0), void();
  const double step = difference_step / size;
  for (std::size_t j = 0; j < d; ++j) at[j] = theta[j] - step * v[j];
  map(at, below);
  for (std::size_t j = 0; j < d; ++j) at[j] = theta[j] + step * v[j];
  map(at, out);
  for (std::size_t j = 0; j < d; ++j) out[j] = (out[j] - below[j]) / (2 * step);
}

}  // namespace fenchel
