// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "fenchel/core/check.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/regularizers/squared.hpp"
#include "fenchel/regularizers/tsallis.hpp"
#include "fenchel/training/dual_ascent.hpp"
#include "fenchel/training/frank_wolfe.hpp"
#include "fenchel/training/linear_examples.hpp"
#include "fenchel/training/linear_objective.hpp"
#include "fenchel/training/primal.hpp"
#include "fenchel/training/saga.hpp"
#include "fenchel/training/subgradient.hpp"
#include "training/problem_rows.hpp"

namespace fenchel {
namespace {

constexpr std::array<std::string_view, 6> solvers = {"lbfgs",       "fista",       "saga",
                                                     "subgradient", "dual_ascent", "frank_wolfe"};
// Where features outnumber examples by this much, dual variables are the smaller problem.
constexpr std::size_t many_features = 4;
// Where the mean of ‖x‖² / λ is at most this, dual ascent needs some tens of passes.
constexpr double largest_norm_over_lambda = 100;

std::string solver_name(const TrainOptions& options) {
  std::string name = parse_spec(options.solver, "solver").name;
  if (name == "auto" || std::ranges::find(solvers, name) != solvers.end()) return name;
  throw std::invalid_argument(
      fmt::format("solver is '{}'; expected auto, {}", name, fmt::join(solvers, ", ")));
}

void check_options(const TrainOptions& options) {
  options.penalty.check();
  check_at_least("tolerance", options.tolerance, 0);
  check_at_least("max_iterations", options.max_iterations, 0);
  check_at_least("threads", options.threads, 0);
}

// Whether the loss has a gradient everywhere (paper Proposition 2.4).
bool has_gradient(const AnyRegularizer& omega) { return omega.refined_traits().strictly_convex; }

// Ω whose proximity operator is a projection or a division, with nothing to iterate.
bool has_quick_prox(const AnyRegularizer& omega) {
  const auto* tsallis = omega.get_if<Tsallis>();
  return (tsallis && tsallis->alpha == 2) || omega.get_if<Squared>();
}

// Whether the dual comes near in some tens of passes: they grow with ‖x‖² / λ, as each example's own update
// reaches less far against the others'. Standardised features, for one, make ‖x‖² as large as their number.
template <Real T>
bool few_passes(const LinearProblem<T>& problem, double l2) {
  const ProblemRows<T> rows(problem);
  double norms = 0;
  for (std::size_t i = 0; i < problem.examples(); ++i) norms += rows.squared_norm(i);
  double center = 0;
  for (const double c : problem.center) center += c * c;
  return norms <= static_cast<double>(problem.examples()) * (center + largest_norm_over_lambda * l2);
}

std::string_view omega_name(const AnyRegularizer& omega) { return omega.refined_traits().name; }

SolverChoice choose_without_gradient(const AnyRegularizer& omega, Intercept intercept,
                                     const Penalty& penalty) {
  const Traits traits = omega.refined_traits();
  const std::string kinks = fmt::format("the loss of {} has kinks", traits.name);
  if (penalty.l2 == 0)
    return {"subgradient", kinks + " and the penalty no l2 term, so there is no dual to climb"};
  if (intercept == Intercept::free) {
    return {"subgradient", kinks +
                               ", and a free intercept keeps the dual algorithms away (a penalised one, or "
                               "none, would let them be exact)"};
  }
  if (!traits.convex) return {"subgradient", kinks + " and omega is not convex, so it has no prox"};
  const AnyPolytope* set = omega.polytope();
  const bool projects = set != nullptr && set->offers(Oracle::project);
  if (traits.domain == Domain::polytope && !projects && penalty.smooth()) {
    return {"frank_wolfe", kinks + "; over structures, its steps need a best structure only"};
  }
  return {"dual_ascent", kinks + ", which the dual does not mind, and the duality gap tells when to stop"};
}

template <Real T>
SolverChoice choose(const LinearProblem<T>& problem, const TrainOptions& options) {
  const std::string asked = solver_name(options);
  if (asked != "auto") return {asked, "as asked"};
  const Penalty& penalty = options.penalty;
  if (!has_gradient(problem.omega)) return choose_without_gradient(problem.omega, problem.intercept, penalty);
  if (!penalty.smooth())
    return {"fista", "the penalty has kinks (l1 or group), which its proximity operator handles"};
  const Traits traits = problem.omega.refined_traits();
  const bool dual = penalty.l2 > 0 && problem.intercept != Intercept::free && traits.strongly_convex &&
                    traits.convex && traits.domain != Domain::polytope;
  if (dual && problem.x.sparse() && problem.features() > many_features * problem.examples()) {
    return {"dual_ascent", fmt::format("{} sparse examples with {} features: the dual is the smaller problem",
                                       problem.examples(), problem.features())};
  }
  if (dual && problem.x.sparse() && has_quick_prox(problem.omega) && few_passes(problem, penalty.l2)) {
    return {"dual_ascent", "sparse examples, and a step of the dual costs hardly more than reading one"};
  }
  return {"lbfgs", "loss and penalty are smooth"};
}

[[noreturn]] void refuse_kinks(std::string_view solver, std::string_view loss) {
  throw std::invalid_argument(fmt::format(
      "{} needs a loss with a gradient everywhere, and that of {} has kinks; choose dual_ascent or "
      "frank_wolfe (with l2 > 0 and an intercept that is not free) or subgradient",
      solver, loss));
}

bool needs_gradient(std::string_view solver) {
  return solver == "lbfgs" || solver == "fista" || solver == "saga";
}

template <Real T>
std::unique_ptr<Algorithm> make(const LinearProblem<T>& problem, const TrainOptions& options) {
  check_options(options);
  check_problem(problem);
  const std::string solver = choose(problem, options).solver;
  if (needs_gradient(solver) && !has_gradient(problem.omega)) refuse_kinks(solver, omega_name(problem.omega));
  if (solver == "saga") return make_saga(problem, options);
  if (solver == "dual_ascent") return make_dual_ascent(problem, options);
  if (solver == "frank_wolfe") return make_frank_wolfe(make_linear_examples(problem), options);
  if (solver == "subgradient") return make_subgradient(make_linear_examples(problem), options);
  auto objective = make_linear_objective(problem, options.threads);
  if (solver == "fista") return make_fista(std::move(objective), options);
  const bool apart = objective->separable() && problem.outputs > 1;
  return apart ? make_separate_lbfgs(std::move(objective), options)
               : make_lbfgs(std::move(objective), options);
}

TrainResult run(std::unique_ptr<Algorithm> algorithm, SolverChoice choice, const TrainOptions& options,
                std::chrono::steady_clock::time_point start) {
  TrainResult result;
  result.choice = std::move(choice);
  while (!result.standing.done) {
    result.standing = algorithm->step();
    if (options.observer && !options.observer(result.standing, *algorithm)) break;
  }
  result.parameters.assign(algorithm->parameters().begin(), algorithm->parameters().end());
  result.report = algorithm->report();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

template <Real T>
TrainResult train_linear(const LinearProblem<T>& problem, const TrainOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  return run(make(problem, options), choose(problem, options), options, start);
}

}  // namespace

SolverChoice choose_solver(const LinearProblem<float>& problem, const TrainOptions& options) {
  return choose(problem, options);
}
SolverChoice choose_solver(const LinearProblem<double>& problem, const TrainOptions& options) {
  return choose(problem, options);
}

SolverChoice choose_solver(const ParameterShape& shape, bool smooth_loss, const TrainOptions& options) {
  const std::string asked = solver_name(options);
  if (asked != "auto") return {asked, "as asked"};
  const Penalty& penalty = options.penalty;
  if (smooth_loss && penalty.smooth()) return {"lbfgs", "loss and penalty are smooth"};
  if (smooth_loss)
    return {"fista", "the penalty has kinks (l1 or group), which its proximity operator handles"};
  if (penalty.l2 > 0 && penalty.smooth() && shape.size == shape.penalised) {
    return {"frank_wolfe",
            "the loss has kinks; its steps need a best structure only, and the gap tells when to stop"};
  }
  return {"subgradient",
          "the loss has kinks, and without l2 alone on all parameters there is no dual to climb"};
}

std::unique_ptr<Algorithm> make_algorithm(const LinearProblem<float>& problem, const TrainOptions& options) {
  return make(problem, options);
}
std::unique_ptr<Algorithm> make_algorithm(const LinearProblem<double>& problem, const TrainOptions& options) {
  return make(problem, options);
}

std::unique_ptr<Algorithm> make_algorithm(std::unique_ptr<Objective> objective,
                                          std::unique_ptr<Examples> examples, bool smooth_loss,
                                          const TrainOptions& options) {
  check_options(options);
  if (!objective && !examples) throw std::invalid_argument("objective and examples are both missing");
  const ParameterShape shape = objective ? objective->shape() : examples->shape();
  const std::string solver = choose_solver(shape, smooth_loss, options).solver;
  if (solver == "saga" || solver == "dual_ascent") {
    throw std::invalid_argument(fmt::format(
        "{} trains linear models only; choose lbfgs, fista, frank_wolfe or subgradient for this one",
        solver));
  }
  if (needs_gradient(solver) && !smooth_loss) refuse_kinks(solver, "this model");
  const bool whole = solver == "lbfgs" || solver == "fista";
  if (whole ? !objective : !examples) {
    throw std::invalid_argument(
        fmt::format("{} needs {}, which is missing", solver, whole ? "an objective" : "examples"));
  }
  if (solver == "lbfgs") return make_lbfgs(std::move(objective), options);
  if (solver == "fista") return make_fista(std::move(objective), options);
  if (solver == "frank_wolfe") return make_frank_wolfe(std::move(examples), options);
  return make_subgradient(std::move(examples), options);
}

TrainResult train(const LinearProblem<float>& problem, const TrainOptions& options) {
  return train_linear(problem, options);
}
TrainResult train(const LinearProblem<double>& problem, const TrainOptions& options) {
  return train_linear(problem, options);
}

TrainResult train(std::unique_ptr<Objective> objective, std::unique_ptr<Examples> examples, bool smooth_loss,
                  const TrainOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const ParameterShape shape = objective  ? objective->shape()
                               : examples ? examples->shape()
                                          : ParameterShape{};
  SolverChoice choice = choose_solver(shape, smooth_loss, options);
  return run(make_algorithm(std::move(objective), std::move(examples), smooth_loss, options),
             std::move(choice), options, start);
}

}  // namespace fenchel
