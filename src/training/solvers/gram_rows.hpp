// SPDX-License-Identifier: Apache-2.0
// Rows of a Gram matrix, computed when first asked for and kept while there is room; then the row that was
// asked for longest ago gives way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <list>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fenchel/models/kernel_function.hpp"

namespace fenchel {

template <Real T>
class GramRows {
 public:
  GramRows(const Kernel& kernel, FeaturesView<T> x, std::size_t memory, int threads)
      : x_(x), rows_(kernel, x), threads_(threads) {
    const std::size_t row_bytes = std::max<std::size_t>(x.rows(), 1) * sizeof(double);
    capacity_ = std::max<std::size_t>(memory / row_bytes, 1);
  }

  /// K_i; valid until the next call.
  std::span<const double> row(std::size_t i) {
    const auto found = places_.find(i);
    if (found != places_.end()) {
      kept_.splice(kept_.begin(), kept_, found->second);
      return kept_.front().values;
    }
    if (kept_.size() < capacity_) {
      kept_.emplace_front();
      kept_.front().values.resize(x_.rows());
    } else {
      places_.erase(kept_.back().index);
      kept_.splice(kept_.begin(), kept_, std::prev(kept_.end()));
    }
    Row& fresh = kept_.front();
    fresh.index = i;
    rows_.evaluate(x_, i, std::span(fresh.values), threads_);
    places_[i] = kept_.begin();
    return fresh.values;
  }

 private:
  struct Row {
    std::size_t index = 0;
    std::vector<double> values;
  };

  FeaturesView<T> x_;
  KernelRows<T> rows_;
  int threads_;
  std::size_t capacity_ = 1;
  std::list<Row> kept_;  // asked for last first
  std::unordered_map<std::size_t, typename std::list<Row>::iterator> places_;
};

}  // namespace fenchel
