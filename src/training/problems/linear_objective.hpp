// SPDX-License-Identifier: Apache-2.0
// F and ∇F of linear models, F(W) = Σ_i w_i L_Ω(Wᵀ (x_i − center) + b; y_i) (paper §8.1), over rows in
// memory. Scores and residuals are computed in the type of the features, a block of rows at a time; sums over
// blocks are double. Sparse features are copied once, transposed, so that a gradient is made feature by
// feature.
#pragma once

#include <memory>
#include <span>

#include "fenchel/training/objective.hpp"
#include "fenchel/training/problems/linear.hpp"

namespace fenchel {

/// An objective whose outputs can be told apart, as those of one-vs-all losses can.
class OutputsObjective : public Objective {
 public:
  /// Whether Ω is a sum over outputs; else `values` of accumulate_outputs must be empty.
  virtual bool separable() const = 0;
  /// As accumulate, and adds what each output contributes to the value to `values`.
  virtual double accumulate_outputs(std::size_t shard, std::span<const double> w, std::span<double> gradient,
                                    std::span<double> values) = 0;
  double accumulate(std::size_t shard, std::span<const double> w, std::span<double> gradient) override {
    return accumulate_outputs(shard, w, gradient, {});
  }
  /// F(w), ∇F(w), and the values of the outputs, whose sum is F(w).
  double evaluate_outputs(std::span<const double> w, std::span<double> gradient, std::span<double> values);
};

/// F of a checked problem, computed by that many threads (0: as many as the machine offers).
template <Real T>
std::unique_ptr<OutputsObjective> make_linear_objective(const LinearProblem<T>& problem, int threads = 0);

}  // namespace fenchel
