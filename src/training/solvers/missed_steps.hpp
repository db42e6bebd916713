// SPDX-License-Identifier: Apache-2.0
// The steps w ← prox_{hG/n}(w − h a) that a row of W has missed while its a did not change: m of them at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fenchel/training/penalty.hpp"

namespace fenchel {

class MissedSteps {
 public:
  /// For steps of length h over n examples; at most n steps are missed.
  MissedSteps(const Penalty& penalty, double step, std::size_t examples);

  /// m steps of the row w, with the gradient a.
  void apply(std::uint64_t m, std::span<const double> a, std::span<double> w) const;
  /// prox_{hG/n}(w) alone.
  void shrink(std::span<double> w) const;

 private:
  double after(double w, double slope, std::uint64_t m) const;
  double thresholded(double w, double slope, std::uint64_t m) const;

  double step_;
  Penalty share_;              // G/n
  double decay_;               // ρ = 1/(1 + h l2/n)
  double threshold_;           // h l1/n
  std::vector<double> power_;  // ρ^m
  std::vector<double> sum_;    // ρ + … + ρ^m
};

}  // namespace fenchel
