// SPDX-License-Identifier: Apache-2.0
// FISTA with backtracking and restart over any objective F (paper §8.1), for a smooth loss and every penalty:
// the terms of G with kinks act through their proximity operator. It stops as L-BFGS does; without l2, when
// the step W − prox_G(W − ∇F) has become small.
#pragma once

#include "fenchel/training/solver.hpp"

namespace fenchel {

/// The proximal gradient method, accelerated.
struct Fista {
  static constexpr SolverTraits traits{.name = "fista", .about = "smooth loss, any penalty"};
  static constexpr auto parameters() { return std::tuple{}; }

  std::optional<Refusal> refuses(const Problem& problem, const TrainOptions& options) const;
  std::optional<std::string> suits(const Problem& problem, const TrainOptions& options) const;
  std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& asked) const;
};

static_assert(Solver<Fista>);

}  // namespace fenchel
