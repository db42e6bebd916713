// SPDX-License-Identifier: Apache-2.0
// Targets y of a batch: integer labels (y = e_k), or rows of proportions, one-hot vectors or measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "fenchel/core/views.hpp"

namespace fenchel {

/// One target per row of scores.
template <Real T>
class Targets {
 public:
  // NOLINTBEGIN(google-explicit-constructor): each of these is a target as it stands
  Targets(std::span<const std::int32_t> labels) : targets_(labels) {}
  Targets(std::span<const std::int64_t> labels) : targets_(labels) {}
  Targets(const std::vector<std::int32_t>& labels) : targets_(std::span(labels)) {}
  Targets(const std::vector<std::int64_t>& labels) : targets_(std::span(labels)) {}
  Targets(MatrixView<const T> rows) : targets_(rows) {}
  Targets(MatrixView<T> rows) : targets_(MatrixView<const T>(rows)) {}
  // NOLINTEND(google-explicit-constructor)

  bool are_labels() const { return !std::holds_alternative<MatrixView<const T>>(targets_); }
  std::size_t size() const {
    return std::visit(
        [](const auto& targets) {
          if constexpr (requires { targets.rows(); }) {
            return targets.rows();
          } else {
            return targets.size();
          }
        },
        targets_);
  }
  /// The label of row i; only where are_labels().
  std::int64_t label(std::size_t i) const {
    const auto* narrow = std::get_if<std::span<const std::int32_t>>(&targets_);
    return narrow ? (*narrow)[i] : std::get<std::span<const std::int64_t>>(targets_)[i];
  }
  /// The targets of rows first, …, first + count − 1.
  Targets block(std::size_t first, std::size_t count) const {
    return std::visit(
        [&](const auto& targets) {
          if constexpr (requires { targets.rows(); }) {
            return Targets(targets.block(first, count));
          } else {
            return Targets(targets.subspan(first, count));
          }
        },
        targets_);
  }
  /// y_i, e_k for a label k: all of it, or the entries from `first` on that `out` has room for.
  template <Real U>
  void write(std::size_t i, std::span<U> out, std::size_t first = 0) const {
    if (are_labels()) {
      const auto k = static_cast<std::size_t>(label(i));
      for (std::size_t j = 0; j < out.size(); ++j) out[j] = first + j == k ? U{1} : U{0};
    } else {
      const auto row = rows().row(i).subspan(first);
      for (std::size_t j = 0; j < out.size(); ++j) out[j] = static_cast<U>(row[j]);
    }
  }
  /// The rows; only where not are_labels().
  const MatrixView<const T>& rows() const { return std::get<MatrixView<const T>>(targets_); }

 private:
  std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>, MatrixView<const T>> targets_;
};

}  // namespace fenchel
