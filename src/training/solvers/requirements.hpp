// SPDX-License-Identifier: Apache-2.0
// Reasons to refuse a problem that several solvers share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "fenchel/core/option_error.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel::requirements {

/// Whether it is one of rows of features.
bool is_linear(const Problem& problem);

/// A linear model.
std::optional<Refusal> linear_model(const Problem& problem);

/// A loss with a gradient everywhere.
std::optional<Refusal> smooth_loss(const Problem& problem);
/// A penalty with a gradient everywhere.
std::optional<Refusal> smooth_penalty(const Penalty& penalty);
/// No penalty of groups of several weights.
std::optional<Refusal> no_groups(const Problem& problem, const Penalty& penalty);
/// All parameters penalised: a free intercept couples the examples.
std::optional<Refusal> no_free_intercept(const Problem& problem);
/// A model whose parameters are weights: kernel models have a solver of their own.
std::optional<Refusal> no_kernel(const Problem& problem);

/// The first reason there is.
template <class... Reasons>
std::optional<Refusal> first(const Reasons&... reasons) {
  std::optional<Refusal> found;
  ((found ? void() : void(found = reasons)), ...);
  return found;
}

/// "NAME: reason; choose ...": the settings that the refusal names, and the solver that `auto` would take.
std::string explain(std::string_view name, const Refusal& refusal, const Problem& problem,
                    const TrainOptions& options);

/// The options with what they leave open filled in. Throws unless the solver can train this:
/// std::invalid_argument, or OptionError with what to choose instead.
template <Solver S>
TrainOptions accept(const S& solver, const Problem& problem, const TrainOptions& options) {
  options.check();
  check_problem(problem);
  if (const auto refusal = solver.refuses(problem, options)) {
    throw OptionError(explain(S::traits.name, *refusal, problem, options));
  }
  TrainOptions complete = options;
  if (!options.gap) complete.gap = options.tolerance ? 0 : sufficient_gap(problem, options.threads);
  return complete;
}

/// The pairs that a quasi-Newton method keeps: throws std::invalid_argument for none or very many.
void check_memory(std::size_t memory);

/// "random" and not "cyclic"; throws std::invalid_argument for any other word.
bool random_order(const std::string& order);

}  // namespace fenchel::requirements
