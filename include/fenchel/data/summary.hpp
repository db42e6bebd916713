// SPDX-License-Identifier: Apache-2.0
// What is in a data set before anything is trained on it: values that are not 0, columns that say nothing
// or say it twice, the range of targets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fenchel/core/dataset.hpp"

namespace fenchel {

/// About the columns of features.
struct FeatureSummary {
  double density = 0;                 ///< the share of entries that are not 0, however they are stored
  std::size_t missing = 0;            ///< cells that were missing and have been filled in
  std::vector<std::size_t> constant;  ///< columns with one value in all rows, in order
  /// Columns that equal an earlier one, in order, each with the first that it equals; constant ones are
  /// left out.
  std::vector<std::pair<std::size_t, std::size_t>> duplicates;
};
FeatureSummary summarize_features(const Dataset& data);

/// The range of a column of numbers.
struct NumberRange {
  double smallest = 0;
  double largest = 0;
  double mean = 0;
};
/// That of the targets as numbers, over all columns; nothing if there are none.
std::optional<NumberRange> target_range(const Dataset& data);

/// The name of a feature: its own, or "feature 3" counted from 1.
std::string feature_name(const Dataset& data, std::size_t feature);

}  // namespace fenchel
