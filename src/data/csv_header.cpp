// SPDX-License-Identifier: Apache-2.0
#include "data/csv_header.hpp"

#include <algorithm>

#include "data/csv_numbers.hpp"
#include "data/number.hpp"

namespace fenchel {
namespace {

enum class Kind { missing, number, word };

Kind kind_of(const std::string& cell) {
  if (is_missing_cell(cell)) return Kind::missing;
  double ignored = 0;
  return whole_number(cell, ignored) || has_comma(cell) || spells_non_finite(cell) ? Kind::number
                                                                                   : Kind::word;
}

/// What a column holds below the first record: words if any cell is one.
Kind kind_below(const std::deque<CsvRecord>& records, std::size_t column) {
  Kind result = Kind::missing;
  for (std::size_t i = 1; i < records.size() && result != Kind::word; ++i) {
    if (column < records[i].fields.size()) result = std::max(result, kind_of(records[i].fields[column]));
  }
  return result;
}

bool occurs_below(const std::deque<CsvRecord>& records, std::size_t column) {
  return std::any_of(records.begin() + 1, records.end(), [&](const CsvRecord& record) {
    return column < record.fields.size() && record.fields[column] == records.front().fields[column];
  });
}

}  // namespace

bool is_missing_cell(std::string_view cell) { return cell.empty() || cell == "?" || cell == "NA"; }

HeaderChoice choose_header(const std::deque<CsvRecord>& records, const ReadOptions& options,
                           const std::vector<std::string>& known) {
  if (options.header != Header::automatic) return {options.header == Header::yes, "as asked"};
  const std::vector<std::string>& first = records.front().fields;
  const auto is_known = [&](const std::string& cell) {
    return std::ranges::find(known, cell) != known.end();
  };
  if (std::ranges::any_of(first, is_known)) return {true, "it has the names of training"};
  // nan and inf are numbers beside others, and words where they are alone.
  const auto is_number = [](const std::string& cell) {
    return kind_of(cell) == Kind::number && !spells_non_finite(cell);
  };
  const auto is_word = [](const std::string& cell) { return kind_of(cell) == Kind::word; };
  if (std::ranges::any_of(first, is_number) && std::ranges::none_of(first, is_word)) {
    return {false, "it holds numbers only"};
  }
  bool number_above_numbers = false, again = false;
  for (std::size_t j = 0; j < first.size(); ++j) {
    const Kind above = spells_non_finite(first[j]) ? Kind::word : kind_of(first[j]);
    const Kind below = kind_below(records, j);
    if (above == Kind::word && below == Kind::number) return {true, "its words stand above numbers"};
    number_above_numbers |= above == Kind::number && below != Kind::word;
    again |= above == Kind::word && occurs_below(records, j);
  }
  if (number_above_numbers) return {false, "its numbers and words stand above numbers and words"};
  if (again) return {false, "its words occur again below"};
  return {true, "its words do not occur below"};
}

}  // namespace fenchel
