// SPDX-License-Identifier: Apache-2.0
// What may not be as meant in the words that a file has: numbers with something around them, labels that are
// lists.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"

namespace fenchel {

inline constexpr std::size_t few_rows = 10;  // say nothing about how often words occur

bool is_plain(std::string_view word);

/// Whether all words are numbers, and some have something around them: 0 and 1 alone are names.
bool are_decorated(const std::vector<std::string>& words);

/// Adds a sentence about labels that look like lists, orders, proportions or numbers.
void doubt_labels(const Dataset& data, const std::string& target, DataFormat format,
                  std::vector<std::string>& doubts);

}  // namespace fenchel
