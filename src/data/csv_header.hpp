// SPDX-License-Identifier: Apache-2.0
// Whether a file of separated values begins with the names of its columns.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "data/csv_records.hpp"
#include "fenchel/data/options.hpp"

namespace fenchel {

struct HeaderChoice {
  bool header = true;
  std::string why;  ///< as the end of a sentence: "as asked", "its words stand above numbers"
  bool uncertain = false;
};

/// Judges the first record by the ones below it. `known` are names of columns that other data have.
HeaderChoice choose_header(const std::deque<CsvRecord>& records, const ReadOptions& options,
                           const std::vector<std::string>& known);

/// Whether the records below the first have one field more, with another word at the beginning of each:
/// names of rows, as R writes them.
bool begins_with_names_of_rows(const std::deque<CsvRecord>& records);

/// Whether a cell stands for a value that is not there.
bool is_missing_cell(std::string_view cell);

/// Whether it is a word that people write where there is no number: -, None, unknown, nan.
bool stands_for_nothing(std::string_view cell);

}  // namespace fenchel
