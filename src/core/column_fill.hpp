// SPDX-License-Identifier: Apache-2.0
// What stands for the missing cells of a column: the mean of its numbers, or its most frequent value.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace fenchel {

/// Sees the cells of a column that are there, one after another.
class ColumnFill {
 public:
  explicit ColumnFill(bool nominal = false) : nominal_(nominal) {}

  void add(double cell) {
    known_ += 1;
    if (nominal_) {
      ++counts_[cell];
      return;
    }
    const double step = cell - mean_;  // overflows between the largest numbers of either sign
    mean_ += std::isfinite(step) ? step / known_ : cell / known_ - mean_ / known_;
  }
  std::size_t known() const { return static_cast<std::size_t>(known_); }

  /// With `zeros` cells more that are 0 and were not added. 0, or the first value, if there are no cells; of
  /// equally frequent values the first.
  double value(std::size_t zeros) const {
    const auto more = static_cast<double>(zeros);
    if (!nominal_) return known_ + more > 0 ? mean_ * (known_ / (known_ + more)) : mean_;
    std::map<double, std::size_t> counts = counts_;
    if (zeros > 0) counts[0] += zeros;
    double value = 0;
    std::size_t most = 0;
    for (const auto& [candidate, count] : counts) {
      if (count > most) value = candidate;
      most = std::max(most, count);
    }
    return value;
  }

 private:
  bool nominal_;
  double known_ = 0;
  double mean_ = 0;
  std::map<double, std::size_t> counts_;
};

}  // namespace fenchel
