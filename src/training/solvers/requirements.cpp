// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/requirements.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <variant>

namespace fenchel::requirements {

bool is_linear(const Problem& problem) {
  return std::holds_alternative<LinearProblem<float>>(problem) ||
         std::holds_alternative<LinearProblem<double>>(problem);
}

namespace {

// Whether dual_ascent trains it with the l2 penalty.
bool has_dual(const Problem& problem) {
  const auto* chains = std::get_if<ChainProblem>(&problem);
  return is_linear(problem) || (chains && chains->loss(1).loss.omega().ridge());
}

}  // namespace

const char* primal_solver(const Problem& problem, const Penalty& penalty) {
  if (!facts_of(problem).smooth) return "subgradient";
  if (penalty.smooth()) return "lbfgs";
  return is_linear(problem) ? "prox_newton" : "fista";
}

std::optional<std::string> linear_model(const Problem& problem, const Penalty& penalty) {
  if (is_linear(problem)) return std::nullopt;
  if (auto kernel = no_kernel(problem)) return kernel;
  return fmt::format("trains linear models only; choose `solver={}` for {}", primal_solver(problem, penalty),
                     facts_of(problem).kind);
}

std::optional<std::string> smooth_loss(const Problem& problem) {
  const ProblemFacts facts = facts_of(problem);
  if (facts.smooth) return std::nullopt;
  return fmt::format(
      "needs a loss with a gradient everywhere, and that of {} has kinks; choose {}`solver=frank_wolfe` "
      "(with l2 > 0 alone and an intercept that is not free) or `solver=subgradient`",
      facts.loss.empty() ? facts.kind : facts.loss, has_dual(problem) ? "`solver=dual_ascent`, " : "");
}

std::optional<std::string> smooth_penalty(const Problem& problem, const Penalty& penalty) {
  if (penalty.smooth()) return std::nullopt;
  return fmt::format(
      "needs a smooth penalty, and l1 or group is not 0; choose {}`solver=owlqn` (l1), `solver=fista`{}",
      is_linear(problem) ? "`solver=prox_newton`, " : "",
      is_linear(problem) ? ", or with l2 > 0 `solver=dual_ascent`" : "");
}

std::optional<std::string> no_groups(const Problem& problem, const Penalty& penalty) {
  if (penalty.group == 0 || facts_of(problem).shape.width == 1) return std::nullopt;
  return fmt::format("needs a penalty without groups of several weights; choose {}`solver=fista`",
                     is_linear(problem) ? "`solver=prox_newton` or " : "");
}

std::optional<std::string> no_free_intercept(const Problem& problem, const Penalty& penalty) {
  if (!facts_of(problem).coupled) return std::nullopt;
  return fmt::format(
      "a free intercept couples all examples; choose `intercept=penalised`, `intercept=none` or `solver={}`",
      primal_solver(problem, penalty));
}

std::optional<std::string> no_kernel(const Problem& problem) {
  if (!std::holds_alternative<KernelProblem<float>>(problem) &&
      !std::holds_alternative<KernelProblem<double>>(problem)) {
    return std::nullopt;
  }
  return "kernel models are trained by `solver=dual_ascent` alone";
}

void check_memory(std::size_t memory) {
  constexpr std::size_t most_memory = 1000;
  if (memory >= 1 && memory <= most_memory) return;
  throw std::invalid_argument(
      fmt::format("memory is {}; expected a whole number from 1 to {}", memory, most_memory));
}

bool random_order(const std::string& order) {
  if (order == "random" || order == "cyclic") return order == "random";
  throw std::invalid_argument("order is '" + order + "'; expected random or cyclic");
}

}  // namespace fenchel::requirements
