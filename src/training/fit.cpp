// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "core/spec_reader.hpp"
#include "fenchel/core/check.hpp"

namespace fenchel {
namespace {

constexpr std::array<std::string_view, 3> intercept_names{"free", "penalised", "none"};
constexpr std::array<std::string_view, 5> penalty_names{"none", "l2", "l1", "elastic_net", "group_lasso"};

}  // namespace

FitOptions with_penalty(const FitOptions& options, bool perceptron) {
  FitOptions result = options;
  if (result.penalty.empty()) result.penalty = perceptron ? "none" : "l2";
  return result;
}

std::string penalty_text(const FitOptions& options) {
  if (options.penalty == "none") return "penalty: none";
  const std::string scikit =
      options.lambda > 0 ? fmt::format("; scikit-learn's C = {:.6g}", 1 / options.lambda) : "";
  return fmt::format("penalty: {}, lambda = {:.6g} (of the sum of losses{})", options.penalty, options.lambda,
                     scikit);
}

TrainOptions train_options(const FitOptions& options, std::span<const double> start) {
  TrainOptions result;
  result.penalty = make_penalty(options.penalty, options.lambda, options.rho);
  result.solver = options.solver;
  result.tolerance = options.tolerance;
  result.max_iterations = options.max_iterations;
  result.threads = options.threads;
  result.seed = options.seed;
  result.start = start;
  return result;
}

std::string_view to_string(Intercept intercept) {
  return intercept_names[static_cast<std::size_t>(intercept)];
}

Intercept parse_intercept(std::string_view name) {
  const auto* found = std::ranges::find(intercept_names, name);
  if (found == intercept_names.end()) {
    throw std::invalid_argument(fmt::format("intercept is '{}'; expected free, penalised or none", name));
  }
  return static_cast<Intercept>(found - intercept_names.begin());
}

Penalty make_penalty(std::string_view name, double lambda, double rho) {
  Penalty result;
  if (name == "l2") {
    result = L2(lambda);
  } else if (name == "l1") {
    result = L1(lambda);
  } else if (name == "elastic_net") {
    result = ElasticNet(lambda, rho);
  } else if (name == "group_lasso") {
    result = GroupLasso(lambda);
  } else if (name != "none") {
    const std::vector<std::string_view> names(penalty_names.begin(), penalty_names.end());
    throw std::invalid_argument(fmt::format("unknown penalty '{}'{}", name, spec::suggestion(name, names)));
  }
  if (name != "none") check_at_least("lambda", lambda, 0);
  result.check();
  return result;
}

std::shared_ptr<const PreparedData> prepare(const Dataset& data, const FitOptions& options) {
  if (data.rows() == 0) throw std::invalid_argument(fmt::format("{}: no examples", data.source));
  std::vector<std::string> remarks;
  const TaskGuess guess = options.task ? TaskGuess{*options.task, ""} : guess_task(data);
  if (!options.task) remarks.push_back(fmt::format("task: {} ({})", to_string(guess.task), guess.reason));
  TaskTargets targets = make_targets(data, guess.task);
  if (targets.examples() == 0) {
    throw std::invalid_argument(
        fmt::format("{}: no example has a target for {}", data.source, to_string(guess.task)));
  }
  const bool all = targets.examples() == data.rows();
  if (!all) {
    remarks.push_back(
        fmt::format("{} of {} rows have no label and are left out", targets.dropped, data.rows()));
  }
  const Dataset chosen = all ? data : select_rows(data, targets.kept);
  const auto result = prepare(chosen.x, std::move(targets), chosen.weights, options);
  result->source = data.source;
  result->feature_names = data.feature_names;
  result->fill = data.fill;
  result->nominal = data.nominal;
  result->remarks = std::move(remarks);
  return result;
}

std::shared_ptr<PreparedData> prepare(const Features& x, TaskTargets targets, std::vector<double> weights,
                                      const FitOptions& options) {
  check_size("the targets", targets.examples(), x.rows());
  auto result = std::make_shared<PreparedData>();
  result->task = targets.task;
  result->scaler = Scaler::fit(x, options.scale);
  ScaledFeatures scaled = result->scaler.apply(x);
  result->x = std::move(scaled.x);
  result->center = std::move(scaled.center);
  if (!options.class_weight.empty()) {
    weights = sample_weights(targets, class_weights(targets, options.class_weight, weights), weights);
  }
  result->weights = std::move(weights);
  result->targets = std::move(targets);
  return result;
}

Fitted fit(const Dataset& data, const FitOptions& options) {
  const std::unique_ptr<Fit> fit = make_fit(prepare(data, options), options);
  Standing standing;
  do {
    standing = fit->algorithm().step();
  } while (!standing.done);
  return {fit->model(), fit->algorithm().report(), standing};
}

}  // namespace fenchel
