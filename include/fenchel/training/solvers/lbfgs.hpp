// SPDX-License-Identifier: Apache-2.0
// L-BFGS over any objective F (paper §8.1), for a smooth loss and a smooth penalty. It works in variables in
// which features curve alike, and changes to better ones on the way.
//
// With V = −∇F(W) the duality gap at W is G(W) + G*(V) − ⟨W, V⟩ (paper §8.2), finite where l2 > 0. Parameters
// without a penalty (a free intercept) add ‖∇‖²/(2 l2): what they can still gain if F curves along them at
// least as much as the penalty does along the others. It stops when gap ≤ tolerance · |objective|; without
// l2, when the ∞-norm of the gradient has fallen to tolerance times its first value, or times 1 if that is
// less.
#pragma once

#include "fenchel/training/solver.hpp"

namespace fenchel {

/// Outputs of a separable Ω (one-vs-all losses) have an L-BFGS each, all fed by the same evaluations.
struct Lbfgs {
  std::size_t memory = 10;  ///< pairs kept: more save few evaluations of F, and each costs two vectors

  static constexpr SolverTraits traits{.name = "lbfgs", .about = "smooth loss and smooth penalty"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"memory", &Lbfgs::memory, "pairs of vectors kept, from 1 to 1000"}};
  }
  void check() const;

  std::optional<Refusal> refuses(const Problem& problem, const TrainOptions& options) const;
  std::optional<std::string> suits(const Problem& problem, const TrainOptions& options) const;
  std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& asked) const;
};

static_assert(Solver<Lbfgs>);

}  // namespace fenchel
