// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/requirements.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <variant>

namespace fenchel::requirements {
namespace {

bool is_linear(const Problem& problem) {
  return std::holds_alternative<LinearProblem<float>>(problem) ||
         std::holds_alternative<LinearProblem<double>>(problem);
}

}  // namespace

std::optional<std::string> smooth_loss(const Problem& problem) {
  const ProblemFacts facts = facts_of(problem);
  if (facts.smooth) return std::nullopt;
  return fmt::format(
      "needs a loss with a gradient everywhere, and that of {} has kinks; choose {}`solver=frank_wolfe` "
      "(with l2 > 0 alone and an intercept that is not free) or `solver=subgradient`",
      facts.loss.empty() ? facts.kind : facts.loss, is_linear(problem) ? "`solver=dual_ascent`, " : "");
}

std::optional<std::string> smooth_penalty(const Problem& problem, const Penalty& penalty) {
  if (penalty.smooth()) return std::nullopt;
  return fmt::format(
      "needs a smooth penalty, and l1 or group is not 0; choose `solver=owlqn` (l1), `solver=fista`{}",
      is_linear(problem) ? ", or with l2 > 0 `solver=dual_ascent`" : "");
}

std::optional<std::string> no_groups(const Penalty& penalty) {
  if (penalty.group == 0) return std::nullopt;
  return "needs a penalty without groups; choose `solver=fista`";
}

std::optional<std::string> no_free_intercept(const Problem& problem, const Penalty& penalty) {
  const ProblemFacts facts = facts_of(problem);
  if (!facts.coupled) return std::nullopt;
  const char* otherwise = !facts.smooth ? "subgradient" : penalty.smooth() ? "lbfgs" : "fista";
  return fmt::format(
      "a free intercept couples all examples; choose `intercept=penalised`, `intercept=none` or `solver={}`",
      otherwise);
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
