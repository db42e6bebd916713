// SPDX-License-Identifier: Apache-2.0
#include "solvers/threshold.hpp"

#include <algorithm>

#include "fenchel/core/numeric.hpp"

namespace fenchel {

namespace {

// Σ_j curve(θ_j − τ) − wanted. Compensated: with many classes the rounding of a plain sum would be the
// largest error.
RootSample excess(std::span<const double> theta, ThresholdCurve curve, double tau, double wanted) {
  CompensatedSum total(-wanted);
  double slope = 0;
  for (const double score : theta) {
    if (score == -infinity) continue;
    const RootSample term = curve(score - tau);
    total += term.value;
    slope -= term.slope;
  }
  return {total.value(), slope};
}

}  // namespace

Root solve_threshold(std::span<const double> theta, ThresholdCurve curve, double lower, double upper,
                     std::span<double> p, const RootOptions& options, double total) {
  const auto at = [&](double tau) { return excess(theta, curve, tau, total); };
  const Root root = find_root(at, lower, upper, options);
  const double at_lower = at(root.lower).value;
  const double at_upper = at(root.upper).value;
  const double weight = at_lower > at_upper ? -at_upper / (at_lower - at_upper) : 0;
  CompensatedSum sum;
  double lowest = infinity;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const double score = theta[j];  // read once: p may be the same memory
    if (score == -infinity) {
      p[j] = 0;
      continue;
    }
    const double high = curve(score - root.upper).value;
    p[j] = high;
    if (weight > 0) p[j] += weight * (curve(score - root.lower).value - high);
    sum += p[j];
    lowest = std::min(lowest, p[j]);
  }
  // What rounding left, in proportion; where entries of both signs cancel, that could be a large change.
  const double scale = lowest >= 0 && total > 0 ? sum.value() / total : 1;
  for (double& entry : p) entry /= scale;
  return root;
}

}  // namespace fenchel
