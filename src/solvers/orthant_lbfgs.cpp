// SPDX-License-Identifier: Apache-2.0
#include "solvers/orthant_lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

constexpr double sufficient = 1e-4;           // decrease, relative to what the slope promises
constexpr double flat = 4 * machine_epsilon;  // differences below this share of the objective mean nothing
constexpr double shorter = 0.5;               // of a step that did not decrease it
constexpr int most_halvings = 30;
constexpr int most_idle = 50;         // iterations without any gain, as L-BFGS makes
constexpr std::size_t chunk = 16384;  // entries that a thread takes of long vectors
constexpr int most_iterations_kept = std::numeric_limits<int>::max() / 4;

template <class Body>
void for_chunks(std::size_t size, int threads, const Body& body) {
  for_each_block(size, chunk, threads, [&](std::size_t first, std::size_t last) { body(first, last); });
}

}  // namespace

OrthantMachine::OrthantMachine(OrthantLbfgs options, std::span<const double> start)
    : options_(std::move(options)),
      memory_(static_cast<std::size_t>(std::max(options_.memory, 1))),
      x_(start.begin(), start.end()),
      gradient_(x_.size()),
      trial_(x_),
      trial_gradient_(x_.size()),
      slope_(x_.size()),
      direction_(x_.size()),
      steps_(x_.size() * memory_),
      changes_(x_.size() * memory_),
      free_(x_.size()),
      curvatures_(memory_),
      weights_(memory_),
      partial_(x_.size() / chunk + 1) {}

void OrthantMachine::stop(Status status) {
  status_ = status;
  done_ = true;
}

double OrthantMachine::dot(std::span<const double> a, std::span<const double> b) const {
  std::ranges::fill(partial_, 0.0);
  for_chunks(a.size(), options_.threads, [&](std::size_t first, std::size_t last) {
    partial_[first / chunk] = dot_by_four(a.subspan(first, last - first), b.subspan(first, last - first));
  });
  return sum_of(partial_);
}

// ⟨a, b⟩ of the entries that are free.
double OrthantMachine::free_dot(std::span<const double> a, std::span<const double> b) const {
  std::ranges::fill(partial_, 0.0);
  for_chunks(a.size(), options_.threads, [&](std::size_t first, std::size_t last) {
    double sums[4] = {};
    for (std::size_t j = first; j < last; ++j) sums[j % 4] += free_[j] * a[j] * b[j];
    partial_[first / chunk] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  });
  return sum_of(partial_);
}

// Σ a_j² / curvature_j of the entries that are free.
double OrthantMachine::scaled_size(std::span<const double> a) const {
  std::ranges::fill(partial_, 0.0);
  for_chunks(a.size(), options_.threads, [&](std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t j = first; j < last; ++j) sum += free_[j] * a[j] * a[j] * options_.inverse_curvature[j];
    partial_[first / chunk] = sum;
  });
  return sum_of(partial_);
}

void OrthantMachine::add_free(double scale, std::span<const double> a, std::span<double> to) const {
  for_chunks(a.size(), options_.threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) to[j] += scale * free_[j] * a[j];
  });
}

double OrthantMachine::absolute_sum(std::span<const double> x) const {
  std::ranges::fill(partial_, 0.0);
  for_chunks(options_.penalised, options_.threads, [&](std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t j = first; j < last; ++j) sum += std::abs(x[j]);
    partial_[first / chunk] = sum;
  });
  return options_.l1 * sum_of(partial_);
}

void OrthantMachine::tell(double value) {
  if (!started_) {
    started_ = true;
    accept(value);
    begin_iteration();
    return;
  }
  const double before = value_ + absolute_sum(x_), here = value + absolute_sum(trial_);
  double promised = 0;  // ⟨p, trial − x⟩ < 0
  if (std::isfinite(here)) promised = dot(slope_, trial_) - dot(slope_, x_);
  const double noise = std::max(flat, options_.noise) * std::max(std::abs(before), std::abs(here));
  if (std::isfinite(here) && here <= before + sufficient * promised + noise) {
    learn();
    ++iterations_;
    idle_ = here < before - noise ? 0 : idle_ + 1;
    fresh_ = false;
    accept(value);
    begin_iteration();
  } else if (++trials_ >= most_halvings) {
    search_failed();
  } else {
    try_step();
  }
}

// The trial becomes the point.
void OrthantMachine::accept(double value) {
  std::swap(x_, trial_);
  std::swap(gradient_, trial_gradient_);
  value_ = value;
  trials_ = 0;
}

// Also where a search goes on that was saved: all of it follows from the point, the pairs and the trials.
void OrthantMachine::begin_iteration() {
  if (iterations_ >= options_.max_iterations) return stop(Status::max_iterations);
  if (!std::isfinite(value_)) return stop(Status::stalled);
  set_slope();
  const double steepest = max_abs(slope_);
  if (steepest < lowest_slope_) {
    lowest_slope_ = steepest;
    idle_ = 0;
  }
  if (idle_ >= most_idle) return stop(Status::stalled);  // what is left of the slope is rounding
  set_direction();
  if (!(dot(slope_, direction_) < 0)) return search_failed();
  try_step();
}

// p: the subgradient of least norm, which is the steepest slope.
void OrthantMachine::set_slope() {
  const double l1 = options_.l1;
  for_chunks(x_.size(), options_.threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      const double g = gradient_[j];
      if (j >= options_.penalised) {
        slope_[j] = g;
      } else if (x_[j] != 0) {
        slope_[j] = g + std::copysign(l1, x_[j]);
      } else {
        slope_[j] = g - std::clamp(g, -l1, l1);
      }
    }
  });
}

// −H p by the usual recursion among the entries that are free to move, without what leads out of the orthant.
// Entries that stay at 0 have no part in it: what they would do to the slope does not happen.
void OrthantMachine::set_direction() {
  const std::span<double> direction(direction_);
  for_chunks(x_.size(), options_.threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      free_[j] = slope_[j] != 0 || x_[j] != 0 ? 1 : 0;
      direction_[j] = -slope_[j];
    }
  });
  for (std::size_t age = 0; age < count_; ++age) {
    const std::size_t i = slot(age);
    curvatures_[i] = free_dot(pair_step(i), pair_change(i));
    weights_[age] = curvatures_[i] > 0 ? dot(pair_step(i), direction) / curvatures_[i] : 0;
    add_free(-weights_[age], pair_change(i), direction);
  }
  double scale = 1;
  const auto& inverse = options_.inverse_curvature;
  for (std::size_t age = 0; age < count_; ++age) {
    const auto change = pair_change(slot(age));
    const double size = inverse.empty() ? free_dot(change, change) : scaled_size(change);
    if (!(curvatures_[slot(age)] > 0 && size > 0)) continue;
    scale = curvatures_[slot(age)] / size;
    break;
  }
  for_chunks(x_.size(), options_.threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) direction_[j] *= inverse.empty() ? scale : scale * inverse[j];
  });
  for (std::size_t age = count_; age-- > 0;) {
    const std::size_t i = slot(age);
    if (!(curvatures_[i] > 0)) continue;
    add_free(weights_[age] - dot(pair_change(i), direction) / curvatures_[i], pair_step(i), direction);
  }
  for_chunks(options_.penalised, options_.threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      if (direction_[j] * slope_[j] >= 0) direction_[j] = 0;
    }
  });
}

void OrthantMachine::try_step() {
  const double first_step = fresh_ ? 1 / std::max(1.0, max_abs(direction_)) : 1;
  const double step = first_step * std::pow(shorter, trials_);
  for_chunks(x_.size(), options_.threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      trial_[j] = x_[j] + step * direction_[j];
      if (j >= options_.penalised) continue;
      const double side = x_[j] != 0 ? x_[j] : -slope_[j];
      if (trial_[j] * side <= 0) trial_[j] = 0;
    }
  });
}

// The new pair, before the trial is accepted.
void OrthantMachine::learn() {
  const std::size_t at = next_ % memory_;
  const auto step = pair_step(at), change = pair_change(at);
  for_chunks(x_.size(), options_.threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      step[j] = trial_[j] - x_[j];
      change[j] = trial_gradient_[j] - gradient_[j];
    }
  });
  const double curvature = dot(step, change);
  if (curvature > 0 && std::isfinite(curvature)) {
    ++next_;
    count_ = std::min(count_ + 1, memory_);
  } else {
    count_ = std::min(count_, memory_ - 1);  // nothing learned, and the oldest pair is overwritten
  }
}

// No step along the direction decreased the objective: once more along the slope itself, or the end.
void OrthantMachine::search_failed() {
  if (fresh_) return stop(Status::stalled);
  count_ = 0;
  trials_ = 0;
  fresh_ = true;
  begin_iteration();
}

void OrthantMachine::visit_state(StateArchive& archive) {
  archive("point", x_);
  archive("gradient", gradient_);
  archive("next", next_);
  archive("count", count_);
  const std::size_t used = std::min(next_, memory_);
  archive.check("count", count_ <= used);
  archive("steps", std::span(steps_).first(used * x_.size()));
  archive("changes", std::span(changes_).first(used * x_.size()));
  archive.extended("value", value_);
  archive("fresh", fresh_);
  archive("started", started_);
  archive("stopped", done_);
  archive("trials", trials_);
  archive("iterations", iterations_);
  archive("idle", idle_);
  archive.extended("lowest_slope", lowest_slope_);
  archive("status", status_, Status::max_iterations);
  const bool stalled = status_ == Status::stalled;
  archive.check("status", status_ == Status::max_iterations || (stalled && done_));
  archive.check("value", std::isfinite(value_) || stalled);
  archive.check("fresh", !fresh_ || count_ == 0);
  archive.check("trials", trials_ <= most_halvings);
  archive.check("iterations", iterations_ <= most_iterations_kept);
  archive.check("idle", idle_ <= iterations_);
  archive.check("lowest_slope", lowest_slope_ >= 0);
  archive.check("next", next_ <= static_cast<std::size_t>(iterations_));
  archive.check("started", started_ || (iterations_ == 0 && trials_ == 0 && !done_));
  if (archive.reading()) go_on();
}

// Whether it is done is a matter of the options that it goes on with; what has stalled stays so.
void OrthantMachine::go_on() {
  if (!started_) {
    std::ranges::copy(x_, trial_.begin());
  } else if (status_ != Status::stalled) {
    done_ = false;
    begin_iteration();
  }
}

}  // namespace fenchel
