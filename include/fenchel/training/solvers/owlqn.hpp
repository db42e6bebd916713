// SPDX-License-Identifier: Apache-2.0
// Orthant-wise L-BFGS over any objective F (paper §8.1), for a smooth loss and the penalties l1 and elastic
// net (Andrew and Gao 2007). It stops as FISTA does.
#pragma once

#include "fenchel/training/solver.hpp"

namespace fenchel {

/// L-BFGS within the orthants of W, where ‖W‖₁ is smooth.
struct Owlqn {
  std::size_t memory = 10;  ///< pairs kept

  static constexpr SolverTraits traits{.name = "owlqn", .about = "smooth loss, l1 or elastic net"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"memory", &Owlqn::memory, "pairs of vectors kept, from 1 to 1000"}};
  }
  void check() const;

  std::optional<Refusal> refuses(const Problem& problem, const TrainOptions& options) const;
  std::optional<std::string> suits(const Problem& problem, const TrainOptions& options) const;
  std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& asked) const;
};

static_assert(Solver<Owlqn>);

}  // namespace fenchel
