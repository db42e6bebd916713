// SPDX-License-Identifier: Apache-2.0
// Training: choose an algorithm for a problem, run it to its stopping criterion, say how it went.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fenchel/core/report.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/examples.hpp"
#include "fenchel/training/objective.hpp"
#include "fenchel/training/penalty.hpp"
#include "fenchel/training/problem.hpp"

namespace fenchel {

/// How to train.
struct TrainOptions {
  Penalty penalty = L2(1);
  /// auto, lbfgs, fista, saga, subgradient, dual_ascent or frank_wolfe, with parameters as in
  /// "lbfgs:memory=10".
  std::string solver = "auto";
  /// Done when the algorithm's relative residual (the duality gap over the objective where it is known) is no
  /// larger.
  double tolerance = 1e-6;
  int max_iterations = 1000;  ///< iterations, or passes over the data
  int threads = 0;            ///< 0: as many as the machine offers
  std::uint64_t seed = 0;
  std::span<const double> start = {};  ///< warm start: parameters of the problem's shape; 0 if empty
  /// Called after every step; `false` stops training. Not to be confused with convergence.
  std::function<bool(const Standing&, const Algorithm&)> observer = {};
};

/// Which algorithm, and why it was chosen (or "as asked").
struct SolverChoice {
  std::string solver;
  std::string reason;
};
SolverChoice choose_solver(const LinearProblem<float>& problem, const TrainOptions& options);
SolverChoice choose_solver(const LinearProblem<double>& problem, const TrainOptions& options);
/// The same for other models with parameters of this shape; `smooth_loss` says whether F has a gradient.
SolverChoice choose_solver(const ParameterShape& shape, bool smooth_loss, const TrainOptions& options);

/// The algorithm that the options ask for, at its start. The problem's views must outlive it.
std::unique_ptr<Algorithm> make_algorithm(const LinearProblem<float>& problem, const TrainOptions& options);
std::unique_ptr<Algorithm> make_algorithm(const LinearProblem<double>& problem, const TrainOptions& options);
/// The same for other models, given both as a whole and example by example; either may be missing if the
/// algorithm does not need it.
std::unique_ptr<Algorithm> make_algorithm(std::unique_ptr<Objective> objective,
                                          std::unique_ptr<Examples> examples, bool smooth_loss,
                                          const TrainOptions& options);

/// Parameters, and how they were found.
struct TrainResult {
  std::vector<double> parameters;
  Standing standing;
  Report report;
  SolverChoice choice;
  double seconds = 0;
};
TrainResult train(const LinearProblem<float>& problem, const TrainOptions& options = {});
TrainResult train(const LinearProblem<double>& problem, const TrainOptions& options = {});
TrainResult train(std::unique_ptr<Objective> objective, std::unique_ptr<Examples> examples, bool smooth_loss,
                  const TrainOptions& options = {});

}  // namespace fenchel
