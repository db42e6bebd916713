// SPDX-License-Identifier: Apache-2.0
// A training algorithm in progress: it advances one iteration (or one pass over the data) at a time, and can
// be put away and taken up again with the same bits.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "fenchel/core/report.hpp"
#include "fenchel/core/state.hpp"

namespace fenchel {

/// Where an algorithm stands after a step.
struct Standing {
  double objective = 0;        ///< F(W) + G(W) at the parameters
  std::optional<double> dual;  ///< a lower bound of the optimum, where the algorithm knows one
  std::optional<double> gap;   ///< objective − dual
  double residual = 0;         ///< what the stopping criterion looks at, relative: done when ≤ tolerance
  bool done = false;           ///< converged, stalled, or out of iterations: see report()
};

/// One algorithm at work on one problem.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// As in `--solver`, for example "lbfgs".
  virtual std::string_view name() const = 0;
  /// One iteration, or one pass over the data. Not to be called again once done.
  virtual Standing step() = 0;
  /// The parameters to use now.
  virtual std::span<const double> parameters() const = 0;
  /// Status, iterations so far, last residual.
  virtual Report report() const = 0;

  /// Everything that the next step depends on.
  virtual State save() const = 0;
  /// Takes up where save() was called, on the same problem with the same options.
  virtual void restore(const State& state) = 0;
};

}  // namespace fenchel
