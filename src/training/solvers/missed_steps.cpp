// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/missed_steps.hpp"

#include <algorithm>
#include <cmath>

namespace fenchel {

MissedSteps::MissedSteps(const Penalty& penalty, double step, std::size_t examples)
    : step_(step), share_(penalty), decay_(1), threshold_(0), power_(examples + 1), sum_(examples + 1) {
  const auto n = static_cast<double>(std::max<std::size_t>(examples, 1));
  share_.l2 /= n;
  share_.l1 /= n;
  share_.group /= n;
  decay_ = 1 / (1 + step * share_.l2);
  threshold_ = step * share_.l1;
  power_[0] = 1;
  sum_[0] = 0;
  for (std::size_t m = 1; m <= examples; ++m) {
    power_[m] = power_[m - 1] * decay_;
    sum_[m] = sum_[m - 1] + power_[m];
  }
}

// m steps w ← ρ (w − slope).
double MissedSteps::after(double w, double slope, std::uint64_t m) const {
  return power_[m] * w - slope * sum_[m];
}

// m steps w ← ρ soft(w − slope, threshold). As long as the sign stays they are affine; how long it stays is
// found by bisection, because once w has changed its sign under the affine map it does not change back.
double MissedSteps::thresholded(double w, double slope, std::uint64_t m) const {
  while (m > 0) {
    const double sign = w != 0 ? std::copysign(1.0, w) : -std::copysign(1.0, slope);
    if (w == 0 && std::abs(slope) <= threshold_) return 0;
    const double push = slope + sign * threshold_;
    if (sign * after(w, push, m) > 0) return after(w, push, m);
    std::uint64_t stays = 0;
    std::uint64_t leaves = m;
    while (leaves - stays > 1) {
      const std::uint64_t middle = stays + (leaves - stays) / 2;
      (sign * after(w, push, middle) > 0 ? stays : leaves) = middle;
    }
    w = after(w, push, stays);
    // The step that leaves the sign behind, as it stands.
    const double moved = w - slope;
    w = decay_ * std::copysign(std::max(std::abs(moved) - threshold_, 0.0), moved);
    m -= leaves;
  }
  return w;
}

void MissedSteps::apply(std::uint64_t m, std::span<const double> a, std::span<double> w) const {
  if (share_.group > 0) {
    // A row that one step leaves at 0 stays there; else the norm of the row has no closed form.
    for (std::uint64_t t = 0; t < m; ++t) {
      const bool zero = std::ranges::all_of(w, [](double entry) { return entry == 0; });
      for (std::size_t k = 0; k < w.size(); ++k) w[k] -= step_ * a[k];
      shrink(w);
      if (zero && std::ranges::all_of(w, [](double entry) { return entry == 0; })) return;
    }
    return;
  }
  if (threshold_ > 0) {
    for (std::size_t k = 0; k < w.size(); ++k) w[k] = thresholded(w[k], step_ * a[k], m);
    return;
  }
  const double power = power_[m];
  const double sum = step_ * sum_[m];
  for (std::size_t k = 0; k < w.size(); ++k) w[k] = power * w[k] - sum * a[k];
}

void MissedSteps::shrink(std::span<double> w) const { share_.full_prox(step_, w.size(), w); }

}  // namespace fenchel
