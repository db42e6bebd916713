// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "core/spec_reader.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/option_error.hpp"
#include "training/solvers/gram_matrix.hpp"

namespace fenchel {
namespace {

constexpr std::array<std::string_view, 3> intercept_names{"free", "penalised", "none"};

// The name of a penalty that no other name means.
constexpr std::string_view mixture = "mixture";

std::string penalty_text(const FitOptions& options, std::optional<double> scikit_c) {
  if (options.penalty == "none" || options.penalty == mixture) {
    const bool idle = options.penalty == "none" && options.lambda != FitOptions{}.lambda;
    return fmt::format("penalty: {}{}", options.penalty,
                       idle ? ", so that `lambda` has no effect; `penalty=l2` takes it" : "");
  }
  const std::string scikit = scikit_c ? fmt::format("; scikit-learn's C = {:.6g}", *scikit_c) : "";
  return fmt::format("penalty: {}, `lambda` = {:.6g} (of the sum of losses{})", options.penalty,
                     options.lambda, scikit);
}

// The options with this penalty, and how it is called.
FitOptions options_of(const Penalty& penalty) {
  penalty.check();
  FitOptions options{.penalty = "none", .exact_penalty = penalty};
  if (penalty.group > 0) {
    options.penalty = penalty.l1 > 0 || penalty.l2 > 0 ? mixture : "group_lasso";
    options.lambda = penalty.group;
  } else if (penalty.l2 > 0) {
    options.penalty = penalty.l1 > 0 ? "elastic_net" : "l2";
    options.lambda = penalty.l2;
    options.rho = penalty.l1 / penalty.l2;
  } else if (penalty.l1 > 0) {
    options.penalty = "l1";
    options.lambda = penalty.l1;
  }
  return options;
}

Task task_of(const FenchelYoungLoss& loss, const Dataset& data) {
  const Task guess = guess_task(data).task;
  switch (loss.traits().domain) {
    case Domain::simplex:
      return guess == Task::proportions ? guess : Task::classification;
    case Domain::cube:
      return guess == Task::classification ? guess : Task::multilabel;
    case Domain::reals:
    case Domain::cone:
      return Task::regression;
    case Domain::polytope:
      break;
  }
  return guess == Task::regression ? Task::structured : guess;  // rows of numbers: points of the hull
}

// The number of entries of a structure, where the task has structures and the options name the set.
std::size_t size_of_structures(Task task, const FitOptions& options) {
  const bool named = !options.omega.empty() || !options.polytope.empty();
  return task == Task::structured && named ? structure_size(loss_text(task, options)) : 0;
}

template <class Kind>
std::size_t count(const Kind& problem) {
  return problem.examples();
}
std::size_t count(const OwnProblem& problem) { return problem.examples ? problem.examples->size() : 0; }

// With other targets than those that the data have; the options' task is not looked at.
std::shared_ptr<PreparedData> prepare_rows(const Dataset& data, TaskTargets targets,
                                           const FitOptions& options) {
  check_size("the targets", targets.examples(), data.rows());
  auto result = std::make_shared<PreparedData>();
  result->task = targets.task;
  std::vector<double> weights = data.weights;
  if (!options.class_weight.empty()) {
    weights = sample_weights(targets, class_weights(targets, options.class_weight, weights), weights);
  }
  // A row counts here as it does in the loss.
  result->scaler = Scaler::fit(data.x, options.scale, weights, data.feature_names);
  ScaledFeatures scaled = result->scaler.apply(data.x);
  result->x = std::move(scaled.x);
  result->center = std::move(scaled.center);
  result->weights = std::move(weights);
  result->targets = std::move(targets);
  result->grams = std::make_shared<GramCache>();
  return result;
}

}  // namespace

std::string loss_text(Task task, const FitOptions& options) {
  std::string text = options.omega.empty() ? std::string(default_loss(task)) : options.omega;
  if (options.polytope.empty()) return text;
  if (task != Task::structured) {
    throw OptionError(fmt::format("`polytope` is '{}'; {} has none, `task=structured` has", options.polytope,
                                  to_string(task)));
  }
  return over_polytope(text, options.polytope);
}

FitOptions with_penalty(const FitOptions& options, const FenchelYoungLoss& loss) {
  FitOptions result = options;
  // Ω = 0 and no cost: the loss is 0 at W = 0, where any penalty would bring it.
  const bool perceptron = loss.cost().empty() && loss.omega().ridge() == 0.0;
  if (result.penalty.empty()) result.penalty = perceptron ? "none" : "l2";
  return result;
}

void Fit::note_choices(const SolverChoice& choice, const std::string& loss, const FitOptions& options,
                       std::optional<double> scikit_c) {
  remarks_.push_back(fmt::format("loss: {}", loss));
  remarks_.push_back(penalty_text(options, scikit_c));
  remarks_.push_back(fmt::format("solver: {} ({})", choice.solver.name(), choice.reason));
}

void Fit::settle_gap(const Problem& problem, TrainOptions& options) {
  if (options.tolerance || options.gap) return;
  options.gap = sufficient_gap(problem, options.threads);
  if (!(options.penalty.l2 > 0) || *options.gap == 0) return;  // no gap is known, or none is enough
  const std::size_t examples = std::visit([](const auto& kind) { return count(kind); }, problem);
  remarks_.push_back(fmt::format(
      "ends at a duality gap of {:.3g} ({:.2g} per example), where predictions hardly change any more; "
      "`tolerance` asks for a share of the objective instead",
      *options.gap, *options.gap / static_cast<double>(std::max<std::size_t>(examples, 1))));
}

std::vector<std::string> Fit::remarks(OptionSpelling spelling) const {
  std::vector<std::string> result;
  for (const std::string& remark : remarks_) result.push_back(spell_options(remark, spelling));
  return result;
}

void Fit::note_training(std::map<std::string, std::string>& provenance, const Algorithm& algorithm) {
  const Report report = algorithm.report();
  provenance["solver"] = algorithm.name();
  provenance["status"] = to_string(report.status);
  provenance["iterations"] = std::to_string(report.iterations);
}

Certificate Fit::certificate_of(const AnyModel&) const { throw OptionError(*refuses_certificate()); }

std::optional<std::string> Fit::refuses_certificate() const {
  return "`certificate`: taggers and rankings of documents have none; linear and kernel models have";
}

TrainOptions train_options(const FitOptions& options, std::span<const double> start) {
  TrainOptions result;
  result.penalty = options.exact_penalty ? *options.exact_penalty
                                         : make_penalty(options.penalty, options.lambda, options.rho);
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
    throw OptionError(fmt::format("`intercept` is '{}'; expected free, penalised or none", name));
  }
  return static_cast<Intercept>(found - intercept_names.begin());
}

std::shared_ptr<const PreparedData> prepare(const Dataset& data, const FitOptions& options) {
  if (data.rows() == 0) throw std::invalid_argument(fmt::format("{}: no examples", data.source));
  std::vector<std::string> remarks;
  const TaskGuess guess = options.task ? TaskGuess{*options.task, ""} : guess_task(data);
  if (!options.task) remarks.push_back(fmt::format("task: {} ({})", to_string(guess.task), guess.reason));
  TaskTargets targets = make_targets(data, guess.task, {}, size_of_structures(guess.task, options));
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
  const auto result = prepare_rows(chosen, std::move(targets), options);
  result->source = data.source;
  result->feature_names = data.feature_names;
  result->fill = data.fill;
  result->nominal = data.nominal;
  result->remarks = std::move(remarks);
  return result;
}

std::shared_ptr<PreparedData> prepare(const Features& x, TaskTargets targets, std::vector<double> weights,
                                      const FitOptions& options) {
  Dataset data;
  data.x = x;
  data.weights = std::move(weights);
  return prepare_rows(data, std::move(targets), options);
}

AnyModel Fit::model() {
  if (algorithm().report().status == Status::diverged) throw TrainingDiverged();
  return model_of(algorithm().parameters());
}

Fitted fit(const Dataset& data, const FitOptions& options) {
  const std::unique_ptr<Fit> fit = make_fit(prepare(data, options), options);
  const StepReport last_step = run(fit->algorithm());
  return {fit->model(), fit->algorithm().report(), last_step};
}

FittedLinear fit(const FenchelYoungLoss& loss, const Dataset& data, const Penalty& penalty,
                 const AnySolver& solver) {
  FitOptions options = options_of(penalty);
  options.task = task_of(loss, data);
  options.solver = solver;
  const std::unique_ptr<Fit> fit = make_fit(prepare(data, options), loss, options);
  const StepReport last_step = run(fit->algorithm());
  return {std::get<LinearModel>(fit->model()), fit->algorithm().report(), last_step};
}

}  // namespace fenchel
