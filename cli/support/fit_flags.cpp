// SPDX-License-Identifier: Apache-2.0
#include "support/fit_flags.hpp"

#include <fmt/format.h>

namespace fenchel::cli {

void FitFlags::add(CLI::App& command) {
  constexpr const char* group = "Model";
  command
      .add_option(
          "--task", task,
          "classification, proportions, multilabel, regression, ranking, label-ranking or tagging (else "
          "a guess from the data, which is said)")
      ->group(group);
  command
      .add_option("--omega,--loss", options.omega,
                  "the regularizer, as name:key=value,… or JSON, or a loss: logistic, sparsemax, hinge, svm, "
                  "perceptron, softmax-margin, modified-huber, crf, sparsemap …")
      ->group(group);
  command
      .add_option("--lambda", options.lambda,
                  "strength of the penalty of the sum of losses; scikit-learn's C is 1/lambda")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--penalty", options.penalty,
                  "l2, l1, elastic_net, group_lasso or none (else l2, but none for perceptrons)")
      ->group(group);
  command.add_option("--rho", options.rho, "elastic_net: lambda/2 |W|^2 + lambda rho |W|_1")
      ->capture_default_str()
      ->group(group);
  command.add_option("--intercept", intercept, "free, penalised or none (else free where the solver can)")
      ->group(group);
  command.add_option("--scale", scale, "features: standard, maxabs or none")
      ->capture_default_str()
      ->group(group);
  command.add_option("--class-weight", options.class_weight, "balanced, or name=2,other=0.5")->group(group);
  command
      .add_option("--kernel", options.kernel, "a kernel model: linear, rbf:gamma=0.5, polynomial:degree=3 …")
      ->group(group);
  constexpr const char* solving = "Solver";
  command
      .add_option("--solver", options.solver,
                  "auto, lbfgs, fista, saga, subgradient, dual_ascent or frank_wolfe, with name:key=value")
      ->capture_default_str()
      ->group(solving);
  command.add_option("--tolerance", options.tolerance, "relative: of the duality gap where it is known")
      ->capture_default_str()
      ->group(solving);
  command.add_option("--max-iterations", options.max_iterations, "iterations, or passes over the data")
      ->capture_default_str()
      ->group(solving);
  command
      .add_option("--threads", options.threads,
                  "0: as many as the machine offers; results do not depend on it")
      ->capture_default_str()
      ->group(solving);
  command.add_option("--seed", options.seed, "of splits and of random orders")
      ->capture_default_str()
      ->group(solving);
}

FitOptions FitFlags::parsed() const {
  FitOptions result = options;
  if (!task.empty()) result.task = parse_task(task);
  if (!intercept.empty()) result.intercept = parse_intercept(intercept);
  result.scale = scaling_called(scale);
  return result;
}

std::map<std::string, std::string> FitFlags::identity() const {
  return {{"task", task},
          {"omega", options.omega},
          {"lambda", fmt::format("{}", options.lambda)},
          {"penalty", options.penalty},
          {"rho", fmt::format("{}", options.rho)},
          {"intercept", intercept},
          {"scale", scale},
          {"class-weight", options.class_weight},
          {"kernel", options.kernel},
          {"solver", options.solver},
          {"seed", std::to_string(options.seed)}};
}

}  // namespace fenchel::cli
