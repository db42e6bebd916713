// SPDX-License-Identifier: Apache-2.0
// By-products of predicting rows that losses need.
#pragma once

#include <cstddef>
#include <span>

namespace fenchel {

/// Per-row by-products of a prediction, for Ω over the simplex: Ω*(θ) = shift + conjugate, where
/// shift = max θ and conjugate = Ω*(θ − shift) is free of cancellation. Both spans hold one entry per row, or
/// both are empty where they are not wanted. On other domains shift is 0.
struct RowSummaries {
  std::span<double> shift;
  std::span<double> conjugate;

  bool wanted() const { return !shift.empty(); }
  RowSummaries block(std::size_t first, std::size_t count) const {
    if (!wanted()) return {};
    return {shift.subspan(first, count), conjugate.subspan(first, count)};
  }
};

}  // namespace fenchel
