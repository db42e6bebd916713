// SPDX-License-Identifier: Apache-2.0
// The entries of vectors that some structure uses, numbered in the order of their first use: an active set
// method then works on θ, μ and θ − μ as short vectors without gaps, however large the dimension is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "solvers/affine_factor.hpp"

namespace fenchel {

class UsedEntries {
 public:
  /// Takes its memory from the enclosing frame of `scratch`.
  UsedEntries(std::span<const double> scores, Workspace& scratch)
      : scratch_(scratch),
        scores_(scores),
        numbers_(scratch.take<std::uint32_t>(scores.size())),
        entries_(scratch.take<std::uint32_t>(scores.size())),
        theta_(scratch.take<double>(scores.size())) {
    std::ranges::fill(numbers_, unused);
  }

  std::size_t size() const { return size_; }
  std::span<const double> theta() const { return theta_.first(size_); }
  std::span<const std::uint32_t> entries() const { return entries_.first(size_); }

  /// Writes the numbers of y's entries over `numbered`, whose memory is reused if it suffices.
  void number(const Structure& y, Entries& numbered, std::span<std::uint32_t>& memory) {
    if (memory.size() < y.size()) memory = scratch_.take<std::uint32_t>(y.size() + y.size() / 4);
    for (std::size_t k = 0; k < y.size(); ++k) {
      const std::uint32_t j = y.indices[k];
      if (numbers_[j] == unused) {
        numbers_[j] = static_cast<std::uint32_t>(size_);
        entries_[size_] = j;
        theta_[size_++] = scores_[j];
      }
      memory[k] = numbers_[j];
    }
    numbered = {memory.data(), y.values.empty() ? nullptr : y.values.data(), y.size()};
  }

 private:
  static constexpr std::uint32_t unused = ~std::uint32_t{0};

  Workspace& scratch_;
  std::span<const double> scores_;
  std::span<std::uint32_t> numbers_, entries_;
  std::span<double> theta_;
  std::size_t size_ = 0;
};

}  // namespace fenchel
