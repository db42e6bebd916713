// SPDX-License-Identifier: Apache-2.0
// A function on which minimizers are tried.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace fenchel::test {

/// 1 + Σ of log cosh along skewed directions: smooth, convex, badly scaled.
inline double valley(std::span<const double> x, std::span<double> gradient) {
  double total = 1;  // the scale of its roundings
  std::ranges::fill(gradient, 0.0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double scale = std::pow(1.5, static_cast<double>(j % 12));
    const double u = scale * (x[j] - (j > 0 ? 0.5 * x[j - 1] : 1));
    total += std::log(std::cosh(u));
    gradient[j] += scale * std::tanh(u);
    if (j > 0) gradient[j - 1] -= 0.5 * scale * std::tanh(u);
  }
  return total;
}

}  // namespace fenchel::test
