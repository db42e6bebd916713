// SPDX-License-Identifier: Apache-2.0
// The problems of the matrix: hostile data × losses × penalties × intercepts × strengths × storage.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/training/fit.hpp"

namespace fenchel::campaign {

/// Rows that are kept as dense or sparse numbers, double or single.
enum class Keeping { dense, sparse, single };

/// One problem, for any solver.
struct MatrixProblem {
  std::string data;  ///< one of data_names()
  Keeping keeping = Keeping::dense;
  FitOptions options;  ///< loss, penalty, intercept, strength

  std::string description() const;
};

/// "ordinary", "huge", "denormal", …
const std::vector<std::string>& data_names();

/// The rows of that name, at most 8 of 3 features, with the targets of a task.
Dataset hostile_data(const std::string& name, Keeping keeping, Task task);

/// Every combination, in an order that does not change.
std::vector<MatrixProblem> all_problems();

/// F(W) + G(W) by plain sums, one row after the other.
struct PlainObjective {
  double value = 0;
  /// What roundings of the terms x_j w_j, in the precision of the features, may move it: without a penalty,
  /// weights grow until scores are differences of large terms. Losses have slopes of at most about 1.
  double rounding = 0;
};
PlainObjective plain_objective(const MatrixProblem& problem, const Dataset& data,
                               std::span<const double> parameters);

}  // namespace fenchel::campaign
