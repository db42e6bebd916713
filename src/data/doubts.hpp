// SPDX-License-Identifier: Apache-2.0
// What may not be as meant in data that were read without an error: words that look like numbers, columns
// that name the rows, labels that look like lists.
#pragma once

#include <string>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"

namespace fenchel {

/// One sentence for each, with the option that says what is meant. For data to learn from: other data are
/// read as those were. `by_place`: nobody said which column is the target.
std::vector<std::string> doubts_about(const Dataset& data, const std::string& target, DataFormat format,
                                      bool by_place);

/// The same about queries of rows, once they are known. Throws DataError where they make it doubtful which
/// column has the relevances.
std::vector<std::string> doubts_about_queries(const Dataset& data, const std::string& target,
                                              DataFormat format, bool by_place);

}  // namespace fenchel
