// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/train.hpp"

#include <fmt/core.h>

#include <chrono>
#include <stdexcept>

#include "core/mapping.hpp"
#include "fenchel/core/option_error.hpp"

namespace fenchel {
void TrainOptions::check() const {
  penalty.check();
  if (tolerance) check_option_at_least("tolerance", *tolerance, 0);
  if (gap) check_option_at_least("gap", *gap, 0);
  check_option_at_least("max_iterations", max_iterations, 0);
  check_option_at_least("threads", threads, 0);
}

std::optional<SolverChoice> suitable_solver(const Problem& problem, const TrainOptions& options) {
  for (const SolverEntry& entry : solver_list()) {
    if (auto reason = entry.solver.suits(problem, options)) return SolverChoice{entry.solver, *reason};
  }
  return std::nullopt;
}

SolverChoice choose_solver(const Problem& problem, const TrainOptions& options) {
  if (!options.solver.automatic()) return {options.solver, "as asked"};
  if (auto choice = suitable_solver(problem, options)) return *choice;
  throw std::invalid_argument(fmt::format("no solver trains {} with this loss", facts_of(problem).kind));
}

std::unique_ptr<Algorithm> make_algorithm(const Problem& problem, const TrainOptions& options) {
  return choose_solver(problem, options).solver.start(problem, options);
}

TrainingDiverged::TrainingDiverged()
    : OptionError(
          "training diverged: the objective is not finite; features or targets are too large for `lambda`, "
          "or "
          "the step that `solver` was given is: scale them (`scale=standard` scales features), raise "
          "`lambda` "
          "or leave the step out") {}

StepReport run(Algorithm& algorithm, const Observer& observer) {
  StepReport last_step;
  while (!last_step.done) {
    last_step = algorithm.step();
    check_mappings();
    if (observer && !observer(last_step, algorithm)) break;
  }
  return last_step;
}

TrainResult train(const Problem& problem, const TrainOptions& options, const Observer& observer) {
  const auto begin = std::chrono::steady_clock::now();
  TrainResult result;
  result.choice = choose_solver(problem, options);
  const std::unique_ptr<Algorithm> algorithm = result.choice.solver.start(problem, options);
  result.last_step = run(*algorithm, observer);
  result.parameters.assign(algorithm->parameters().begin(), algorithm->parameters().end());
  result.report = algorithm->report();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace fenchel
