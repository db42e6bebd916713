// SPDX-License-Identifier: Apache-2.0
// Averaged stochastic subgradient steps, for losses that are not smooth: one example at a time,
//   W ← (1 − h_t l2/n) W − h_t A_iᵀ w_i (ŷ_i − y_i),
// then the average of the iterates. With l2 > 0 the steps are h_t = n/(l2 (t + t₀)) (Pegasos), averaged with
// weights 1, 2, 3, …; without, h_t = h₀/√(1 + t/n). l1 and group penalties act through their prox once in a
// while, with the steps gathered since. The averaged perceptron is G = 0, Ω = 0 and constant steps.
//
// Every pass ends with the objective at the average. With l2 > 0 and no free intercept the predictions made
// there give dual variables, kept as one mixture with exact line search: a true, if slowly rising, lower
// bound. The residual is the relative gap where that is smaller, else the relative change of the averaged
// objective over a pass, which says little about its distance from the optimum.
#pragma once

#include "fenchel/training/solver.hpp"

namespace fenchel {

/// Takes every model, loss and penalty.
struct Subgradient {
  double step = 0;                ///< h₀; 0: from the first losses and gradients
  std::string schedule = "auto";  ///< auto, inverse (needs l2 > 0), sqrt or constant

  static constexpr SolverTraits traits{.name = "subgradient", .about = "any loss and any penalty, roughly"};
  static constexpr auto parameters() {
    return std::tuple{
        Parameter{"step", &Subgradient::step, "the first step size; 0: from the first losses and gradients"},
        Parameter{"schedule", &Subgradient::schedule, "auto, inverse (needs l2 > 0), sqrt or constant"}};
  }
  void check() const;

  std::optional<Refusal> refuses(const Problem& problem, const TrainOptions& options) const;
  std::optional<std::string> suits(const Problem& problem, const TrainOptions& options) const;
  std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& asked) const;
};

static_assert(Solver<Subgradient>);

}  // namespace fenchel
