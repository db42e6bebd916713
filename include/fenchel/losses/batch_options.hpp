// SPDX-License-Identifier: Apache-2.0
// How a batch of rows or of examples is run, and what its losses add up to.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/report.hpp"

namespace fenchel {

/// How to run a batch.
struct BatchOptions {
  int threads = 0;                       ///< 0: as many as the machine offers
  std::span<const double> weights = {};  ///< one weight ≥ 0 per row, for losses only; empty: all 1
  bool one_vector = false;               ///< a single vector: messages name its entries without a row
  std::size_t first_row = 0;             ///< what messages call the first row, for a part of a larger batch
};

/// The weighted sum of losses, and how the predictions behind it went.
struct BatchLoss {
  double total = 0;
  Report report;
};

}  // namespace fenchel
