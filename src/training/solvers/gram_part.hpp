// SPDX-License-Identifier: Apache-2.0
// The part of a Gram matrix that some examples make among themselves: what a round of updates needs of it.
// Its rows lie close together, which for a tenth of the examples makes an update ten times as fast, and
// those of examples that end a round where they began are never computed as a whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "training/solvers/gram_rows.hpp"

namespace fenchel {

template <Real T>
class GramPart {
 public:
  /// `memory` bytes may hold rows of parts.
  GramPart(GramRows<T>& rows, std::size_t memory) : rows_(rows), memory_(memory / sizeof(double)) {}

  /// Of these examples, in increasing order, from now on.
  void choose(std::vector<std::uint32_t> examples) {
    examples_ = std::move(examples);
    places_.assign(examples_.size(), absent);
    used_ = 0;
    own_.reset();
    const std::size_t enough = std::min(memory_ / std::max<std::size_t>(size(), 1), size()) * size();
    if (whole() || enough + size() <= capacity_) return;
    capacity_ = enough + size();  // a row that is not kept has room behind the others
    values_.reset(new double[capacity_]);
  }

  std::size_t size() const { return examples_.size(); }
  std::size_t example(std::size_t j) const { return examples_[j]; }

  /// Row j of the part; valid until the next call.
  std::span<const double> row(std::size_t j) {
    if (whole()) return rows_.row(examples_[j]);
    if (places_[j] != absent) return {&values_[places_[j]], size()};
    const std::span<double> out(&values_[used_], size());
    if (used_ + 2 * size() <= capacity_) {
      places_[j] = used_;
      used_ += size();
    }
    if (rows_.knows(examples_[j])) {
      const auto known = rows_.row(examples_[j]);
      for (std::size_t k = 0; k < size(); ++k) out[k] = known[examples_[k]];
    } else {
      if (!own_) own_.emplace(rows_.among({examples_.begin(), examples_.end()}));
      rows_.evaluate(*own_, examples_[j], out);
    }
    return out;
  }

 private:
  static constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();

  bool whole() const { return size() == rows_.size(); }

  GramRows<T>& rows_;
  std::size_t memory_;  // in values
  std::vector<std::uint32_t> examples_;
  std::optional<KernelRows<T>> own_;  // made when first needed
  std::unique_ptr<double[]> values_;  // rows in the order in which they were asked for; parts share it
  std::size_t capacity_ = 0, used_ = 0;
  std::vector<std::size_t> places_;
};

}  // namespace fenchel
