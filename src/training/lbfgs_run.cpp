// SPDX-License-Identifier: Apache-2.0
#include "training/lbfgs_run.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "training/solver_spec.hpp"

namespace fenchel {
namespace {

constexpr int default_memory = 10;  // more pairs save few evaluations of F, and each costs two vectors

}  // namespace

Lbfgs lbfgs_options(const TrainOptions& options, double noise, int threads) {
  if (!options.penalty.smooth()) {
    throw std::invalid_argument(
        "lbfgs needs a smooth penalty, and l1 or group is not 0; choose fista, or saga or dual_ascent with "
        "l2");
  }
  const SolverSpec spec(options.solver, "lbfgs", {"memory"});
  const double memory = spec.number("memory", default_memory);
  constexpr double most_memory = 1000;
  if (!(memory >= 1 && memory <= most_memory) || memory != std::floor(memory)) {
    throw std::invalid_argument("solver parameter memory is " + std::to_string(memory) +
                                "; expected a whole number from 1 to 1000");
  }
  return {.tolerance = 0,
          .max_iterations = options.max_iterations,
          .memory = static_cast<int>(memory),
          .smooth = true,
          .noise = noise,
          .threads = threads};
}

void LbfgsRun::begin(std::span<const double> start) {
  machine_.reset();
  memory_ = std::make_unique<Workspace>();
  Lbfgs options = options_;
  options.max_iterations = std::max(0, options.max_iterations - earlier_);
  machine_.emplace(options, start, *memory_);
}

void LbfgsRun::restart(std::span<const double> start) {
  earlier_ += machine_->iterations();
  begin(start);
}

Report LbfgsRun::report() const {
  Report report = machine_->report();
  report.iterations += earlier_;
  return report;
}

State LbfgsRun::save() const {
  State state = machine_->save();
  state.set("earlier", static_cast<double>(earlier_));
  return state;
}

void LbfgsRun::restore(const State& state) {
  earlier_ = static_cast<int>(state.number<double>("earlier"));
  const std::vector<double> start(machine_->point().begin(), machine_->point().end());
  begin(start);
  machine_->restore(state);
}

}  // namespace fenchel
