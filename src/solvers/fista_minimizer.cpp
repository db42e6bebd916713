// SPDX-License-Identifier: Apache-2.0
#include "fenchel/solvers/fista_minimizer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

// The sufficient-decrease test compares differences of f; below this many roundings of |f| they are noise.
constexpr double decrease_slack = 8 * machine_epsilon;
constexpr double noise_range = 1e4;      // from here on differences of f are accurate to 1e-4 of themselves
constexpr double smallest_step = 1e-20;  // a smaller step means that f is not smooth here
constexpr double rounding = 1e-6;        // of a product of so many factors
constexpr double growth = 1.3;           // per iteration, so that one bad region does not slow the rest down

double max_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t j = 0; j < a.size(); ++j) largest = std::max(largest, std::abs(a[j] - b[j]));
  return largest;
}

}  // namespace

FistaMachine::FistaMachine(const FistaMinimizer& options, std::span<const double> start, Prox prox,
                           Workspace& memory)
    : options_(options),
      x_(memory.take<double>(start.size())),
      ahead_(memory.take<double>(start.size())),
      next_(memory.take<double>(start.size())),
      gradient_(memory.take<double>(start.size())),
      next_gradient_(memory.take<double>(start.size())),
      work_(memory.take<double>(start.size())),
      step_(options.first_step),
      residual_(infinity),
      done_(options.max_iterations <= 0) {
  std::ranges::copy(start, x_.begin());
  prox(0, x_);
  std::ranges::copy(x_, ahead_.begin());
  for (const auto& span : {next_, gradient_, next_gradient_}) std::ranges::fill(span, 0.0);
}

void FistaMachine::tell(double value, Prox prox) {
  if (!testing_) {
    at_ahead_ = value;
    testing_ = true;
    take_step(prox);
  } else if (step_fits(value)) {
    finish_iteration(value, prox);
  } else if (step_ < smallest_step) {
    ++iterations_;
    status_ = Status::stalled;
    done_ = true;
  } else {
    step_ = shorter_step(value);
    take_step(prox);
  }
}

// The step that the curvature just seen would have allowed, but no less than a tenth and no more than half.
double FistaMachine::shorter_step(double at_next) const {
  double linear = 0;
  double squared = 0;
  for (std::size_t j = 0; j < next_.size(); ++j) {
    const double move = next_[j] - ahead_[j];
    linear += gradient_[j] * move;
    squared += move * move;
  }
  const double allowed = squared / (2 * (at_next - at_ahead_ - linear));
  return allowed > 0.1 * step_ ? std::min(allowed, 0.5 * step_) : 0.1 * step_;
}

void FistaMachine::take_step(Prox prox) {
  for (std::size_t j = 0; j < next_.size(); ++j) next_[j] = ahead_[j] - step_ * gradient_[j];
  prox(step_, next_);
}

bool FistaMachine::step_fits(double at_next) const {
  if (std::isfinite(at_ahead_) && !std::isfinite(at_next)) return false;
  double linear = 0;
  double squared = 0;
  double curvature = 0;
  for (std::size_t j = 0; j < next_.size(); ++j) {
    const double move = next_[j] - ahead_[j];
    linear += gradient_[j] * move;
    squared += move * move;
    curvature += (next_gradient_[j] - gradient_[j]) * move;
  }
  const double noise = decrease_slack * std::max(std::abs(at_ahead_), std::abs(at_next));
  // Where differences of f are rounding, the gradients still tell whether the step suits the curvature.
  if (std::abs(at_next - at_ahead_) <= noise_range * noise) return curvature * step_ <= squared;
  return at_next <= at_ahead_ + linear + squared / (2 * step_);
}

void FistaMachine::finish_iteration(double at_next, Prox prox) {
  // The fixed-point residual of a unit step tells how far from stationary the new point is.
  for (std::size_t j = 0; j < next_.size(); ++j) work_[j] = next_[j] - next_gradient_[j];
  prox(1, work_);
  residual_ = max_difference(work_, next_);
  double against = 0;  // ⟨ahead − next, next − x⟩ > 0: the momentum points uphill, so restart it
  for (std::size_t j = 0; j < next_.size(); ++j) against += (ahead_[j] - next_[j]) * (next_[j] - x_[j]);
  const double previous = momentum_;
  momentum_ = against > 0 ? 1 : 0.5 * (1 + std::sqrt(1 + 4 * momentum_ * momentum_));
  const double beta = against > 0 ? 0 : (previous - 1) / momentum_;
  for (std::size_t j = 0; j < next_.size(); ++j) {
    ahead_[j] = next_[j] + beta * (next_[j] - x_[j]);
    x_[j] = next_[j];
  }
  prox(0, ahead_);  // keeps f's argument in its domain
  value_ = at_next;
  testing_ = false;
  step_ *= growth;
  ++iterations_;
  done_ = residual_ <= options_.tolerance || iterations_ >= options_.max_iterations;
  if (residual_ <= options_.tolerance) status_ = Status::converged;
}

void FistaMachine::visit_state(StateArchive& archive) {
  constexpr int most_iterations = std::numeric_limits<int>::max() / 2;
  bool stalled = status_ == Status::stalled;
  archive("point", x_);
  archive("ahead", ahead_);
  archive.extended("gradient", next_gradient_);
  archive.extended("value", value_);
  archive("momentum", momentum_);
  archive("step", step_);
  archive.extended("residual", residual_);
  archive.check("residual", residual_ >= 0);
  archive("iterations", iterations_);
  archive.check("iterations", iterations_ <= most_iterations);
  archive.check("momentum", momentum_ >= 1 && momentum_ <= iterations_ + 1);
  const double longest = options_.first_step * std::pow(growth, iterations_);
  archive.check("step", step_ > 0 && step_ <= longest * (1 + rounding));
  archive("stalled", stalled);
  if (!archive.reading()) return;
  testing_ = false;
  const bool converged = residual_ <= options_.tolerance;
  status_ = stalled ? Status::stalled : converged ? Status::converged : Status::max_iterations;
  done_ = stalled || converged || iterations_ >= options_.max_iterations;
}

Report FistaMinimizer::minimize(ValueAndGradient f, Projection project, std::span<double> x,
                                Workspace& scratch) const {
  return minimize(f, project, x, scratch, [](std::span<const double>) { return false; });
}

Report FistaMinimizer::minimize(ValueAndGradient f, Projection project, std::span<double> x,
                                Workspace& scratch, Monitor monitor) const {
  const Workspace::Frame frame(scratch);
  const auto prox = [&](double, std::span<double> point) { project(point); };
  FistaMachine machine(*this, x, prox, scratch);
  bool satisfied = false;
  while (!machine.done() && !satisfied) {
    const int before = machine.iterations();
    machine.tell(f(machine.trial(), machine.trial_gradient()), prox);
    satisfied = machine.iterations() > before && monitor(machine.point());
  }
  std::ranges::copy(machine.point(), x.begin());
  Report report = machine.report();
  if (satisfied) report.status = Status::converged;
  return report;
}

}  // namespace fenchel
