// SPDX-License-Identifier: Apache-2.0
// An L-BFGS of training that can go on in other variables.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/training/solvers/lbfgs.hpp"
#include "fenchel/training/train.hpp"
#include "solvers/lbfgs_minimizer.hpp"
#include "training/solvers/primal_parts.hpp"

namespace fenchel {

/// The options of a machine.
inline LbfgsMinimizer minimizer_of(const Lbfgs& solver, const TrainOptions& options, double noise,
                                   int threads) {
  return {.tolerance = 0,
          .max_iterations = options.max_iterations,
          .memory = static_cast<int>(solver.memory),
          .smooth = true,
          .noise = noise,
          .threads = threads};
}

/// f and its gradient at a point, found from the data. `size` is that of the gradient at the start: rounding
/// does not get smaller with what is left of it.
struct FreshEvaluation {
  double first;  // value at the start
  double value;
  std::span<const double> gradient;
  double size;
};
/// Refuses the state of a machine, `name`, that does not fit what the data say about its point.
inline void check_point(const StateArchive& archive, const std::string& name, const LbfgsMachine& machine,
                        const FreshEvaluation& expected) {
  constexpr double share = 1e-6;  // of the size, that rounding is taken relative to
  archive.check(name + ".value", descends(expected.first, expected.value));
  archive.check_data(name + ".value", machine.value(), expected.value);
  archive.check_data(name + ".gradient", machine.gradient(), expected.gradient,
                     max_abs(expected.gradient) + share * expected.size);
}
class LbfgsRun {
 public:
  LbfgsRun(const LbfgsMinimizer& options, std::span<const double> start) : options_(options) { begin(start); }

  LbfgsMachine& machine() { return *machine_; }
  const LbfgsMachine& machine() const { return *machine_; }
  /// Steps of this machine and of those before it.
  int iterations() const { return earlier_ + machine_->iterations(); }
  Report report() const {
    Report report = machine_->report();
    report.iterations += earlier_;
    return report;
  }

  /// A new machine, which forgets the curvature it saw.
  void restart(std::span<const double> start) {
    earlier_ += machine_->iterations();
    begin(start);
  }

  void visit_state(StateArchive& archive) {
    archive("earlier", earlier_);
    archive.check("earlier", earlier_ <= std::numeric_limits<int>::max() / 4);  // sums do not overflow
    if (archive.reading()) {  // a machine with the iterations that are left
      begin(std::vector<double>(machine_->point().begin(), machine_->point().end()));
    }
    archive("machine", *machine_);
  }

 private:
  void begin(std::span<const double> start) {
    machine_.reset();
    memory_ = std::make_unique<Workspace>();
    LbfgsMinimizer options = options_;
    options.max_iterations = std::max(0, options.max_iterations - earlier_);
    machine_.emplace(options, start, *memory_);
  }

  LbfgsMinimizer options_;
  std::unique_ptr<Workspace> memory_;
  std::optional<LbfgsMachine> machine_;
  int earlier_ = 0;
};

}  // namespace fenchel
