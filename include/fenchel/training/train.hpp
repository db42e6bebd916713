// SPDX-License-Identifier: Apache-2.0
// Training: a problem, a solver, and one loop that runs it to its stopping criterion.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fenchel/core/option_error.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/penalty.hpp"
#include "fenchel/training/problem.hpp"
#include "fenchel/training/solver.hpp"

namespace fenchel {

/// How to train.
struct TrainOptions {
  Penalty penalty = L2(1);
  AnySolver solver = {};  ///< such as Lbfgs{.memory = 20} or its text, "lbfgs:memory=20"; none: auto
  /// Done when the algorithm's relative residual (the duality gap over the objective where it is known) is no
  /// larger. None: when it is at most default_tolerance, or the gap at most sufficient_gap(problem), from
  /// where on predictions hardly change: whichever comes first.
  std::optional<double> tolerance = {};
  int max_iterations = 1000;  ///< iterations, or passes over the data
  int threads = 0;            ///< 0: as many as the machine offers
  std::uint64_t seed = 0;
  std::span<const double> start = {};  ///< warm start: parameters of the problem's shape; 0 if empty
  /// A duality gap that is small enough whatever the objective; none: see `tolerance`.
  std::optional<double> gap = {};

  /// Throws std::invalid_argument naming the option that is out of range.
  void check() const;
};

/// The relative residual to reach where none is asked for.
inline constexpr double default_tolerance = 1e-6;
/// 1e-4 of the losses at scores of 0 (for classes Σ w_i log d with Shannon's entropy): a duality gap from
/// where on accuracies hardly change, whatever the scale of the loss and however small the objective. 0 where
/// the loss has no scale of its own (regression), and for problems of your own.
double sufficient_gap(const Problem& problem, int threads = 0);

/// Which solver, and why it was chosen ("as asked", where it was).
struct SolverChoice {
  AnySolver solver;
  std::string reason;
};
/// The first solver of the list that suits the problem, whatever the options ask for, if one does.
std::optional<SolverChoice> suitable_solver(const Problem& problem, const TrainOptions& options);
/// The solver of the options or, where they leave it to `auto`, the first of the list that suits the problem.
SolverChoice choose_solver(const Problem& problem, const TrainOptions& options);

/// The algorithm that the options ask for, at its start. The problem's views must outlive it. Throws
/// OptionError where the solver refuses the problem, saying what to choose instead.
std::unique_ptr<Algorithm> make_algorithm(const Problem& problem, const TrainOptions& options);

/// Called after every step; `false` stops training, which is not to be confused with convergence.
using Observer = std::function<bool(const StepReport&, const Algorithm&)>;

/// Steps until the algorithm is done or the observer stops it: its last step.
StepReport run(Algorithm& algorithm, const Observer& observer = {});

/// Training has ended with Status::diverged: there is no model. Says what to do about it.
class TrainingDiverged : public OptionError {
 public:
  TrainingDiverged();
};

/// Parameters, and how they were found: not to be used if the report says `diverged`.
struct TrainResult {
  std::vector<double> parameters;
  StepReport last_step;
  Report report;
  SolverChoice choice;
  double seconds = 0;
};
TrainResult train(const Problem& problem, const TrainOptions& options = {}, const Observer& observer = {});

}  // namespace fenchel
