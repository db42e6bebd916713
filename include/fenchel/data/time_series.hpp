// SPDX-License-Identifier: Apache-2.0
// Time series of the UCR archive: `.ts` (a header, then `v,v,…:label`, several channels separated by colons),
// or `.tsv` and `.txt` (the label, then values, separated by white space or commas). Series may differ in
// length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/data/paths.hpp"

namespace fenchel {

/// Series one after another: series i has the times offsets[i] … offsets[i+1] − 1, each with one value per
/// channel.
struct TimeSeries {
  std::size_t channels = 1;
  std::vector<std::int64_t> offsets{0};
  std::vector<double> values;  ///< times × channels, the channels of one time together
  Labels labels;
  Matrix<double> targets;                  ///< the labels as numbers, where all are
  std::size_t missing = 0;                 ///< values that were missing and have been filled in
  std::vector<std::string> warnings = {};  ///< what the header of a .ts says and the series do not

  std::size_t size() const { return offsets.size() - 1; }
  std::size_t length(std::size_t i) const { return static_cast<std::size_t>(offsets[i + 1] - offsets[i]); }
  /// Times × channels of series i.
  std::span<const double> series(std::size_t i) const {
    return {values.data() + static_cast<std::size_t>(offsets[i]) * channels, length(i) * channels};
  }
};

/// Reads files of series. NaN at the end of a series pads it to the length of others and is left out; a
/// missing value elsewhere (`?`, NaN, nothing between two commas or tabs) is an error, or the mean of its
/// channel in the series if options.missing says so.
TimeSeries read_time_series(const Paths& paths, const ReadOptions& options = {});

/// Series of one length as rows of features. Throws std::invalid_argument if lengths differ.
Dataset to_dataset(const TimeSeries& series, const ReadOptions& options = {});

}  // namespace fenchel
