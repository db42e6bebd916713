// SPDX-License-Identifier: Apache-2.0
#include "data/csv_header.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "data/csv_numbers.hpp"
#include "data/number.hpp"
#include "data/target_cell.hpp"

namespace fenchel {
namespace {

enum class Kind { missing, number, word };

Kind kind_of(const std::string& cell) {
  if (is_missing_cell(cell)) return Kind::missing;
  return may_be_number(cell) || spells_non_finite(cell) ? Kind::number : Kind::word;
}

/// What a column holds below the first record: words if any cell is one. Records like the first say nothing:
/// they may be its repetition.
Kind kind_below(const std::deque<CsvRecord>& records, std::size_t column) {
  Kind result = Kind::missing;
  for (std::size_t i = 1; i < records.size() && result != Kind::word; ++i) {
    if (column >= records[i].fields.size() || records[i].fields == records.front().fields) continue;
    result = std::max(result, kind_of(records[i].fields[column]));
  }
  return result;
}

/// Whether the numbers of a record are whole and rise or fall evenly, as those that name columns do (1990,
/// 1995, 2000): at least three.
bool has_even_steps(const std::vector<std::string>& fields) {
  std::vector<double> numbers;
  double value = 0;
  for (const std::string& field : fields) {
    if (whole_number(field, value)) numbers.push_back(value);
  }
  if (numbers.size() < 3 || numbers[0] == numbers[1]) return false;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const bool even = k < 2 || numbers[k] - numbers[k - 1] == numbers[1] - numbers[0];
    if (numbers[k] != std::floor(numbers[k]) || !even) return false;
  }
  return true;
}

/// Whether a number below the first record is not whole.
bool has_decimals_below(const std::deque<CsvRecord>& records) {
  double value = 0;
  return std::any_of(records.begin() + 1, records.end(), [&](const CsvRecord& record) {
    return std::ranges::any_of(record.fields, [&](const std::string& field) {
      return whole_number(field, value) && value != std::floor(value);
    });
  });
}

/// Whether a column holds words below the first record, each of them several times.
bool repeats_below(const std::deque<CsvRecord>& records, std::size_t column) {
  std::map<std::string_view, std::size_t> counts;
  for (auto record = records.begin() + 1; record != records.end(); ++record) {
    if (column < record->fields.size()) ++counts[record->fields[column]];
  }
  return !counts.empty() && std::ranges::all_of(counts, [](const auto& entry) {
    return entry.second > 1 && kind_of(std::string(entry.first)) == Kind::word;
  });
}

/// What a first line of numbers is, or of numbers and of words that do not occur below: numbers in even steps
/// name columns.
std::optional<HeaderChoice> choose_by_numbers(const std::deque<CsvRecord>& records, bool words) {
  constexpr std::size_t enough = 10;  // rows, to be sure that a word which is not among them is no label
  const std::vector<std::string>& first = records.front().fields;
  const auto even = [](const CsvRecord& record) { return has_even_steps(record.fields); };
  const bool steps =
      records.size() > 1 && even(records.front()) && std::none_of(records.begin() + 1, records.end(), even);
  bool strange = false;  // a word above others that all repeat
  for (std::size_t j = 0; words && j < first.size(); ++j)
    strange |= kind_of(first[j]) == Kind::word && repeats_below(records, j);
  if (steps && (strange || has_decimals_below(records)))
    return HeaderChoice{true, "its numbers have even steps"};
  const bool many = records.size() > enough;
  if (steps && (words || (many && first.size() > 3)))
    return HeaderChoice{false, "its numbers may be names, as they have even steps", true};
  if (strange && many)
    return HeaderChoice{false, "its numbers may be names, as its words do not occur below", true};
  return std::nullopt;
}

bool occurs_below(const std::deque<CsvRecord>& records, std::size_t column) {
  return std::any_of(records.begin() + 1, records.end(), [&](const CsvRecord& record) {
    return column < record.fields.size() && record.fields[column] == records.front().fields[column];
  });
}

}  // namespace

bool begins_with_names_of_rows(const std::deque<CsvRecord>& records) {
  std::set<std::string_view> names;
  if (std::ranges::any_of(records.front().fields, may_be_number)) return false;
  for (auto record = records.begin() + 1; record != records.end(); ++record) {
    if (record->fields.size() != records.front().fields.size() + 1) return false;
    if (std::ranges::any_of(record->fields, has_half_a_bracket)) return false;  // cut in two: {a,b}>c
    if (!names.insert(record->fields.front()).second) return false;
  }
  return names.size() > 1;
}

bool is_missing_cell(std::string_view cell) {
  constexpr std::array<std::string_view, 9> spellings{"",     "?",    "NA",   "N/A", "n/a",
                                                      "#N/A", "<NA>", "NULL", "null"};
  return std::ranges::find(spellings, cell) != spellings.end();
}

HeaderChoice choose_header(const std::deque<CsvRecord>& records, const ReadOptions& options,
                           const std::vector<std::string>& known) {
  if (options.header != Header::automatic) return {options.header == Header::yes, "as asked"};
  const std::vector<std::string>& first = records.front().fields;
  if (begins_with_names_of_rows(records)) {
    return {true, "it has a name less than the rows have fields: their first are names of rows"};
  }
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
    return choose_by_numbers(records, false).value_or(HeaderChoice{false, "it holds numbers only"});
  }
  bool number_above_numbers = false, again = false;
  for (std::size_t j = 0; j < first.size(); ++j) {
    const Kind above = spells_non_finite(first[j]) ? Kind::word : kind_of(first[j]);
    const Kind below = kind_below(records, j);
    if (above == Kind::word && below == Kind::number) return {true, "its words stand above numbers"};
    number_above_numbers |= above == Kind::number && below != Kind::word;
    again |= above == Kind::word && occurs_below(records, j);
  }
  if (number_above_numbers) {
    const HeaderChoice row{false, "its numbers and words stand above numbers and words"};
    return again ? row : choose_by_numbers(records, true).value_or(row);
  }
  if (again) return {false, "its words occur again below"};
  return {true, "its words do not occur below"};
}

}  // namespace fenchel
