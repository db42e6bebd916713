// SPDX-License-Identifier: Apache-2.0
// Reasons to refuse a problem that several solvers share, with what to choose instead.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "fenchel/core/option_error.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel::requirements {

/// Whether it is one of rows of features.
bool is_linear(const Problem& problem);
/// The name of a solver of weights that trains every problem of this kind with this penalty.
const char* primal_solver(const Problem& problem, const Penalty& penalty);

/// A linear model.
std::optional<std::string> linear_model(const Problem& problem, const Penalty& penalty);

/// A loss with a gradient everywhere.
std::optional<std::string> smooth_loss(const Problem& problem);
/// A penalty with a gradient everywhere.
std::optional<std::string> smooth_penalty(const Problem& problem, const Penalty& penalty);
/// No penalty of groups of several weights.
std::optional<std::string> no_groups(const Problem& problem, const Penalty& penalty);
/// All parameters penalised: a free intercept couples the examples.
std::optional<std::string> no_free_intercept(const Problem& problem, const Penalty& penalty);
/// A model whose parameters are weights: kernel models have a solver of their own.
std::optional<std::string> no_kernel(const Problem& problem);

/// The first reason there is.
template <class... Reasons>
std::optional<std::string> first(const Reasons&... reasons) {
  std::optional<std::string> found;
  ((found ? void() : void(found = reasons)), ...);
  return found;
}

/// Throws unless the solver can train this: std::invalid_argument, or OptionError with what to choose
/// instead.
template <Solver S>
void accept(const S& solver, const Problem& problem, const TrainOptions& options) {
  options.check();
  check_problem(problem);
  if (const auto reason = solver.refuses(problem, options)) {
    throw OptionError(std::string(S::traits.name) + ": " + *reason);
  }
}

/// The pairs that a quasi-Newton method keeps: throws std::invalid_argument for none or very many.
void check_memory(std::size_t memory);

/// "random" and not "cyclic"; throws std::invalid_argument for any other word.
bool random_order(const std::string& order);

}  // namespace fenchel::requirements
