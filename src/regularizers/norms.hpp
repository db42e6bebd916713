// SPDX-License-Identifier: Apache-2.0
// ‖p‖_q without overflow or underflow.
#pragma once

#include <cmath>
#include <span>

#include "fenchel/core/numeric.hpp"

namespace fenchel {

/// ‖p‖_q for p ≥ 0 and 1 ≤ q ≤ ∞.
inline double norm(std::span<const double> p, double q) {
  const double top = max_of(p);
  if (q == infinity || top <= 0) return std::max(top, 0.0);
  double sum = 0;
  for (const double entry : p) sum += entry > 0 ? std::pow(entry / top, q) : 0;
  return top * std::pow(sum, 1 / q);
}

}  // namespace fenchel
