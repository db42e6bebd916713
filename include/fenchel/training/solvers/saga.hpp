// SPDX-License-Identifier: Apache-2.0
// SAGA: stochastic gradient steps whose noise vanishes, because the gradient of every example when it was
// last visited is kept. With r_i = w_i (ŷ_i − y_i) and A = Σ_i x_i r_iᵀ/n over what is kept, a step is
//   W ← prox_{hG/n}(W − h (x_i (r_i − r_i^old)ᵀ + A)),   h = 1/(3L),  L = max_i w_i ‖x_i‖²/γ,
// γ the strong convexity of Ω. Sparse rows touch their own features only: the steps that the others missed,
// all alike, are made up for when they are next needed, in closed form for l2 and l1.
#pragma once

#include "fenchel/training/solver.hpp"

namespace fenchel {

/// Takes every penalty and intercept; needs a linear model, a strongly convex Ω and, where rows are sparse,
/// features that are not centred. A step is a pass of n draws, then an evaluation; it stops as L-BFGS does.
struct Saga {
  double step = 0;  ///< h; 0: as above

  static constexpr SolverTraits traits{.name = "saga", .about = "linear models, smooth loss, many examples"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"step", &Saga::step, "the step size h; 0: 1/(3L)"}};
  }
  void check() const;

  std::optional<Refusal> refuses(const Problem& problem, const TrainOptions& options) const;
  std::optional<std::string> suits(const Problem&, const TrainOptions&) const { return std::nullopt; }
  std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& asked) const;
};

static_assert(Solver<Saga>);

}  // namespace fenchel
