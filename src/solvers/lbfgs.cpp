// SPDX-License-Identifier: Apache-2.0
#include "fenchel/solvers/lbfgs.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

constexpr double armijo = 1e-4;                      // sufficient decrease
constexpr double curvature = 0.9;                    // weak Wolfe
constexpr double value_noise = 4 * machine_epsilon;  // differences of f below this share of |f| mean nothing
constexpr int line_search_steps = 60;                // bisections and doublings

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

double max_abs(std::span<const double> a) {
  double largest = 0;
  for (const double entry : a) largest = std::max(largest, std::abs(entry));
  return largest;
}

// The last few pairs (s, y) in a ring, and the two-loop recursion over them.
class History {
 public:
  History(std::size_t d, std::size_t memory, Workspace& scratch)
      : d_(d),
        memory_(memory),
        steps_(scratch.take<double>(d * memory)),
        changes_(scratch.take<double>(d * memory)),
        inverse_(scratch.take<double>(memory)),
        weight_(scratch.take<double>(memory)) {}

  std::span<double> step(std::size_t age) const { return steps_.subspan(slot(age) * d_, d_); }
  std::span<double> change(std::size_t age) const { return changes_.subspan(slot(age) * d_, d_); }
  void clear() { count_ = 0; }

  void push(std::span<const double> from, std::span<const double> to, std::span<const double> gradient_from,
            std::span<const double> gradient_to) {
    const std::size_t at = next_ % memory_;
    double product = 0;
    for (std::size_t j = 0; j < d_; ++j) {
      steps_[at * d_ + j] = to[j] - from[j];
      changes_[at * d_ + j] = gradient_to[j] - gradient_from[j];
      product += steps_[at * d_ + j] * changes_[at * d_ + j];
    }
    if (!(product > 0)) return;  // no curvature information
    inverse_[at] = 1 / product;
    ++next_;
    count_ = std::min(count_ + 1, memory_);
  }

  // direction = −H gradient
  void apply(std::span<const double> gradient, std::span<double> direction) {
    for (std::size_t j = 0; j < d_; ++j) direction[j] = -gradient[j];
    if (count_ == 0) return;
    for (std::size_t age = 0; age < count_; ++age) {
      weight_[age] = inverse_[slot(age)] * dot(step(age), direction);
      for (std::size_t j = 0; j < d_; ++j) direction[j] -= weight_[age] * change(age)[j];
    }
    const double scale = 1 / (inverse_[slot(0)] * dot(change(0), change(0)));
    for (double& entry : direction) entry *= scale;
    for (std::size_t age = count_; age-- > 0;) {
      const double correction = weight_[age] - inverse_[slot(age)] * dot(change(age), direction);
      for (std::size_t j = 0; j < d_; ++j) direction[j] += correction * step(age)[j];
    }
  }

 private:
  std::size_t slot(std::size_t age) const { return (next_ - 1 - age) % memory_; }

  std::size_t d_;
  std::size_t memory_;
  std::span<double> steps_, changes_, inverse_, weight_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

Report Lbfgs::minimize(ValueAndGradient f, std::span<double> x, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const std::size_t d = x.size();
  const auto gradient = scratch.take<double>(d);
  const auto direction = scratch.take<double>(d);
  const auto trial = scratch.take<double>(d);
  const auto trial_gradient = scratch.take<double>(d);
  History history(d, static_cast<std::size_t>(memory), scratch);
  double value = f(x, gradient);
  bool fresh = true;  // the direction is plain steepest descent
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const double residual = max_abs(gradient);
    if (residual <= tolerance) return {Status::converged, iteration, residual};
    history.apply(gradient, direction);
    double slope = dot(gradient, direction);
    double lower = 0;
    double upper = infinity;
    double step = fresh ? 1 / std::max(1.0, max_abs(direction)) : 1;
    bool moved = false;
    for (int trial_number = 0; trial_number < line_search_steps && slope < 0; ++trial_number) {
      for (std::size_t j = 0; j < d; ++j) trial[j] = x[j] + step * direction[j];
      const double at_trial = f(trial, trial_gradient);
      const double trial_slope = dot(trial_gradient, direction);
      const double noise = value_noise * std::max(std::abs(value), std::abs(at_trial));
      // Near the optimum f is flat to rounding; there the slope decides (approximate Wolfe conditions).
      const bool decreases = at_trial <= value + armijo * step * slope ||
                             (at_trial <= value + noise && trial_slope <= (2 * armijo - 1) * slope);
      if (!decreases) {
        upper = step;
      } else if (trial_slope < curvature * slope) {
        lower = step;
      } else {
        moved = true;
      }
      if (moved) {
        history.push(x, trial, gradient, trial_gradient);
        std::ranges::copy(trial, x.begin());
        std::ranges::copy(trial_gradient, gradient.begin());
        value = at_trial;
        break;
      }
      step = upper == infinity ? 2 * step : 0.5 * (lower + upper);
    }
    if (!moved) {
      if (fresh) return {Status::stalled, iteration, residual};
      history.clear();  // stale curvature: once more along the gradient itself
      fresh = true;
      continue;
    }
    fresh = false;
  }
  return {Status::max_iterations, max_iterations, max_abs(gradient)};
}

}  // namespace fenchel
