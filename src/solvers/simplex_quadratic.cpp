// SPDX-License-Identifier: Apache-2.0
#include "solvers/simplex_quadratic.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "solvers/lapack.hpp"

namespace fenchel {
namespace {

// The weight of ½‖w − before‖², relative to the mean of Q's diagonal and to the largest |a|, and by how much
// it grows where rounding made a system singular.
constexpr double proximity_to_q = 1e-13;
constexpr double proximity_to_a = 1e-14;
constexpr double more_proximity = 100;
// Proximal steps at most, and the move that ends them.
constexpr int proximal_steps = 20;
constexpr double settled = 1e-12;

// Weights that sum to one; false for what is too far from that to be a solution.
bool normalise(std::span<double> w) {
  double sum = 0;
  for (double& entry : w) {
    if (!(entry > 0)) entry = 0;
    sum += entry;
  }
  if (!(sum > 0.5 && sum < 2)) return false;
  for (double& entry : w) entry /= sum;
  return true;
}

}  // namespace

void SimplexQuadratic::minimize(std::span<const double> q, std::span<const double> a, std::span<double> w) {
  n_ = a.size();
  q_ = q;
  double trace = 0;
  for (std::size_t i = 0; i < n_; ++i) trace += q[i * n_ + i];
  proximity_ =
      std::max(proximity_to_q * trace / static_cast<double>(n_), proximity_to_a * std::max(1.0, max_abs(a)));
  if (sum_of(w) <= 0) w[static_cast<std::size_t>(std::ranges::max_element(a) - a.begin())] = 1;
  normalise(w);
  for (int step = 0; step < proximal_steps; ++step) {
    before_.assign(w.begin(), w.end());
    linear_.assign(a.begin(), a.end());
    for (std::size_t i = 0; i < n_; ++i) linear_[i] += proximity_ * w[i];
    minimize_once(w);
    if (!normalise(w)) {
      std::ranges::copy(before_, w.begin());
      proximity_ *= more_proximity;
      continue;
    }
    double moved = 0;
    for (std::size_t i = 0; i < n_; ++i) moved = std::max(moved, std::abs(w[i] - before_[i]));
    if (moved < settled) return;
  }
}

// With the proximal term: lets in the weight with the steepest slope until there is none.
void SimplexQuadratic::minimize_once(std::span<double> w) {
  active_.clear();
  for (std::size_t i = 0; i < n_; ++i) {
    if (w[i] > 0) active_.push_back(i);
  }
  std::size_t added = n_;
  for (std::size_t round = 0; round < 20 * n_ + 50; ++round) {
    while (!solve_active() && shorten(w)) {
    }
    std::ranges::fill(w, 0.0);
    for (std::size_t k = 0; k < active_.size(); ++k) w[active_[k]] = right_[k];
    double highest = -infinity, mean = 0, size = 1;
    std::size_t best = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      double slope = linear_[i] - proximity_ * w[i];
      for (const std::size_t j : active_) slope -= q_[i * n_ + j] * w[j];
      mean += w[i] * slope;
      size = std::max(size, std::abs(slope));
      if (slope > highest) {
        highest = slope;
        best = i;
      }
    }
    // One that left at once would do so again: rounding.
    if (highest - mean <= machine_epsilon * size || w[best] > 0 || best == added) return;
    active_.push_back(best);
    added = best;
  }
}

// The minimum over the affine hull of the active ones into right_; whether it is in the simplex.
bool SimplexQuadratic::solve_active() {
  const std::size_t k = active_.size(), size = k + 1;
  system_.assign(size * size, 1.0);
  right_.assign(size, 1.0);
  pivots_.resize(size);
  system_[k * size + k] = 0;
  for (std::size_t r = 0; r < k; ++r) {
    for (std::size_t c = 0; c < k; ++c) system_[r * size + c] = q_[active_[r] * n_ + active_[c]];
    system_[r * size + r] += proximity_;
    right_[r] = linear_[active_[r]];
  }
  const int order = static_cast<int>(size), one = 1;
  int info = 0;  // a singular system gives no weights that sum to one, which is looked at
  dgesv_(&order, &one, system_.data(), &order, pivots_.data(), right_.data(), &order, &info);  // symmetric
  return std::all_of(right_.begin(), right_.begin() + static_cast<std::ptrdiff_t>(k),
                     [](double entry) { return entry > 0; });
}

// Goes from w towards that minimum until a weight is 0, which leaves the active ones. False: only one is
// left.
bool SimplexQuadratic::shorten(std::span<double> w) {
  if (active_.size() == 1) {
    right_[0] = 1;
    return false;
  }
  double length = 1;
  std::size_t first = 0;
  for (std::size_t k = 0; k < active_.size(); ++k) {
    if (right_[k] > 0) continue;
    const double here = w[active_[k]];
    const double reach = here > 0 ? here / (here - right_[k]) : 0;
    if (reach > length || (reach == length && length == 1)) continue;
    length = reach;
    first = k;
  }
  for (std::size_t k = 0; k < active_.size(); ++k) {
    w[active_[k]] = std::max(0.0, w[active_[k]] + length * (right_[k] - w[active_[k]]));
  }
  w[active_[first]] = 0;
  active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(first));
  return true;
}

}  // namespace fenchel
