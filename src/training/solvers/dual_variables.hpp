// SPDX-License-Identifier: Apache-2.0
// The dual variables μ_i of all examples, of which only what is not 0 is kept: sparse Ω give sparse μ_i
// (paper §8.2, "Summary").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fenchel/core/state.hpp"

namespace fenchel {

/// Rows of numbers that change all the time, dense or by their non-zero entries.
class DualVariables {
 public:
  /// `rows` rows of zeros. Dense storage is leaner where most entries will not be 0.
  DualVariables(std::size_t rows, std::size_t width, bool dense);
  /// Sparse rows of different widths.
  explicit DualVariables(std::size_t rows) : DualVariables(rows, 0, false) {}

  /// Replaces row i.
  void assign(std::size_t i, std::span<const double> row);
  void assign(std::size_t i, std::span<const std::int32_t> indices, std::span<const double> values);

  /// Calls f(k, value) for the entries of row i that are not 0 (all of them where dense).
  template <class F>
  void visit(std::size_t i, F f) const {
    if (dense_) {
      const double* row = values_.data() + i * width_;
      for (std::size_t k = 0; k < width_; ++k) f(k, row[k]);
    } else {
      const Slot& slot = slots_[i];
      for (std::size_t e = slot.first; e < slot.first + slot.size; ++e) {
        f(static_cast<std::size_t>(indices_[e]), values_[e]);
      }
    }
  }

  /// Row i as a dense vector.
  void write(std::size_t i, std::span<double> out) const;

  void visit_state(StateArchive& archive);

 private:
  struct Slot {
    std::size_t first = 0;
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
  };

  // Room for `size` entries of row i.
  Slot& reserve(std::size_t i, std::size_t size);
  void compact();

  bool dense_;
  std::size_t width_;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> indices_;
  std::vector<double> values_;
  std::size_t abandoned_ = 0;  // entries of slots that were outgrown
};

}  // namespace fenchel
