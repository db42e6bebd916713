// SPDX-License-Identifier: Apache-2.0
#include "support/fit_flags.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "fenchel/models/cost_table.hpp"
#include "fenchel/models/kernel_function.hpp"
#include "support/completed_words.hpp"

namespace fenchel::cli {
namespace {

using Words = std::vector<std::string>;

Words solver_names() {
  Words names{"auto"};
  for (const SolverEntry& entry : solver_list()) names.emplace_back(entry.traits.name);
  return names;
}

Words penalty_names() {
  Words names;
  for (const PenaltyKind& kind : penalty_kinds()) names.emplace_back(kind.name);
  return names;
}

Words task_names() {
  Words names;
  for (const Task task : all_tasks) names.emplace_back(to_string(task));
  return names;
}

Words names_of_kernels() { return {kernel_names().begin(), kernel_names().end()}; }

std::string list(const Words& names) { return fmt::format("{}", fmt::join(names, ", ")); }

}  // namespace

void FitFlags::add(Command& command) {
  given = [command](const std::string& name) { return command.given(name); };
  const std::string group = "Model";
  command.option("--task", task, list(task_names()) + " (default: guessed and reported)",
                 {.group = group, .common = task_names()});
  command.option("--omega,--loss", options.omega,
                 "the regularizer, as name:key=value,… or JSON, or a loss: logistic, sparsemax, hinge, svm, "
                 "perceptron, softmax-margin, modified-huber, crf, sparsemap …",
                 {.group = group, .common = words_of_losses()});
  command.option("--polytope", options.polytope,
                 "structured: the set of structures, as in birkhoff:n=3 (fenchel polytopes lists them)",
                 {.group = group, .common = words_of_polytopes()});
  command.option("--cost", cost,
                 "a file of what each mistake costs in training, a row per true class (CSV or JSON)",
                 {.group = group});
  command.option(
      "--lambda", options.lambda,
      "strength of the penalty of the sum of losses; scikit-learn's C is 1/lambda, for two classes 2/lambda",
      {.group = group, .show_default = true});
  command.option("--penalty", options.penalty, list(penalty_names()) + " (default: l2, none for perceptrons)",
                 {.group = group, .common = penalty_names()});
  command.option("--rho", options.rho, "elastic_net: lambda/2 |W|^2 + lambda rho |W|_1",
                 {.group = group, .show_default = true});
  command.option("--intercept", intercept,
                 "free, penalised or none (default: free where the solver allows it)",
                 {.group = group, .common = {"free", "penalised", "none"}});
  command.option("--scale", scale, "features: standard, maxabs or none",
                 {.group = group, .show_default = true, .common = {"standard", "maxabs", "none"}});
  command.option("--class-weight", options.class_weight, "balanced, or name=2,other=0.5", {.group = group});
  command.option(
      "--kernel", options.kernel,
      "a kernel model: linear, rbf:gamma=0.5, polynomial:degree=3 … (gamma: 1/(features · variance))",
      {.group = group, .common = names_of_kernels()});
  const OptionSettings solving{.group = "Solver", .show_default = true};
  command.option("--solver", solver, list(solver_names()) + "; parameters as in lbfgs:memory=20",
                 {.group = "Solver", .show_default = true, .common = solver_names()});
  command.option(
      "--tolerance", tolerance,
      "share of the objective that the duality gap may be, where it is known (default: 1e-6, or a gap "
      "at which predictions hardly change any more)",
      {.group = "Solver"});
  command.option("--max-iterations", options.max_iterations, "iterations, or passes over the data", solving);
  command.option("--threads", options.threads,
                 "0: as many as the machine offers; results do not depend on it", solving);
  command.option("--seed", options.seed, "of splits and of random orders", solving);
}

FitOptions FitFlags::parsed() const {
  FitOptions result = options;
  if (given("--tolerance")) result.tolerance = tolerance;
  if (!task.empty()) result.task = parse_task(task);
  if (!cost.empty()) result.cost = read_cost_table(cost).text();
  if (!intercept.empty()) result.intercept = parse_intercept(intercept);
  result.scale = scaling_called(scale);
  result.solver = solver;
  if (given("--rho") && !has_rho(options.penalty)) {
    throw std::invalid_argument("--rho needs --penalty elastic_net, whose parameter it is");
  }
  if (given("--lambda") && options.penalty == "none") {
    throw std::invalid_argument("--lambda is the strength of the penalty; --penalty is none");
  }
  return result;
}

}  // namespace fenchel::cli
