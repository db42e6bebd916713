// SPDX-License-Identifier: Apache-2.0
// The losses of taggers: L_Ω of one sentence over the chain polytope (paper §7.3 "Sequences"), for the Ω that
// taggers choose from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/models/tagger_omega.hpp"
#include "fenchel/polytopes/chain.hpp"

namespace fenchel {

/// L_Ω(θ; y) for scores θ in the layout of Chain.
struct ChainLoss {
  TaggerOmega omega = TaggerOmega::crf;
  std::size_t m = 2;
  bool boundary = false;
  double cost = 1;  ///< of every wrong label, for the hinge

  Chain chain(std::size_t n) const { return {n, m, boundary}; }
  /// The loss of a sentence with these labels; ŷ − y goes into `gradient`, and how the search for ŷ went into
  /// `report` (the worst of it and what was there).
  double operator()(std::span<const double> theta, std::span<const std::int32_t> labels,
                    std::span<double> gradient, Report& report, Workspace& scratch) const;
};

}  // namespace fenchel
