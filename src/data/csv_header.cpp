// SPDX-License-Identifier: Apache-2.0
#include "data/csv_header.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "data/arff_header.hpp"
#include "data/csv_numbers.hpp"
#include "data/known_columns.hpp"
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

/// The finite numbers of a column below the first record.
std::vector<double> numbers_below(const std::deque<CsvRecord>& records, std::size_t column) {
  std::vector<double> numbers;
  double value = 0;
  for (auto record = records.begin() + 1; record != records.end(); ++record) {
    if (column < record->fields.size() && whole_number(record->fields[column], value))
      numbers.push_back(value);
  }
  return numbers;
}

bool has_decimals(const std::vector<double>& numbers) {
  return std::ranges::any_of(numbers, [](double value) { return value != std::floor(value); });
}

/// What tells numbers that name columns from those of a row.
struct NumberSigns {
  std::size_t count = 0;
  bool rising = true;           ///< whole, each larger than the one before
  bool years = true;            ///< from 1800 to 2100
  bool decimals = false;        ///< there are some below
  bool decimals_in_all = true;  ///< below each of the numbers
  bool beyond = true;           ///< no number is between those below it
  bool counting = false;        ///< 0, 1, 2 … or 1, 2, 3 …
  bool from_zero = false;

  explicit NumberSigns(const std::deque<CsvRecord>& records) {
    constexpr double first_year = 1800, last_year = 2100;
    double before = -std::numeric_limits<double>::infinity(), value = 0;
    const std::vector<std::string>& first = records.front().fields;
    for (std::size_t j = 0; j < first.size(); ++j) {
      const std::vector<double> below = numbers_below(records, j);
      decimals |= has_decimals(below);
      if (!whole_number(first[j], value)) continue;
      if (count++ == 0) {
        from_zero = value == 0;
        counting = value == 0 || value == 1;
      }
      counting &= count == 1 || value == before + 1;
      rising &= value == std::floor(value) && value > before;
      years &= value >= first_year && value <= last_year;
      before = value;
      decimals_in_all &= has_decimals(below);
      if (below.empty()) continue;
      const auto [least, most] = std::ranges::minmax(below);
      beyond &= value < least || value > most;
    }
  }
};

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
/// and years name columns. A row may have even steps by chance, the likelier the fewer they are.
std::optional<HeaderChoice> choose_by_numbers(const std::deque<CsvRecord>& records, bool words) {
  constexpr std::size_t enough = 10;  // rows, to be sure that a word which is not among them is no label
  constexpr std::size_t many_steps = 5;
  const std::vector<std::string>& first = records.front().fields;
  const auto even = [](const CsvRecord& record) { return has_even_steps(record.fields); };
  const bool steps =
      records.size() > 1 && even(records.front()) && std::none_of(records.begin() + 1, records.end(), even);
  bool strange = false;  // a word above others that all repeat
  for (std::size_t j = 0; words && j < first.size(); ++j)
    strange |= kind_of(first[j]) == Kind::word && repeats_below(records, j);
  const NumberSigns signs(records);
  const bool unlike_rows = signs.count >= many_steps || (signs.counting && (signs.from_zero || strange)) ||
                           signs.decimals_in_all || signs.beyond;
  const bool by_steps = steps && (strange || signs.decimals);
  if (by_steps && unlike_rows) return HeaderChoice{true, "its numbers have even steps"};
  if (signs.count > 1 && signs.rising && signs.years && signs.beyond && signs.decimals)
    return HeaderChoice{true, "its numbers are years"};
  const bool many = records.size() > enough;
  if (by_steps || (steps && (words || (many && first.size() > 3))))
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

/// Whether an equal cell stands below, but for records that repeat the whole first one.
bool occurs_in_other_rows(const std::deque<CsvRecord>& records, std::size_t column) {
  const std::vector<std::string>& first = records.front().fields;
  return std::any_of(records.begin() + 1, records.end(), [&](const CsvRecord& record) {
    return column < record.fields.size() && record.fields[column] == first[column] && record.fields != first;
  });
}

/// The signs of a header, and of a row.
struct LineSigns {
  std::size_t names = 0;            ///< words above numbers
  std::size_t gaps = 0;             ///< words above numbers that may stand for a missing value
  std::size_t numbers = 0;          ///< above numbers
  std::size_t again = 0;            ///< words that occur below
  std::size_t again_elsewhere = 0;  ///< not only where the whole line does
  bool target = false;              ///< a word such as class, which does not occur below

  explicit LineSigns(const std::deque<CsvRecord>& records) {
    const std::vector<std::string>& first = records.front().fields;
    for (std::size_t j = 0; j < first.size(); ++j) {
      const Kind above = spells_non_finite(first[j]) ? Kind::word : kind_of(first[j]);
      const Kind below = kind_below(records, j);
      if (above == Kind::word && below == Kind::number) ++(stands_for_nothing(first[j]) ? gaps : names);
      numbers += above == Kind::number && below != Kind::word ? 1 : 0;
      if (above != Kind::word) continue;
      again += occurs_below(records, j) ? 1 : 0;
      again_elsewhere += occurs_in_other_rows(records, j) ? 1 : 0;
      target |= names_target(first[j]) && !occurs_in_other_rows(records, j);
    }
  }
};

/// What a first line with words above numbers is. Where it also looks like a row, one of them may be a slip
/// or a sign for a missing value.
HeaderChoice choose_by_words(const LineSigns& signs, const NumberSigns& numbers) {
  const bool rising = numbers.count > 1 && numbers.rising;  // as names may be
  const std::size_t against = signs.again_elsewhere + (rising ? 0 : signs.numbers);
  if (signs.names > against) return {true, "its words stand above numbers"};
  if (signs.names == 0 && against > 0)
    return {false, "its words above numbers stand for missing values, and the others are as below"};
  return {false,
          against == 0 ? "its words may stand for missing values"
                       : "it has words above numbers, but others as below",
          true};
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

bool stands_for_nothing(std::string_view cell) {
  constexpr std::array<std::string_view, 12> words{"-",  "--",      ".",       "..",   "*",   "none",
                                                   "na", "unknown", "missing", "n.a.", "nil", "null"};
  return spells_nan(cell) || spells_non_finite(cell) ||
         std::ranges::any_of(words, [&](std::string_view word) { return same_word(cell, word); });
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
  if (std::ranges::all_of(first, stands_for_nothing)) return {true, "it has no values"};
  const LineSigns signs(records);
  if (signs.target) return {true, "it has the name of a target"};
  if (signs.names + signs.gaps > 0) return choose_by_words(signs, NumberSigns(records));
  if (signs.numbers > 0) {
    const HeaderChoice row{false, "its numbers and words stand above numbers and words"};
    return signs.again > 0 ? row : choose_by_numbers(records, true).value_or(row);
  }
  if (signs.again > 0) return {false, "its words occur again below"};
  return {true, "its words do not occur below"};
}

}  // namespace fenchel
