// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/projections.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "fenchel/core/numeric.hpp"
#include "kernels/rows.hpp"

namespace fenchel {

void project_simplex(std::span<double> point) {
  const MatrixView<double> row(point.data(), 1, point.size());
  if (kernels::sparsemax(row, row, {}) == 0) {
    throw std::invalid_argument(
        "point has no finite entry, or one that is nan or +inf; it has no projection");
  }
}

void project_simplex_kl(std::span<double> point) {
  const double sum = sum_of(point);
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw std::invalid_argument("point sums to " + std::to_string(sum) +
                                "; expected a positive finite measure");
  }
  for (double& entry : point) entry /= sum;
}

void project_box(std::span<double> point, double lower, double upper) {
  for (double& entry : point) entry = std::clamp(entry, lower, upper);
}

void project_ball(std::span<double> point, double radius) {
  const double top = std::max(max_of(point), -*std::ranges::min_element(point));
  if (top == 0) return;
  double sum = 0;  // scaled by the largest entry: no overflow
  for (const double entry : point) sum += (entry / top) * (entry / top);
  const double length = top * std::sqrt(sum);
  if (length <= radius) return;
  for (double& entry : point) entry *= radius / length;
}

}  // namespace fenchel
