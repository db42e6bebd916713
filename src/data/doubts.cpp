// SPDX-License-Identifier: Apache-2.0
#include "data/doubts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

#include "data/arff_header.hpp"
#include "data/csv_numbers.hpp"
#include "data/known_columns.hpp"
#include "data/label_rows.hpp"
#include "data/number.hpp"

namespace fenchel {
namespace {

constexpr std::size_t few_rows = 10;        // say nothing about how often words occur
constexpr std::size_t most_told = 4;        // columns: more sentences are not read
constexpr std::size_t fewest_of_lists = 2;  // parts that several labels share

/// What people write around numbers: currencies, percent, blanks, the minus sign of Unicode.
constexpr std::array<std::string_view, 14> around_numbers{"$",      "€", "£", "¥",   "%",   " ",  "\u00a0",
                                                          "\u202f", "−", "'", "EUR", "USD", "kg", "km"};

/// Whether a word is a number with something around it, such as $3.50 or 12 %.
bool is_decorated(std::string_view word) {
  std::string rest(word);
  for (const std::string_view mark : around_numbers) {
    for (std::size_t at = rest.find(mark); at != std::string::npos; at = rest.find(mark))
      rest.erase(at, mark.size());
  }
  return may_be_number(rest);
}

bool is_plain(std::string_view word) {
  double ignored = 0;
  return whole_number(word, ignored);
}

/// Whether all words are numbers, and some have something around them: 0 and 1 alone are names.
bool are_decorated(const std::vector<std::string>& words) {
  return std::ranges::all_of(words, is_decorated) && !std::ranges::all_of(words, is_plain);
}

void doubt_words(const Dataset& data, std::vector<std::string>& doubts) {
  std::size_t told = 0, more = 0;
  for (const NominalColumn& column : data.nominal) {
    const std::size_t count = column.values.size();
    const bool numbers = are_decorated(column.values);
    const bool names = data.rows() >= few_rows && 2 * count > data.rows();
    if (!numbers && !names) continue;
    if (++told > most_told) {
      ++more;
      continue;
    }
    const std::string what =
        fmt::format("column {} has {} different words in {} rows, such as {}", in_quotes(column.name), count,
                    data.rows(), in_quotes(column.values.front()));
    doubts.push_back(numbers ? what +
                                   "; if they are numbers, write them as such (1234.5), or leave the column "
                                   "out with `ignore`"
                             : what +
                                   ", each a feature of its own; leave it out with `ignore` unless that is "
                                   "meant");
  }
  if (more > 0) doubts.push_back(fmt::format("so have {} more columns", more));
}

bool names_rows(const std::string& name) {
  constexpr std::array<std::string_view, 7> names{"id", "index", "idx", "row", "rowid", "row_id", "#"};
  return std::ranges::any_of(names, [&](std::string_view known) { return same_word(name, known); }) ||
         name.ends_with("_id") || name.ends_with("_ID") || name.ends_with("Id");
}

std::vector<double> column_of(const Dataset& data, std::size_t j) {
  std::vector<double> column;
  data.x.visit([&](const auto& x) {
    for (std::size_t i = 0; i < x.rows(); ++i)
      column.push_back(static_cast<double>(x.dense_rows().row(i)[j]));
  });
  return column;
}

/// Whether a column has another whole number in each row; `in_steps`: 1, 2, 3 …
bool numbers_rows(const Dataset& data, std::size_t j, bool in_steps) {
  if (data.x.sparse()) return false;
  std::vector<double> column = column_of(data, j);
  const bool whole = std::ranges::all_of(column, [](double value) { return value == std::floor(value); });
  if (!in_steps) std::ranges::sort(column);
  const auto next = [&](double a, double b) { return in_steps ? b == a + 1 : a < b; };
  return whole && std::ranges::adjacent_find(column, std::not_fn(next)) == column.end();
}

/// Whether the first column names the rows and the next one has words, as in tables of labels.
bool has_words_second(const Dataset& data) {
  return !data.nominal.empty() && data.nominal[0].feature == 1 && numbers_rows(data, 0, false);
}

void doubt_numbers_of_rows(const Dataset& data, std::vector<std::string>& doubts) {
  for (std::size_t j = 0; j < data.feature_names.size() && data.rows() >= few_rows; ++j) {
    const bool named = names_rows(data.feature_names[j]);
    const bool unnamed = j == 0 && is_plain(data.feature_names[0]);
    if (!(named && numbers_rows(data, j, false)) && !(unnamed && numbers_rows(data, j, true)) &&
        !(unnamed && has_words_second(data))) {
      continue;
    }
    doubts.push_back(
        fmt::format("column {} has another number in each row; leave it out with `ignore={}` if it only "
                    "names them",
                    in_quotes(data.feature_names[j]), data.feature_names[j]));
  }
}

/// A target that is the last column for want of a better one, where the first one has a few words: what to
/// learn stands there as often.
void doubt_place(const Dataset& data, const std::string& target, std::vector<std::string>& doubts) {
  if (data.nominal.empty() || target.empty() || names_target(target)) return;
  const NominalColumn& first = data.nominal[0];
  const std::size_t words = first.values.size();
  const bool begins = first.feature == 0 || has_words_second(data);
  if (!begins || words < 2 || data.rows() < few_rows || 2 * words > data.rows()) return;
  const bool all_words = is_plain(target) && words == 2 && data.labels.names.size() > 2 &&
                         data.nominal.size() > 1 && std::ranges::none_of(data.labels.names, is_plain);
  if (data.values.empty() && !all_words) return;
  doubts.push_back(fmt::format(
      "the target is the last column, {}{}; column {} has {} different words in {} rows: give `target={}` if "
      "they are to be learnt",
      in_quotes(target), data.values.empty() ? "" : ", of numbers", in_quotes(first.name), words, data.rows(),
      first.name));
}

/// The parts of a label between marks that people put between the members of lists and orders, of one kind.
std::vector<std::string> parts_of(std::string_view label, std::string_view mark) {
  std::vector<std::string> parts;
  for (std::size_t end = label.find(mark); end != std::string_view::npos; end = label.find(mark)) {
    parts.emplace_back(label.substr(0, end));
    label.remove_prefix(end + mark.size());
  }
  parts.emplace_back(label);
  return parts;
}

/// A label that looks like a list: half of them do, of parts that several labels share, or all are in
/// brackets.
std::string list_among(const std::vector<std::string>& labels) {
  const auto in_brackets = [](const std::string& label) {
    return (label.starts_with('[') && label.ends_with(']')) ||
           (label.starts_with('{') && label.ends_with('}'));
  };
  if (std::ranges::all_of(labels, in_brackets)) return labels.front();
  constexpr std::array<std::string_view, 6> marks{",", ";", "|", "<", ">", "≻"};
  for (const std::string_view mark : marks) {
    std::map<std::string, std::size_t> counts;
    std::size_t lists = 0;
    const std::string* list = nullptr;
    for (const std::string& label : labels) {
      const std::vector<std::string> parts = parts_of(label, mark);
      if (parts.size() > 1 && !list) list = &label;
      lists += parts.size() > 1 ? 1 : 0;
      for (const std::string& part : parts) ++counts[part];
    }
    const auto shared = static_cast<std::size_t>(
        std::ranges::count_if(counts, [](const auto& entry) { return entry.second > 1; }));
    if (list && 2 * lists >= labels.size() && shared >= fewest_of_lists) return *list;
  }
  return {};
}

void doubt_labels(const Dataset& data, const std::string& target, DataFormat format,
                  std::vector<std::string>& doubts) {
  const Labels& labels = data.labels;
  if (labels.names.empty() || !data.values.empty() || !labels.places.empty()) return;
  const std::string where = target.empty() ? std::string() : fmt::format(" (column {})", in_quotes(target));
  if (const std::string list = list_among(labels.names); !list.empty()) {
    doubts.push_back(fmt::format(
        "the label {}{} is taken for one word; orders (a>b=c) are read from CSV and ARFF, sets of "
        "labels (1,2) from svmlight and ARFF",
        in_quotes(list), where));
  } else if (format != DataFormat::csv) {
    return;  // other formats say which words are labels
  } else if (are_decorated(labels.names)) {
    doubts.push_back(
        fmt::format("the targets{}, such as {}, are taken for labels; if they are numbers, write them as "
                    "such (1234.5)",
                    where, in_quotes(labels.names.front())));
  } else if (data.rows() >= few_rows && 2 * labels.names.size() > data.rows()) {
    doubts.push_back(
        fmt::format("the target{} has {} different labels in {} rows, such as {}; give `target` if "
                    "another column is meant",
                    where, labels.names.size(), data.rows(), in_quotes(labels.names.front())));
  }
}

}  // namespace

std::vector<std::string> doubts_about(const Dataset& data, const std::string& target, DataFormat format,
                                      bool by_place) {
  std::vector<std::string> doubts;
  if (format != DataFormat::arff) doubt_words(data, doubts);  // its values are declared
  doubt_numbers_of_rows(data, doubts);
  if (by_place && format == DataFormat::csv) doubt_place(data, target, doubts);
  doubt_labels(data, target, format, doubts);
  const Labels& labels = data.labels;
  if (labels.names.size() == 1 && labels.indices.size() == data.rows() && labels.weights.empty()) {
    doubts.push_back(fmt::format("every row has the same target, {}: there is nothing to learn",
                                 in_quotes(labels.names.front())));
  }
  return doubts;
}

}  // namespace fenchel
