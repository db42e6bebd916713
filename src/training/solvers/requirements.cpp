// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/requirements.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <stdexcept>
#include <variant>
#include <vector>

namespace fenchel::requirements {

bool is_linear(const Problem& problem) {
  return std::holds_alternative<LinearProblem<float>>(problem) ||
         std::holds_alternative<LinearProblem<double>>(problem);
}

std::optional<Refusal> linear_model(const Problem& problem) {
  if (is_linear(problem)) return std::nullopt;
  return Refusal{fmt::format("trains linear models only, not {}", facts_of(problem).kind)};
}

std::optional<Refusal> smooth_loss(const Problem& problem) {
  const ProblemFacts facts = facts_of(problem);
  if (facts.smooth) return std::nullopt;
  return Refusal{fmt::format("needs a loss with a gradient everywhere, and that of {} has kinks",
                             facts.loss.empty() ? facts.kind : facts.loss)};
}

std::optional<Refusal> smooth_penalty(const Penalty& penalty) {
  if (penalty.smooth()) return std::nullopt;
  return Refusal{"needs a smooth penalty, and l1 or group is not 0"};
}

std::optional<Refusal> no_groups(const Problem& problem, const Penalty& penalty) {
  if (penalty.group == 0 || facts_of(problem).shape.width == 1) return std::nullopt;
  return Refusal{"needs a penalty without groups of several weights"};
}

std::optional<Refusal> no_free_intercept(const Problem& problem) {
  if (!facts_of(problem).coupled) return std::nullopt;
  return Refusal{"a free intercept couples all examples", {"intercept=penalised", "intercept=none"}};
}

std::optional<Refusal> no_kernel(const Problem& problem) {
  if (!std::holds_alternative<KernelProblem<float>>(problem) &&
      !std::holds_alternative<KernelProblem<double>>(problem)) {
    return std::nullopt;
  }
  return Refusal{"trains weights of features, which kernel models do not have"};
}

namespace {

// The same problem with a penalised intercept, which dual solvers take.
std::optional<Problem> without_free_intercept(const Problem& problem) {
  return std::visit(
      [](auto kind) -> std::optional<Problem> {
        if constexpr (requires { kind.intercept; }) {
          if (kind.intercept != Intercept::free) return std::nullopt;
          kind.intercept = Intercept::penalised;
          return kind;
        } else {
          return std::nullopt;
        }
      },
      problem);
}

}  // namespace

std::string explain(std::string_view name, const Refusal& refusal, const Problem& problem,
                    const TrainOptions& options) {
  std::vector<std::string> instead;
  for (const std::string& setting : refusal.instead) instead.push_back(fmt::format("`{}`", setting));
  const auto choice = suitable_solver(problem, options);
  if (const auto other = refusal.instead.empty() ? without_free_intercept(problem) : std::nullopt) {
    const auto better = suitable_solver(*other, options);
    if (better && !(choice && choice->solver.name() == better->solver.name())) {
      instead.push_back(fmt::format("`solver={}` with `intercept=penalised`", better->solver.name()));
    }
  }
  if (choice && choice->solver.name() != name)
    instead.push_back(fmt::format("`solver={}`", choice->solver.name()));
  std::string text = fmt::format("{}: {}", name, refusal.reason);
  for (std::size_t k = 0; k < instead.size(); ++k) {
    text += (k == 0 ? "; choose " : k + 1 < instead.size() ? ", " : " or ") + instead[k];
  }
  return text;
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
