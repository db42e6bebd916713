// SPDX-License-Identifier: Apache-2.0
// What may not be as meant in data that were read without an error: words that look like numbers, columns
// that name the rows, labels that look like lists.
#pragma once

#include <string>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"

namespace fenchel {

inline constexpr std::size_t few_rows = 10;  ///< say nothing about how often words occur

/// One sentence for each, with the option that says what is meant. For data to learn from: other data are
/// read as those were. `by_place`: nobody said which column is the target.
std::vector<std::string> doubts_about(const Dataset& data, const std::string& target, DataFormat format,
                                      bool by_place);

/// Those about the labels alone.
std::vector<std::string> doubts_about_labels(const Dataset& data, const std::string& target,
                                             DataFormat format);

/// Whether all words are numbers, and some have something around them ($3.50, 12 %): 0 and 1 alone are names.
bool are_decorated(const std::vector<std::string>& words);

}  // namespace fenchel
