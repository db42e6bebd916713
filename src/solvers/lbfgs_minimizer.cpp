// SPDX-License-Identifier: Apache-2.0
// The direction −H∇f is a combination of the kept pairs and the gradient. For long vectors its coefficients
// are found from their inner products alone, so an iteration reads the pairs twice (once for the new inner
// products, once for the combination) instead of the four times of the usual recursion. Short vectors take
// the recursion itself, which rounds less where f has kinks and the pairs differ in size by many orders of
// magnitude.
#include "solvers/lbfgs_minimizer.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

constexpr double armijo = 1e-4;                      // sufficient decrease
constexpr double curvature = 0.9;                    // Wolfe
constexpr double value_noise = 4 * machine_epsilon;  // differences of f below this share of |f| mean nothing
constexpr double noise_range = 1e4;                  // from here on they are good enough to interpolate
constexpr int line_search_steps = 60;                // trials
constexpr int smooth_steps = 25;                     // trials that are enough where f is smooth
constexpr int most_idle = 50;                        // iterations without any gain, where f is smooth
constexpr int strict_steps = 12;    // trials after which a slope may be as steep upwards: there may be a kink
constexpr double inset = 0.1;       // a trial keeps this share of the bracket away from its ends
constexpr double leap_least = 1.5;  // without a bracket, steps grow by this much at least
constexpr double leap_most = 5;     // and at most
constexpr double retreat = 0.1;     // from where f is not finite

constexpr std::size_t block_entries = 16384;  // what a thread takes of long vectors
constexpr std::size_t cached_entries =
    1024;  // of which this much of a few vectors stays in the nearest cache

// Four sums side by side where that pays.
double dot(const double* a, const double* b, std::size_t size) {
  constexpr std::size_t short_size = 64;
  const std::span<const double> x(a, size), y(b, size);
  return size > short_size ? dot_by_four(x, y) : fenchel::dot(x, y);
}

// The minimiser of the cubic through two values and slopes; NaN where it has none.
double cubic_minimiser(double a, double fa, double ga, double b, double fb, double gb) {
  const double d = ga + gb - 3 * (fb - fa) / (b - a);
  const double root = std::sqrt(d * d - ga * gb);
  const double w = b > a ? root : -root;
  return b - (b - a) * (gb + w - d) / (gb - ga + 2 * w);
}

}  // namespace

LbfgsMachine::LbfgsMachine(const LbfgsMinimizer& options, std::span<const double> start, Workspace& memory)
    : options_(options),
      d_(start.size()),
      memory_(static_cast<std::size_t>(std::max(options.memory, 1))),
      blocks_((d_ + block_entries - 1) / block_entries),
      x_(memory.take<double>(d_)),
      gradient_(memory.take<double>(d_)),
      trial_(memory.take<double>(d_)),
      trial_gradient_(memory.take<double>(d_)),
      direction_(memory.take<double>(d_)),
      steps_(memory.take<double>(d_ * memory_)),
      changes_(memory.take<double>(d_ * memory_)),
      gram_(memory.take<double>((2 * memory_ + 1) * (2 * memory_ + 1))),
      coefficients_(memory.take<double>(3 * memory_ + 1)),
      partial_(memory.take<double>(std::max<std::size_t>(blocks_, 1) * 6 * memory_)) {
  std::ranges::copy(start, x_.begin());
  std::ranges::copy(start, trial_.begin());
  // Inner products that have not been computed yet are never used, but they are saved, as 0.
  for (const auto& span : {gradient_, direction_, gram_}) std::ranges::fill(span, 0.0);
}

void LbfgsMachine::stop(Status status) {
  status_ = status;
  done_ = true;
}

void LbfgsMachine::tell(double value) {
  if (!started_) {
    started_ = true;
    accept(value);
    lowest_residual_ = residual_;
    begin_iteration();
    return;
  }
  last_.value = value;
  last_.slope = std::isfinite(value) ? dot_trial_slope() : 0;
  const Verdict verdict = settling_ ? Verdict::accepted : judge(last_);
  if (verdict == Verdict::accepted) {
    learn();
    const bool fell = value < value_ - noise_at(value);
    ++iterations_;
    fresh_ = false;
    accept(value);
    idle_ = fell || residual_ < lowest_residual_ ? 0 : idle_ + 1;
    lowest_residual_ = std::min(lowest_residual_, residual_);
    begin_iteration();
    return;
  }
  if (verdict == Verdict::too_long) {
    upper_ = last_;
    bracketed_ = true;
  } else {
    lower_ = last_;
  }
  if (++trials_ >= (options_.smooth ? smooth_steps : line_search_steps)) {
    search_failed();
    return;
  }
  const double step = next_step();
  // Neighbouring numbers leave nothing between them to try.
  if (step == lower_.step || (bracketed_ && step == upper_.step)) {
    search_failed();
  } else {
    try_step(step);
  }
}

// The trial becomes the point.
void LbfgsMachine::accept(double value) {
  std::swap(x_, trial_);
  std::swap(gradient_, trial_gradient_);
  value_ = value;
  residual_ = max_abs(gradient_);
}

void LbfgsMachine::begin_iteration() {
  if (residual_ <= options_.tolerance) return stop(Status::converged);
  if (iterations_ >= options_.max_iterations) return stop(Status::max_iterations);
  if (!std::isfinite(value_) || !std::isfinite(residual_)) return stop(Status::stalled);
  if (options_.smooth && idle_ >= most_idle) return stop(Status::stalled);
  set_direction();
  trials_ = 0;
  settling_ = bracketed_ = false;
  lower_ = {0, value_, slope_};
  if (!(slope_ < 0)) return search_failed();
  try_step(fresh_ ? 1 / std::max(1.0, max_abs(direction_)) : 1);
}

void LbfgsMachine::try_step(double step) {
  last_ = {step, 0, 0};
  for_each_block(d_, block_entries, options_.threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) trial_[j] = x_[j] + step * direction_[j];
  });
}

double LbfgsMachine::dot_trial_slope() const {
  for_each_block(d_, block_entries, options_.threads, [&](std::size_t first, std::size_t last) {
    partial_[first / block_entries] = dot(&trial_gradient_[first], &direction_[first], last - first);
  });
  return sum_of(partial_.first(blocks_));
}

// Differences between f at the point and another value mean nothing below this.
double LbfgsMachine::noise_at(double other) const {
  return std::max(value_noise, options_.noise) * std::max(std::abs(value_), std::abs(other));
}

LbfgsMachine::Verdict LbfgsMachine::judge(const Sample& sample) const {
  if (!std::isfinite(sample.value)) return Verdict::too_long;
  const double noise = noise_at(sample.value);
  // Near the optimum f is flat to rounding; there the slope decides (approximate Wolfe conditions).
  const bool decreases = sample.value <= value_ + armijo * sample.step * slope_ ||
                         (sample.value <= value_ + noise && sample.slope <= (2 * armijo - 1) * slope_);
  if (!decreases) return Verdict::too_long;
  if (sample.slope < curvature * slope_) return Verdict::too_short;
  if (!options_.smooth || sample.slope <= -curvature * slope_ || trials_ >= strict_steps) {
    return Verdict::accepted;
  }
  return Verdict::too_long;
}

double LbfgsMachine::next_step() const {
  if (!options_.smooth) return bracketed_ ? 0.5 * (lower_.step + upper_.step) : 2 * last_.step;
  if (!bracketed_) {
    // Along the secant of the slopes of the last two points, as far as that can be trusted.
    const double ahead = last_.step * std::max(1.0, slope_ / (slope_ - last_.slope));
    const bool usable = slope_ < last_.slope && std::isfinite(ahead);
    return std::clamp(usable ? ahead : infinity, leap_least * last_.step, leap_most * last_.step);
  }
  const double width = upper_.step - lower_.step;
  if (!std::isfinite(upper_.value)) return lower_.step + retreat * width;
  // Every third time the middle, so that the bracket shrinks whatever f is like.
  if (trials_ % 3 == 2) return lower_.step + 0.5 * width;
  const double noise = noise_at(upper_.value);
  double step = lower_.step + 0.5 * width;
  if (std::abs(upper_.value - lower_.value) > noise_range * noise) {
    step = cubic_minimiser(lower_.step, lower_.value, lower_.slope, upper_.step, upper_.value, upper_.slope);
  } else if (upper_.slope > 0) {
    step = lower_.step - lower_.slope * width / (upper_.slope - lower_.slope);
  }
  if (!std::isfinite(step)) return lower_.step + 0.5 * width;
  return std::clamp(step, lower_.step + inset * width, upper_.step - inset * width);
}

// No trial satisfied the conditions: the best that at least decreases f will do, or steepest descent, or the
// end.
void LbfgsMachine::search_failed() {
  if (options_.smooth && lower_.value < value_ - noise_at(lower_.value)) {
    settling_ = true;
    try_step(lower_.step);
  } else if (!fresh_) {
    count_ = 0;  // stale curvature: once more along the gradient itself
    fresh_ = true;
    begin_iteration();
  } else {
    stop(Status::stalled);
  }
}

// The new pair, and its inner products and the new gradient's with all the others. Before the trial is
// accepted.
void LbfgsMachine::learn() {
  const std::size_t at = next_ % memory_;
  const std::size_t live = std::min(count_ + 1, memory_);
  if (blocks_ > 1) {
    learn_products(at, live);
  } else {
    const auto step = pair_step(at), change = pair_change(at);
    for (std::size_t j = 0; j < d_; ++j) {
      step[j] = trial_[j] - x_[j];
      change[j] = trial_gradient_[j] - gradient_[j];
    }
    gram(at, memory_ + at) = dot(step.data(), change.data(), d_);
    gram(memory_ + at, at) = 1 / gram(at, memory_ + at);
  }
  if (gram(at, memory_ + at) > 0) {
    ++next_;
    count_ = live;
  } else {
    count_ = std::min(count_, memory_ - 1);  // no curvature information, and the oldest pair is overwritten
  }
}

void LbfgsMachine::learn_products(std::size_t at, std::size_t live) {
  for_each_block(d_, block_entries, options_.threads, [&](std::size_t first, std::size_t last) {
    double* sums = &partial_[first / block_entries * 6 * memory_];
    std::fill_n(sums, 6 * memory_, 0.0);
    const auto step = pair_step(at), change = pair_change(at);
    for (std::size_t from = first; from < last; from += cached_entries) {
      const std::size_t size = std::min(cached_entries, last - from);
      for (std::size_t j = from; j < from + size; ++j) {
        step[j] = trial_[j] - x_[j];
        change[j] = trial_gradient_[j] - gradient_[j];
      }
      const double* news[] = {&step[from], &change[from], &trial_gradient_[from]};
      for (std::size_t age = 0; age < live; ++age) {
        const std::size_t i = (next_ - age) % memory_;
        for (std::size_t k = 0; k < 3; ++k) {
          sums[6 * i + 2 * k] += dot(news[k], &pair_step(i)[from], size);
          sums[6 * i + 2 * k + 1] += dot(news[k], &pair_change(i)[from], size);
        }
      }
    }
  });
  const std::size_t rows[] = {at, memory_ + at, 2 * memory_};
  for (std::size_t age = 0; age < live; ++age) {
    const std::size_t i = (next_ - age) % memory_;
    for (std::size_t k = 0; k < 6; ++k) {
      double sum = 0;
      for (std::size_t block = 0; block < blocks_; ++block) sum += partial_[block * 6 * memory_ + 6 * i + k];
      const std::size_t row = rows[k / 2], column = k % 2 == 0 ? i : memory_ + i;
      gram(row, column) = gram(column, row) = sum;
    }
  }
}

// direction = Σ coefficients · (steps, changes, gradient): the two-loop recursion on inner products.
void LbfgsMachine::choose_coefficients(std::span<double> coefficients) {
  const std::size_t width = 2 * memory_ + 1;
  const auto weight = coefficients_.subspan(width, memory_);
  const auto product = [&](std::size_t row) {
    double sum = coefficients[2 * memory_] * gram(row, 2 * memory_);
    for (std::size_t age = 0; age < count_; ++age) {
      const std::size_t i = slot(age);
      sum += coefficients[i] * gram(row, i) + coefficients[memory_ + i] * gram(row, memory_ + i);
    }
    return sum;
  };
  std::ranges::fill(coefficients, 0.0);
  coefficients[2 * memory_] = -1;
  for (std::size_t age = 0; age < count_; ++age) {
    const std::size_t i = slot(age);
    weight[age] = product(i) / gram(i, memory_ + i);
    coefficients[memory_ + i] -= weight[age];
  }
  if (count_ > 0) {
    const std::size_t i = slot(0);
    const double scale = gram(i, memory_ + i) / gram(memory_ + i, memory_ + i);
    for (double& entry : coefficients) entry *= scale;
  }
  for (std::size_t age = count_; age-- > 0;) {
    const std::size_t i = slot(age);
    coefficients[i] += weight[age] - product(memory_ + i) / gram(i, memory_ + i);
  }
}

// The usual recursion.
void LbfgsMachine::recurse() {
  const auto weight = coefficients_.first(memory_);
  for (std::size_t j = 0; j < d_; ++j) direction_[j] = -gradient_[j];
  for (std::size_t age = 0; age < count_; ++age) {
    const std::size_t i = slot(age);
    const auto change = pair_change(i);
    weight[age] = gram(memory_ + i, i) * dot(pair_step(i).data(), direction_.data(), d_);
    for (std::size_t j = 0; j < d_; ++j) direction_[j] -= weight[age] * change[j];
  }
  if (count_ > 0) {
    const double* change = pair_change(slot(0)).data();
    const double scale = 1 / (gram(memory_ + slot(0), slot(0)) * dot(change, change, d_));
    for (double& entry : direction_) entry *= scale;
  }
  for (std::size_t age = count_; age-- > 0;) {
    const std::size_t i = slot(age);
    const auto step = pair_step(i);
    const double back =
        weight[age] - gram(memory_ + i, i) * dot(pair_change(i).data(), direction_.data(), d_);
    for (std::size_t j = 0; j < d_; ++j) direction_[j] += back * step[j];
  }
  slope_ = dot(gradient_.data(), direction_.data(), d_);
}

void LbfgsMachine::set_direction() {
  if (blocks_ <= 1) return recurse();
  const auto coefficients = coefficients_.first(2 * memory_ + 1);
  choose_coefficients(coefficients);
  for_each_block(d_, block_entries, options_.threads, [&](std::size_t first, std::size_t last) {
    double slope = 0;
    for (std::size_t from = first; from < last; from += cached_entries) {
      const std::size_t to = std::min(last, from + cached_entries);
      for (std::size_t j = from; j < to; ++j) direction_[j] = coefficients[2 * memory_] * gradient_[j];
      for (std::size_t age = 0; age < count_; ++age) {
        const std::size_t i = slot(age);
        const double a = coefficients[i], b = coefficients[memory_ + i];
        const auto step = pair_step(i), change = pair_change(i);
        for (std::size_t j = from; j < to; ++j) direction_[j] += a * step[j] + b * change[j];
      }
      slope += dot(&gradient_[from], &direction_[from], to - from);
    }
    partial_[first / block_entries] = slope;
  });
  slope_ = sum_of(partial_.first(blocks_));
}

Report LbfgsMinimizer::minimize(ValueAndGradient f, std::span<double> x, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  LbfgsMachine machine(*this, x, scratch);
  while (!machine.done()) machine.tell(f(machine.trial(), machine.trial_gradient()));
  std::ranges::copy(machine.point(), x.begin());
  return machine.report();
}

}  // namespace fenchel
