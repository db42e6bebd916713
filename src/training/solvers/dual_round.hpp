// SPDX-License-Identifier: Apache-2.0
// A round of dual block ascent: passes over the examples that the last gap was made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "training/solvers/examples_pass.hpp"

namespace fenchel {

/// How a round of passes goes about it.
struct DualRound {
  /// Within a round, examples that come this much closer to their optimum than those left out are dropped.
  static constexpr double dropped_share = 0.1;

  std::uint64_t seed = 0;                                 ///< of the permutations
  bool random = true;                                     ///< else cyclic
  int shuffled_passes = std::numeric_limits<int>::max();  ///< the others have the order of the last of these
  int passes = 1;                                         ///< at most
  double negligible = 0;  ///< examples that are closer to their optimum are dropped from the round
};

/// The gap of an example below which a round leaves it out: together, such examples hold less than a tenth of
/// the gap.
inline double left_out(double gap, std::size_t examples) {
  constexpr double skipped_share = 0.1;
  return skipped_share * gap / static_cast<double>(std::max<std::size_t>(examples, 1));
}

/// The seed of the round after so many others.
inline std::uint64_t round_seed(std::uint64_t seed, std::uint64_t rounds) {
  return seed + rounds * 0xbf58476d1ce4e5b9U;
}

/// Visits the examples of `order` in passes; `visit(i)` returns how far i was from its optimum. Ends when
/// those visited hold no more than a share of what they held in the first pass. Calls `between(n)` after
/// n passes if another follows.
template <class Visit, class Between>
void run_round(const DualRound& round, std::vector<std::uint32_t>& order, const Visit& visit,
               const Between& between) {
  constexpr double round_share = 0.25;
  double first = 0;
  for (int pass = 0; pass < round.passes && !order.empty(); ++pass) {
    if (round.random && pass < round.shuffled_passes)
      shuffle(std::span(order), round.seed, static_cast<std::uint64_t>(pass));
    double sum = 0;
    std::size_t kept = 0;
    for (const std::uint32_t i : order) {
      const double distance = visit(i);
      sum += distance;
      if (distance > round.negligible) order[kept++] = i;
    }
    order.resize(kept);
    if (pass == 0) {
      first = sum;
    } else if (sum <= round_share * first) {
      break;
    }
    between(pass + 1);
  }
}
template <class Visit>
void run_round(const DualRound& round, std::vector<std::uint32_t>& order, const Visit& visit) {
  run_round(round, order, visit, [](int) {});
}

}  // namespace fenchel
