// SPDX-License-Identifier: Apache-2.0
// A training algorithm in progress: it advances one iteration (or one pass over the data) at a time, and can
// be saved and taken up again with the same bits.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "fenchel/core/report.hpp"
#include "fenchel/core/state.hpp"

namespace fenchel {

/// Where an algorithm stands after a step.
struct StepReport {
  double objective = 0;        ///< F(W) + G(W) at the parameters
  std::optional<double> dual;  ///< a lower bound of the optimum, where the algorithm knows one
  std::optional<double> gap;   ///< objective − dual
  double residual = 0;         ///< what the stopping criterion looks at, relative: done when ≤ tolerance
  double tolerance = 0;        ///< the residual that is small enough here
  bool done = false;           ///< converged, stalled, out of iterations or diverged: see report()
};

/// One algorithm at work on one problem.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// Of its solver, for example "lbfgs"; dual_ascent on a kernel problem is "kernel_ascent".
  virtual std::string_view name() const = 0;
  /// One iteration, or one pass over the data. Not to be called again once done.
  virtual StepReport step() = 0;
  /// Where it stands now, found from the data and judged by the options, without an iteration. To be asked
  /// after restore(): a run that had ended may have to go on under a smaller tolerance.
  virtual StepReport assess() = 0;
  /// The parameters to use now.
  virtual std::span<const double> parameters() const = 0;
  /// Status, iterations so far, last residual.
  virtual Report report() const = 0;
  /// Where the algorithm keeps dual variables: w_i (μ_i − y_i) of example i goes into `out`. False where it
  /// has none.
  virtual bool dual_gradient(std::size_t /*i*/, std::span<double> /*out*/) const { return false; }

  /// Names everything that the next step depends on; after reading it, finds again what follows from it.
  virtual void visit_state(StateArchive& archive) = 0;
  State save() const { return save_state(*this); }
  /// Takes up where save() was called, on a fresh algorithm for the same problem with the same options;
  /// tolerance and max_iterations may be others. What follows from other parts of the state and the data is
  /// checked (std::invalid_argument), and whether it is done is for assess() to say.
  void restore(const State& state) { restore_state(*this, state); }
};

}  // namespace fenchel
