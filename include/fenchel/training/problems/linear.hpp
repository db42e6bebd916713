// SPDX-License-Identifier: Apache-2.0
// The training problem of linear models (paper §8.1):
//   min_W  F(W) + G(W),   F(W) = Σ_i w_i L_Ω(Wᵀ x_i + b; y_i).
// Parameters lie in one vector: W with a row of `outputs` entries for each feature, then b if there is one.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/features.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/losses/targets.hpp"
#include "fenchel/training/penalty.hpp"

namespace fenchel {

/// What becomes of the intercept b. Dual algorithms cannot have a free one: it would couple all examples.
enum class Intercept {
  free,       ///< fitted and not penalised
  penalised,  ///< the weight of a feature that is always 1, penalised like the others
  none,       ///< b = 0
};

/// Everything F depends on. Views only: whoever makes it keeps the memory alive.
template <Real T>
struct LinearProblem {
  FeaturesView<T> x;                     ///< one example per row
  Targets<T> y;                          ///< labels, or rows of `outputs` entries
  std::size_t outputs = 0;               ///< the size of θ
  FenchelYoungLoss loss;                 ///< its cost, if any, counts in training and never in prediction
  std::span<const double> weights = {};  ///< w_i ≥ 0; all 1 if empty
  std::span<const double> center = {};   ///< subtracted from every row of x, which is not touched; 0 if empty
  Intercept intercept = Intercept::free;

  std::size_t examples() const { return x.rows(); }
  std::size_t features() const { return x.cols(); }
  ParameterShape shape() const {
    const std::size_t rows = features() + (intercept == Intercept::none ? 0 : 1);
    const std::size_t penalised = intercept == Intercept::free ? features() : rows;
    return {rows * outputs, penalised * outputs, outputs};
  }
};

/// Throws std::invalid_argument if sizes do not fit, a feature is not finite, a weight is negative, or a
/// target is not one of Ω's.
void check_problem(const LinearProblem<float>& problem);
void check_problem(const LinearProblem<double>& problem);

}  // namespace fenchel
