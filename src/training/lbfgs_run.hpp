// SPDX-License-Identifier: Apache-2.0
// An L-BFGS of training that can go on in other variables.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/lbfgs.hpp"
#include "fenchel/training/objective.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {

/// The options of a machine, from the specification of the solver; throws std::invalid_argument for one that
/// L-BFGS does not have, and for a penalty that is not smooth.
Lbfgs lbfgs_options(const TrainOptions& options, double noise, int threads);

/// When to go over to variables that heed how features vary together: after as many evaluations as finding
/// them costs, so that never much more than half the time is wasted, whether they were worth it or not. First
/// to some that are the same for all outputs, then to others for each output, as the predictions are by then,
/// and again.
class JoinSchedule {
 public:
  /// Where training starts warm, the first is due at once.
  JoinSchedule(const Objective& objective, bool warm);

  enum class Join { none, shared, apart };
  /// What is due after so many iterations.
  Join due(int iterations) const;
  /// It was done.
  void advance(Join join, int iterations);

  double next() const { return next_; }
  bool shared_done() const { return shared_done_; }
  void set(double next, bool shared_done) {
    next_ = next;
    shared_done_ = shared_done;
  }

 private:
  double apart_cost_;
  double next_;
  bool shared_done_ = false;
};

class LbfgsRun {
 public:
  LbfgsRun(const Lbfgs& options, std::span<const double> start) : options_(options) { begin(start); }

  LbfgsMachine& machine() { return *machine_; }
  const LbfgsMachine& machine() const { return *machine_; }
  /// Steps of this machine and of those before it.
  int iterations() const { return earlier_ + machine_->iterations(); }
  Report report() const;

  /// A new machine, which forgets the curvature it saw.
  void restart(std::span<const double> start);

  State save() const;
  void restore(const State& state);

 private:
  void begin(std::span<const double> start);

  Lbfgs options_;
  std::unique_ptr<Workspace> memory_;
  std::optional<LbfgsMachine> machine_;
  int earlier_ = 0;
};

}  // namespace fenchel
