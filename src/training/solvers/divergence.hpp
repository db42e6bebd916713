// SPDX-License-Identifier: Apache-2.0
// When training has left the range of floating point: the one judgement that all algorithms share.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "fenchel/core/numeric.hpp"
#include "fenchel/training/algorithm.hpp"

namespace fenchel {

/// Whether a step has led to NaN or infinite values. A residual may be infinite and a lower bound −inf while
/// they are not known yet.
inline bool diverged(const StepReport& last_step, std::span<const double> parameters) {
  if (!std::isfinite(last_step.objective) || std::isnan(last_step.residual)) return true;
  if (last_step.dual && !(*last_step.dual < infinity)) return true;
  return !std::ranges::all_of(parameters, [](double entry) { return std::isfinite(entry); });
}

}  // namespace fenchel
