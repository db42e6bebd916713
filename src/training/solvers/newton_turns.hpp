// SPDX-License-Identifier: Apache-2.0
// When Newton's method has a turn between rounds of updates, and where it has come. It goes on from there:
// its first steps are often far from the optimum, and worth nothing to the rounds until the last of them. A
// turn may take twice as many multiplications as the one before; after one that did not pay, the next waits
// until rounds have taken as many. So either way costs at most about as much as the other.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "fenchel/core/state.hpp"

namespace fenchel {

class NewtonTurns {
 public:
  /// Of problems with so many coefficients.
  explicit NewtonTurns(std::size_t size) : size_(size) {}

  /// Rounds have taken so many multiplications.
  void spend(double work) { spent_ += work; }
  /// Whether it is its turn. The first may take `work`, and waits for the rounds unless `at_once`.
  bool due(double work, bool at_once) {
    if (work_ == 0) {
      work_ = work;
      awaited_ = at_once ? 0 : work;
    }
    return spent_ >= awaited_;
  }
  /// Multiplications that this turn may take.
  double work() const { return work_; }
  /// The coefficients that it goes on from: its own where their objective is smaller.
  const std::vector<double>& start(const std::vector<double>& others, double objective) const {
    return objective_ < objective ? coefficients_ : others;
  }
  /// The duality gap where the last turn ended, of its coefficients and the ŷ that these predict.
  double bound() const { return bound_; }
  /// After a turn.
  void end(std::vector<double> coefficients, double objective, double bound, bool pays) {
    coefficients_ = std::move(coefficients);
    objective_ = objective;
    bound_ = bound;
    work_ *= 2;
    awaited_ = pays ? 0 : work_;
    spent_ = 0;
  }

  void visit_state(StateArchive& archive) {
    for (auto [name, work] : {std::pair{"work", &work_}, {"spent", &spent_}, {"awaited", &awaited_}}) {
      archive(name, *work);
      archive.check(name, *work >= 0);
    }
    archive.resizable("coefficients", coefficients_);
    archive.extended("objective", objective_);
    archive.extended("bound", bound_);
    archive.check("coefficients", coefficients_.size() == (std::isfinite(objective_) ? size_ : 0));
  }

 private:
  std::size_t size_;
  double work_ = 0, spent_ = 0, awaited_ = 0;
  std::vector<double> coefficients_;
  double objective_ = std::numeric_limits<double>::infinity();
  double bound_ = std::numeric_limits<double>::infinity();
};

}  // namespace fenchel
