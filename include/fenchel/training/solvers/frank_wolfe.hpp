// SPDX-License-Identifier: Apache-2.0
// Block-coordinate Frank-Wolfe on the dual (paper §8.2, end), for losses that can do no more than predict:
// one example at a time, its dual variable moves towards the prediction s = ŷ(θ_i) by an exact line search,
//   μ_i ← μ_i + γ (s − μ_i),   γ = min(1, l2 · gap_i / ‖A_iᵀ w_i (s − μ_i)‖²).
// Made for Ω = 0 over structures and over the simplex (hinge and perceptron), right for every Ω: a mixture of
// predictions μ_i is charged the same mixture of their Ω, which bounds Ω(μ_i) from above, less what Ω is
// known to bend by between them where it is strongly convex; the line search takes that into account.
//
// W and one sparse vector w_i (μ_i − y_i) for each example are all it keeps. The parameters it offers are the
// average of its iterates with weights 1, 2, 3, …; every pass ends with their objective, and the gap to the
// dual objective of the last iterate.
#pragma once

#include "fenchel/training/solver.hpp"

namespace fenchel {

/// Needs l2 > 0 alone, and all parameters penalised. Converged when gap ≤ tolerance · |objective|; the gap
/// falls like 1/passes.
struct FrankWolfe {
  std::string order = "random";  ///< random: a new permutation for every pass; or cyclic

  static constexpr SolverTraits traits{
      .name = "frank_wolfe", .dual = true, .about = "l2 > 0, losses over structures that can only predict"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"order", &FrankWolfe::order, "random (new for every pass) or cyclic"}};
  }
  void check() const;

  std::optional<Refusal> refuses(const Problem& problem, const TrainOptions& options) const;
  std::optional<std::string> suits(const Problem& problem, const TrainOptions& options) const;
  std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& asked) const;
};

static_assert(Solver<FrankWolfe>);

}  // namespace fenchel
