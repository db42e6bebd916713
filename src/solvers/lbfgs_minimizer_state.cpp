// SPDX-License-Identifier: Apache-2.0
// What an L-BFGS needs to go on where it stopped.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fenchel/core/numeric.hpp"
#include "solvers/lbfgs_minimizer.hpp"

namespace fenchel {

namespace {

constexpr int most_iterations = std::numeric_limits<int>::max() / 4;  // sums of a few of them do not overflow
constexpr int most_trials = 1000;                                     // far more than a line search makes

}  // namespace

void LbfgsMachine::Sample::visit_state(StateArchive& archive) {
  archive("step", step);
  archive.check("step", step >= 0);
  archive.extended("value", value);
  archive.extended("slope", slope);
}

void LbfgsMachine::visit_state(StateArchive& archive) {
  archive("point", x_);
  archive("gradient", gradient_);
  archive("trial", trial_);
  archive("direction", direction_);
  archive("next", next_);
  archive("count", count_);
  const std::size_t used = std::min(next_, memory_);  // slots are filled in order
  archive.check("count", count_ <= used);
  archive("steps", steps_.first(used * d_));
  archive("changes", changes_.first(used * d_));
  archive.extended("products", gram_);  // 1/⟨step, change⟩ of a pair that is not in use may be infinite
  archive.extended("value", value_);
  archive.check("value", !std::isnan(value_));
  archive.extended("slope", slope_);
  archive("last", last_);
  archive("lower", lower_);
  archive("upper", upper_);
  archive("bracketed", bracketed_);
  archive("fresh", fresh_);
  archive("started", started_);
  archive("settling", settling_);
  archive("stopped", done_);
  archive("trials", trials_);
  archive("iterations", iterations_);
  archive("idle", idle_);
  archive.extended("lowest_residual", lowest_residual_);
  archive("status", status_, Status::max_iterations);
  archive.check("trials", trials_ <= most_trials);
  archive.check("iterations", iterations_ <= most_iterations);
  archive.check("idle", idle_ <= iterations_);
  archive.check("next", next_ <= static_cast<std::size_t>(iterations_));
  archive.check("upper.step", !bracketed_ || lower_.step < upper_.step);
  archive.check("started", started_ || (iterations_ == 0 && !done_));
  archive.check("trial", started_ || std::ranges::equal(trial_, x_));
  if (archive.reading() && started_) go_on();
}

// Whether it is done is a matter of the options that it goes on with; what has stalled stays so.
void LbfgsMachine::go_on() {
  residual_ = max_abs(gradient_);
  if (done_ && status_ == Status::stalled) return;
  if (iterations_ >= options_.max_iterations) return stop(Status::max_iterations);
  const bool waits = done_;  // for a direction
  done_ = false;
  status_ = Status::max_iterations;
  if (waits) begin_iteration();
}

}  // namespace fenchel
