// SPDX-License-Identifier: Apache-2.0
// An L-BFGS of training that can go on in other variables.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/lbfgs.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {

/// The options of a machine, from the specification of the solver; throws std::invalid_argument for one that
/// L-BFGS does not have, and for a penalty that is not smooth.
Lbfgs lbfgs_options(const TrainOptions& options, double noise, int threads);

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
