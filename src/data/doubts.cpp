// SPDX-License-Identifier: Apache-2.0
#include "data/doubts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>

#include "data/arff_header.hpp"
#include "data/known_columns.hpp"
#include "data/label_rows.hpp"
#include "data/number.hpp"
#include "data/target_cell.hpp"
#include "data/word_doubts.hpp"
#include "fenchel/data/data_error.hpp"

namespace fenchel {
namespace {

constexpr std::size_t most_told = 4;  // columns: more sentences are not read

/// The lengths of the groups of digits between these marks; none if there is anything else.
std::vector<std::size_t> digit_groups(std::string_view text, char mark) {
  std::vector<std::size_t> lengths{0};
  for (const char c : text) {
    if (c != mark && !is_digit(c)) return {};
    if (c == mark) {
      lengths.push_back(0);
    } else {
      ++lengths.back();
    }
  }
  return lengths;
}

/// Whether a word is a time of day: 12:00, 9:30:05.250.
bool is_time(std::string_view word) {
  const std::vector<std::size_t> lengths = digit_groups(word.substr(0, word.find('.')), ':');
  return (lengths.size() == 2 || lengths.size() == 3) && lengths[0] >= 1 && lengths[0] <= 2 &&
         std::all_of(lengths.begin() + 1, lengths.end(), [](std::size_t length) { return length == 2; });
}

/// Whether a word is a date or a time: 2024-01-31, 31.1.2024, 31/01/24, 2024-01-31T12:00, 12:00:05.
bool is_date(std::string_view word) {
  const std::string_view date = word.substr(0, word.find_first_of("T "));
  for (const char mark : {'-', '/', '.'}) {
    const std::vector<std::size_t> lengths = digit_groups(date, mark);
    if (lengths.size() != 3) continue;
    const auto is_short = [](std::size_t length) { return length == 1 || length == 2; };
    const bool pairs = std::ranges::all_of(lengths, [](std::size_t length) { return length == 2; });
    const bool year_first = lengths[0] == 4 && is_short(lengths[1]) && is_short(lengths[2]);
    const bool year_last = is_short(lengths[0]) && is_short(lengths[1]) && lengths[2] == 4;
    if (pairs || year_first || year_last) return true;
  }
  return is_time(word);
}

bool are_dates(const std::vector<std::string>& words) { return std::ranges::all_of(words, is_date); }

void doubt_words(const Dataset& data, std::vector<std::string>& doubts) {
  std::size_t told = 0, more = 0;
  for (const NominalColumn& column : data.nominal) {
    const std::size_t count = column.values.size();
    const bool numbers = are_decorated(column.values);
    const bool dates = are_dates(column.values);
    const bool names = data.rows() >= few_rows && 2 * count > data.rows();
    if (!numbers && !names && !dates) continue;
    if (++told > most_told) {
      ++more;
      continue;
    }
    const std::string what =
        fmt::format("column {} has {} different words in {} rows, such as {}", in_quotes(column.name), count,
                    data.rows(), in_quotes(column.values.front()));
    if (dates) {
      doubts.push_back(what +
                       ", each a feature of its own; put numbers in place of dates and times (year, month, "
                       "hour), or leave the column out with `ignore`");
      continue;
    }
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
  std::vector<double> column(data.rows());
  data.x.visit([&](const auto& x) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      if (!x.sparse()) {
        column[i] = static_cast<double>(x.dense_rows().row(i)[j]);
        continue;
      }
      x.for_each(i, [&](std::size_t k, double value) {
        if (k == j) column[i] = value;
      });
    }
  });
  return column;
}

/// Whether a number may be how relevant a document is: those of LightGBM end at 31.
bool is_grade(double value) { return value >= 0 && value <= 31 && value == std::floor(value); }

bool are_whole(const std::vector<double>& column) {
  return std::ranges::all_of(column, [](double value) { return value == std::floor(value); });
}

std::size_t different(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return static_cast<std::size_t>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
}

/// Whether each row has another whole number; `in_steps`: 1, 2, 3 …
bool number_rows(std::vector<double> column, bool in_steps) {
  if (!are_whole(column)) return false;
  if (!in_steps) std::ranges::sort(column);
  const auto next = [&](double a, double b) { return in_steps ? b == a + 1 : a < b; };
  return std::ranges::adjacent_find(column, std::not_fn(next)) == column.end();
}

bool numbers_rows(const Dataset& data, std::size_t j, bool in_steps) {
  return number_rows(column_of(data, j), in_steps);
}

/// Whether the first column names the rows and the next one has words, as in tables of labels.
bool has_words_second(const Dataset& data) {
  return !data.x.sparse() && !data.nominal.empty() && data.nominal[0].feature == 1 &&
         numbers_rows(data, 0, false);
}

void doubt_numbers_of_rows(const Dataset& data, std::vector<std::string>& doubts) {
  for (std::size_t j = 0; j < data.feature_names.size() && data.rows() >= few_rows; ++j) {
    const bool named = names_rows(data.feature_names[j]);
    const bool first = j == 0 && data.x.cols() > 1;
    const bool unnamed = j == 0 && is_plain(data.feature_names[0]);
    if (!(named && numbers_rows(data, j, false)) && !(first && numbers_rows(data, j, true)) &&
        !(unnamed && has_words_second(data))) {
      continue;
    }
    doubts.push_back(
        fmt::format("column {} has another number in each row; leave it out with `ignore={}` if it only "
                    "names them",
                    in_quotes(data.feature_names[j]), data.feature_names[j]));
  }
}

/// A row that has a label twice: its comma may be a decimal one.
void doubt_repeated(const Labels& labels, std::vector<std::string>& doubts) {
  for (std::size_t i = 0; i < labels.rows() && labels.places.empty(); ++i) {
    std::vector<std::int32_t> row(labels.row(i).begin(), labels.row(i).end());
    std::ranges::sort(row);
    const auto twice = std::ranges::adjacent_find(row);
    if (twice == row.end()) continue;
    doubts.push_back(
        fmt::format("row {} has the label {} twice; if the comma is a decimal one, write a point", i + 1,
                    in_quotes(labels.names[static_cast<std::size_t>(*twice)])));
    return;
  }
}

/// A column of features whose words are orders of three labels or more: they are learnt, not learnt from.
void doubt_orders(const Dataset& data, std::vector<std::string>& doubts) {
  for (const NominalColumn& column : data.nominal) {
    const auto shorter = [](const std::string& word) { return labels_of_order(word).size() < 3; };
    if (!std::ranges::all_of(column.values, is_order) || std::ranges::all_of(column.values, shorter))
      continue;
    doubts.push_back(
        fmt::format("column {} has orders, such as {}; give `target={}` if they are to be learnt",
                    in_quotes(column.name), in_quotes(column.values.front()), column.name));
  }
}

/// Tokens in a table, each with the number of its sentence: learnt row by row, they have no neighbours.
void doubt_tokens(const Dataset& data, std::vector<std::string>& doubts) {
  constexpr std::array<std::string_view, 3> words{"word", "token", "form"};
  constexpr std::array<std::string_view, 6> sentences{"sentence", "sentence #", "sentence_id",
                                                      "sent",     "sent_id",    "sentence_idx"};
  std::vector<std::string> names = data.feature_names;
  for (const NominalColumn& column : data.nominal) names.push_back(column.name);
  const auto is_among = [](const auto& known) {
    return [&known](const std::string& name) {
      return std::ranges::any_of(known, [&](std::string_view one) { return same_word(name, one); });
    };
  };
  const auto word = std::ranges::find_if(names, is_among(words));
  if (word == names.end() || std::ranges::none_of(names, is_among(sentences))) return;
  doubts.push_back(fmt::format(
      "rows with a column {} look like tokens of sentences, and are learnt one by one; taggers are "
      "trained on CoNLL: a token per line, its label last, and a blank line after a sentence",
      in_quotes(*word)));
}

bool zero_or_one(double value) { return value == 0 || value == 1; }

/// What the names of columns have in common that are counted: label1, label2, or tag_x, tag_y.
std::string_view stem_of(std::string_view name) {
  const std::size_t mark = name.find_last_of("_.:-");
  if (mark != std::string_view::npos) return name.substr(0, mark + 1);
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

/// Columns of 0 and 1 at the end, called as the target is (label1, label2, label3).
void doubt_columns_of_labels(const Dataset& data, const std::string& target,
                             std::vector<std::string>& doubts) {
  constexpr std::size_t few = 3;
  const auto is_label = [&](std::size_t j) {
    return stem_of(data.feature_names[j]) == stem_of(target) &&
           std::ranges::all_of(column_of(data, j), zero_or_one);
  };
  if (data.values.empty() || data.x.sparse() || stem_of(target).empty() || stem_of(target) == target ||
      !std::ranges::all_of(data.values.entries(), zero_or_one)) {
    return;
  }
  std::size_t count = 1;
  while (count <= data.feature_names.size() && is_label(data.feature_names.size() - count)) ++count;
  if (count < few || count > data.feature_names.size()) return;
  doubts.push_back(fmt::format(
      "the last {} columns, {} to {}, are 0 or 1, and all but the last are taken for features; if they are "
      "labels, leave the others out with `ignore`, or write sets of labels as svmlight (1,2) or ARFF has "
      "them",
      count, in_quotes(data.feature_names[data.feature_names.size() + 1 - count]), in_quotes(target)));
}

/// Columns of numbers at the end that are counted as the target is (y1, y2), where it is the last of them.
void doubt_counted_columns(const Dataset& data, const std::string& target, std::vector<std::string>& doubts) {
  const auto counts = [](const std::string& name) {
    return !name.empty() && is_digit(name.back()) && name.find_last_of("_.:-") == std::string::npos;
  };
  const std::vector<std::string>& names = data.feature_names;
  if (data.values.empty() || !counts(target) || stem_of(target).empty()) return;
  std::size_t count = 1;
  while (count <= names.size() && counts(names[names.size() - count]) &&
         stem_of(names[names.size() - count]) == stem_of(target)) {
    ++count;
  }
  if (count < 2 || count > names.size()) return;
  doubts.push_back(fmt::format(
      "the last {} columns, {} to {}, are called alike, and all but the last are taken for features; if they "
      "are targets too, leave them out with `ignore`",
      count, in_quotes(names[names.size() + 1 - count]), in_quotes(target)));
}

/// Names that targets have, but features too.
bool may_name_target(const std::string& name) {
  constexpr std::array<std::string_view, 6> names{"y",         "outcome",  "species",
                                                  "diagnosis", "survived", "response"};
  return std::ranges::any_of(names, [&](std::string_view known) { return same_word(name, known); });
}

std::string advice(const std::string& what, const std::string& column) {
  return fmt::format("{}: give `target={}` if that is to be learnt", what, column);
}

/// A column of a few words that is as likely to be learnt as the last one: the first, or the only one where
/// columns have no names.
const NominalColumn* words_to_learn(const Dataset& data, const std::string& target) {
  if (data.nominal.empty() || data.rows() < few_rows) return nullptr;
  const NominalColumn& column = data.nominal[0];
  const std::size_t words = column.values.size();
  const bool only = data.nominal.size() == 1 && is_plain(target);
  const bool chosen = column.feature == 0 || has_words_second(data) || only;
  if (!chosen || words < 2 || 2 * words > data.rows() || are_dates(column.values)) return nullptr;
  const bool all_words = is_plain(target) && words == 2 && data.labels.names.size() > 2 &&
                         data.nominal.size() > 1 && std::ranges::none_of(data.labels.names, is_plain);
  return data.values.empty() && !all_words ? nullptr : &column;
}

/// Whether the first of columns without names has a few whole numbers, as classes have, and the last does
/// not.
bool begins_with_classes(const Dataset& data, const std::string& target) {
  constexpr std::size_t most_classes = 20;
  if (!is_plain(target) || target == "1" || data.rows() < few_rows || data.values.cols() != 1) return false;
  if (data.feature_names.empty() || data.feature_names.front() != "1") return false;
  const std::vector<double> first = column_of(data, 0);
  const std::vector<double> last(data.values.entries().begin(), data.values.entries().end());
  const std::size_t classes = different(first);
  return are_whole(first) && classes > 1 && classes <= most_classes && 2 * classes <= data.rows() &&
         (!are_whole(last) || different(last) > most_classes);
}

/// A target that is the last column for want of a better one, where another one is as likely.
void doubt_place(const Dataset& data, const std::string& target, std::vector<std::string>& doubts) {
  if (target.empty() || names_target(target) || may_name_target(target)) return;
  const std::string last = fmt::format("the target is the last column, {}", in_quotes(target));
  const auto name = std::ranges::find_if(data.feature_names, may_name_target);
  const auto column = std::ranges::find_if(
      data.nominal, [](const NominalColumn& words) { return may_name_target(words.name); });
  if (column != data.nominal.end() && !are_dates(column->values)) {
    doubts.push_back(
        advice(fmt::format("{}; there is a column {}", last, in_quotes(column->name)), column->name));
  } else if (name != data.feature_names.end()) {
    doubts.push_back(advice(fmt::format("{}; there is a column {}", last, in_quotes(*name)), *name));
  } else if (const NominalColumn* words = words_to_learn(data, target)) {
    doubts.push_back(fmt::format(
        "{}{}; column {} has {} different words in {} rows: give `target={}` if they are to be learnt", last,
        data.values.empty() ? "" : ", of numbers", in_quotes(words->name), words->values.size(), data.rows(),
        words->name));
  } else if (begins_with_classes(data, target)) {
    doubts.push_back(
        fmt::format("{}, of numbers; column '1' has {} different whole numbers in {} rows: give "
                    "`target=1` if they are classes to be learnt",
                    last, different(column_of(data, 0)), data.rows()));
  } else if (names_rows(target) && data.values.cols() == 1 &&
             number_rows({data.values.entries().begin(), data.values.entries().end()}, false)) {
    doubts.push_back(last +
                     ", which has another number in each row, as names of rows have; give `target`, the "
                     "column to be learnt");
  }
}

}  // namespace

std::vector<std::string> doubts_about(const Dataset& data, const std::string& target, DataFormat format,
                                      bool by_place) {
  std::vector<std::string> doubts;
  if (format != DataFormat::arff) doubt_words(data, doubts);  // its values are declared
  doubt_numbers_of_rows(data, doubts);
  if (by_place && format == DataFormat::csv) {
    doubt_place(data, target, doubts);
    const std::size_t said = doubts.size();
    doubt_columns_of_labels(data, target, doubts);
    if (doubts.size() == said) doubt_counted_columns(data, target, doubts);
  }
  if (by_place) doubt_orders(data, doubts);
  if (format == DataFormat::csv) doubt_tokens(data, doubts);
  doubt_labels(data, target, format, doubts);
  doubt_repeated(data.labels, doubts);
  const Labels& labels = data.labels;
  if (labels.names.size() == 1 && labels.indices.size() == data.rows() && labels.weights.empty()) {
    doubts.push_back(fmt::format("every row has the same target, {}: there is nothing to learn",
                                 in_quotes(labels.names.front())));
  }
  return doubts;
}

std::vector<std::string> doubts_about_queries(const Dataset& data, const std::string& target,
                                              DataFormat format, bool by_place) {
  constexpr std::array<std::string_view, 5> names_of_queries{"qid", "query", "query_id", "queryid",
                                                             "group_id"};
  std::vector<std::string> doubts;
  if (data.queries.empty()) {
    for (const std::string& name : data.feature_names) {
      const auto is_name = [&](std::string_view known) { return same_word(name, known); };
      if (std::ranges::none_of(names_of_queries, is_name)) continue;
      doubts.push_back(
          fmt::format("column {} is taken for a feature; queries to rank within are read from svmlight "
                      "(qid:1), or from a "
                      "file of their sizes beside the data whose name ends in .query",
                      in_quotes(name)));
    }
    return doubts;
  }
  if (data.queries.size() == data.rows() + 1)
    doubts.emplace_back("every query has one row: there is nothing to rank");
  const bool known = !by_place || format != DataFormat::csv || names_target(target) || target.empty();
  if (known || data.x.sparse() || (!data.nominal.empty() && data.nominal[0].feature == 0)) return doubts;
  if (!std::ranges::all_of(column_of(data, 0), is_grade)) return doubts;
  const bool grades = !data.values.empty() && std::ranges::all_of(data.values.entries(), is_grade);
  const std::string choice = fmt::format(
      "the relevances are in the first column, {0}, as LightGBM has them, or in the last, {1}; give "
      "`target={2}` or `target={3}`",
      in_quotes(data.feature_names[0]), in_quotes(target), data.feature_names[0], target);
  if (!grades)
    throw DataError(data.source, 0, 0, "rows belong to queries, and it is not certain whether " + choice);
  doubts.push_back("rows belong to queries, and the last column is taken for the relevances: say whether " +
                   choice);
  return doubts;
}

}  // namespace fenchel
