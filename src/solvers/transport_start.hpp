// SPDX-License-Identifier: Apache-2.0
// Where the regularised transport solvers start: scores shifted by prices of rows and columns, which changes
// no plan, so that the best entries are 0 and all others negative.
#pragma once

#include <span>

#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// What a solver wants from its start.
struct TransportStart {
  double plain_spread;  ///< scores that differ by no more are shifted by the maxima of rows and columns only,
                        ///< others by optimal prices
  bool drop_unusable = false;  ///< whether entries that are 0 in every plan become −inf

  /// reduced = θ − prices ≤ 0; rows and columns without mass become −inf. False where no plan avoids the
  /// −inf.
  bool reduce(std::span<const double> theta, std::span<const double> a, std::span<const double> b,
              std::span<double> reduced, Workspace& scratch) const;
};

}  // namespace fenchel
