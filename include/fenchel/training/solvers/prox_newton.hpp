// SPDX-License-Identifier: Apache-2.0
// Proximal Newton for linear models (paper §8.1), for penalties with kinks: the loss is replaced by its
// second-order model, which coordinate descent minimises together with the penalty over the weights that are
// not 0 or want to move, and a line search follows (Yuan, Ho and Lin 2012). With groups, all weights of a
// feature move together. It stops as FISTA does.
#pragma once

#include "fenchel/training/solver.hpp"

namespace fenchel {

/// Newton's method with a penalty that is not smoothed; each step is found by coordinate descent.
struct ProxNewton {
  static constexpr SolverTraits traits{.name = "prox_newton",
                                       .about = "linear models, smooth loss, l1, elastic net or groups"};
  static constexpr auto parameters() { return std::tuple{}; }

  std::optional<Refusal> refuses(const Problem& problem, const TrainOptions& options) const;
  std::optional<std::string> suits(const Problem& problem, const TrainOptions& options) const;
  std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& asked) const;
};

static_assert(Solver<ProxNewton>);

}  // namespace fenchel
