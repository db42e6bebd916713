// SPDX-License-Identifier: Apache-2.0
#include "solvers/mixture_descent.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

constexpr double explosion = 1e6;         // −inf in the gradient counts as this times its largest entry
constexpr double slope_share = 0.01;      // a step is good enough when the slope has dropped to this share
constexpr double width_share = 1e-14;     // a bracket this narrow is closed
constexpr double smallest_step = 1e-300;  // where solutions such as e^θ underflow
constexpr double value_noise = 4 * machine_epsilon;  // differences of f below this share of |f| mean nothing
constexpr double snap_share = 4 * machine_epsilon;   // an entry this small after cancellation is 0
constexpr double overshoot = 0.1;  // how much of the first slope may come back with the other sign
constexpr int line_search_steps = 100;
constexpr double growth = 4;                // of the bracket, where the step has no limit
constexpr double curvature_decrease = 0.5;  // per iteration of the adaptive rule, so that it can fall again
constexpr double curvature_increase = 2;

}  // namespace

MixtureDescent::MixtureDescent(ValueAndGradient f, bool sums_to_one, Mixture& mixture, std::span<double> mu,
                               Workspace& scratch)
    : f_(f),
      sums_to_one_(sums_to_one),
      mixture_(mixture),
      mu_(mu),
      gradient_(scratch.take<double>(mu.size())),
      direction_(scratch.take<double>(mu.size())),
      trial_(scratch.take<double>(mu.size())),
      trial_gradient_(scratch.take<double>(mu.size())) {
  mixture.weights.resize(std::min(mixture.weights.size(), mixture.structures.size()));
}

Structure& MixtureDescent::candidate() {
  if (mixture_.structures.size() == size()) mixture_.structures.emplace_back();
  return mixture_.structures[size()];
}

std::size_t MixtureDescent::admit() {
  const auto first = mixture_.structures.begin();
  const auto last = first + static_cast<std::ptrdiff_t>(size());
  const auto found = std::find(first, last, candidate());
  if (found == last) mixture_.weights.push_back(0);
  return static_cast<std::size_t>(found - first);
}

void MixtureDescent::remove(std::size_t position) {
  std::swap(mixture_.structures[position], mixture_.structures[size() - 1]);
  std::swap(mixture_.weights[position], mixture_.weights.back());
  mixture_.weights.pop_back();
}

void MixtureDescent::refresh() {
  for (std::size_t i = size(); i-- > 0;) {
    if (!(weight(i) > 0)) remove(i);
  }
  if (sums_to_one_) {
    const double total = sum_of(mixture_.weights);
    for (double& entry : mixture_.weights) entry /= total;
  }
  write(mixture_, mu_);
  value_ = f_(mu_, gradient_);
  double largest = 0;
  sound_ = true;
  bool explodes = false;
  for (const double entry : gradient_) {
    sound_ = sound_ && !std::isnan(entry);
    explodes = explodes || entry == -infinity;
    if (std::isfinite(entry)) largest = std::max(largest, std::abs(entry));
  }
  explosion_ = explodes ? -explosion * (1 + largest) : 0;
  if (explodes) std::ranges::replace(gradient_, -infinity, explosion_);
}

std::span<const double> MixtureDescent::gradient_at(std::span<const double> point) {
  f_(point, trial_gradient_);
  return trial_gradient_;
}

double MixtureDescent::direction_slope() const { return dot_masked(gradient_, direction_); }

MixtureDescent::Probe MixtureDescent::probe(double step) {
  for (std::size_t j = 0; j < mu_.size(); ++j) {
    const double move = step * direction_[j];
    trial_[j] = mu_[j] + move;
    if (std::abs(trial_[j]) <= snap_share * std::abs(mu_[j])) trial_[j] = 0;
  }
  const double value = f_(trial_, trial_gradient_);
  const double slope = dot_masked(trial_gradient_, direction_);
  // Outside the domain, or at a boundary where f turns back up: too far.
  if (!(value < infinity) || std::isnan(slope)) return {infinity, infinity};
  return {value, slope};
}

bool MixtureDescent::direction_explodes() const {
  if (explosion_ == 0) return false;
  for (std::size_t j = 0; j < mu_.size(); ++j) {
    if (direction_[j] > 0 && gradient_[j] == explosion_) return true;
  }
  return false;
}

bool MixtureDescent::accepts(const Probe& at, double first_slope) const {
  return std::abs(at.slope) <= slope_share * std::abs(first_slope) &&
         at.value <= value_ + value_noise * std::abs(value_);
}

double MixtureDescent::exact_step(double guess, double limit) {
  const double first_slope = direction_slope();
  if (!(first_slope < 0)) return 0;
  // An infinite first slope is nothing to compare with: the right order of magnitude is enough.
  const bool explodes = direction_explodes();
  const auto good = [&](const Probe& at) { return !explodes && accepts(at, first_slope); };
  double lower = 0, lower_slope = first_slope;
  double upper = std::min(guess, limit);
  Probe at = probe(upper);
  while (at.slope < 0 && !good(at) && upper < limit && upper < 1 / smallest_step) {
    lower = upper;
    lower_slope = at.slope;
    upper = limit < infinity ? limit : growth * upper;
    at = probe(upper);
  }
  if (at.slope <= 0 || (upper < limit && good(at))) return upper;
  double upper_slope = at.slope;
  for (int k = 0; k < line_search_steps && upper > smallest_step; ++k) {
    if (upper - lower <= width_share * upper || (explodes && lower > 0 && upper <= 2 * lower)) break;
    // Regula falsi, exact for quadratics; every other time the middle, on a logarithmic scale where that
    // matters.
    double step = lower - lower_slope * ((upper - lower) / (upper_slope - lower_slope));
    const bool middle = k % 2 == 1 || !std::isfinite(upper_slope) || !(step > lower && step < upper);
    if (middle && lower == 0) step = upper * (k < 4 ? 0.1 : 1e-3);
    if (middle && lower > 0)
      step = upper > 4 * lower ? std::sqrt(upper) * std::sqrt(lower) : 0.5 * (lower + upper);
    at = probe(step);
    if (good(at)) return step;
    if (at.slope > 0) {
      upper = step;
      upper_slope = at.slope;
    } else {
      lower = step;
      lower_slope = at.slope;
    }
  }
  return lower > 0 ? lower : upper;
}

double MixtureDescent::adaptive_step(double& curvature, double limit) {
  const double slope = direction_slope();
  const double square = dot_masked(direction_, direction_);
  if (!(slope < 0) || !(square > 0)) return 0;
  if (direction_explodes()) return exact_step(std::min(1.0, limit), limit);
  curvature *= curvature_decrease;
  for (int k = 0; k < line_search_steps; ++k, curvature *= curvature_increase) {
    const double step = std::min(limit, -slope / (curvature * square));
    // ∫ φ'' over the step is at most curvature · step · ‖direction‖² = −slope. Values of f would say the
    // same, but near the optimum they are flat to rounding long before the slopes are.
    if (probe(step).slope <= overshoot * -slope) return step;
  }
  return 0;
}

}  // namespace fenchel
