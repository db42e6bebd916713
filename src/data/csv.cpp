// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/csv.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "data/known_columns.hpp"
#include "data/label_rows.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/table.hpp"
#include "data/target_cell.hpp"

namespace fenchel {
namespace {

constexpr std::size_t most_words =
    100'000;  // of a column: each is a feature; more are names of rows, not values

bool is_missing(std::string_view cell) { return cell.empty() || cell == "?" || cell == "NA"; }

/// The separator that a line has most of outside quotes; commas win ties, then semicolons.
char separator_of(std::string_view line) {
  std::size_t counts[3] = {0, 0, 0};
  constexpr char separators[] = {',', ';', '\t'};
  bool inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    for (std::size_t k = 0; k < 3 && !inside; ++k) counts[k] += c == separators[k] ? 1 : 0;
  }
  return separators[std::max_element(counts, counts + 3) - counts];
}

/// One record of a file at a time, as fields without their quotes.
class CsvRecords {
 public:
  explicit CsvRecords(TextSource& source) : source_(source) {}

  /// False at the end. Blank lines are passed over.
  bool next() {
    do {
      if (!source_.next_line(line_)) return false;
    } while (trimmed(line_).empty());
    first_line_ = source_.line_number();
    if (separator_ == 0) separator_ = separator_of(line_);
    split();
    return true;
  }

  const std::vector<std::string>& fields() const { return fields_; }
  const std::string& source() const { return source_.name(); }
  DataError error(std::size_t field, const std::string& problem) const {
    return {source_.name(), first_line_, field < columns_.size() ? columns_[field] : 0, problem};
  }
  [[noreturn]] void fail(std::size_t field, const std::string& problem) const { throw error(field, problem); }

 private:
  void split() {
    std::size_t used = 0;  // fields keep their memory from record to record
    columns_.clear();
    const char* p = line_.data();
    for (bool more = true; more; ++used) {
      if (used == fields_.size()) fields_.emplace_back();
      std::string& field = fields_[used];
      field.clear();
      columns_.push_back(source_.line_number() == first_line_ ? static_cast<std::size_t>(p - line_.data()) + 1
                                                              : 0);
      const char* const begin = std::find_if_not(p, end(), [](char c) { return c == ' '; });
      if (begin != end() && *begin == '"') {
        p = unquote(begin + 1, field);
        p = std::find_if_not(p, end(), [](char c) { return c == ' '; });
        if (p != end() && *p != separator_) fail(used, "text after the closing quote");
      } else {
        p = std::find(p, end(), separator_);
        field = trimmed({begin, static_cast<std::size_t>(std::max(p, begin) - begin)});
      }
      more = p != end();
      if (more) ++p;
    }
    fields_.resize(used);
  }

  /// The text up to the closing quote, over several lines if need be.
  const char* unquote(const char* p, std::string& field) {
    for (;;) {
      const char* const quote = std::find(p, end(), '"');
      field.append(p, quote);
      if (quote == end()) {
        if (!source_.next_line(line_)) fail(columns_.size() - 1, "the quote is not closed");
        field += '\n';
        p = line_.data();
      } else if (quote + 1 != end() && quote[1] == '"') {
        field += '"';
        p = quote + 2;
      } else {
        return quote + 1;
      }
    }
  }

  const char* end() const { return line_.data() + line_.size(); }

  TextSource& source_;
  std::string_view line_;
  std::int64_t first_line_ = 0;
  char separator_ = 0;
  std::vector<std::string> fields_;
  std::vector<std::size_t> columns_;
};

class CsvReader {
 public:
  explicit CsvReader(const ReadOptions& options) : options_(options) {}

  void read(TextSource& source) {
    CsvRecords records(source);
    if (!records.next()) return;
    if (read_header(records)) add_row(records);
    while (records.next()) add_row(records);
  }

  Reading finish() {
    Reading reading;
    if (table_.rows() == 0) return reading;
    for (std::size_t j = 0; j < decided_.size(); ++j) {
      if (!decided_[j] && non_finite_[j]) throw DataError(*non_finite_[j]);
    }
    if (!target_words_ && target_non_finite_) throw DataError(*target_non_finite_);
    if (!options_.nominal_columns) table_.sort_values();
    table_.finish(options_, reading.data);
    labels_.finish(reading.data);
    reading.ignored_columns = std::move(ignored_);
    return reading;
  }

 private:
  /// Takes the header, or compares it with the first file's. True if the record is a row itself.
  bool read_header(const CsvRecords& records) {
    std::vector<std::string> names = records.fields();
    double ignored = 0;
    const auto is_number = [&](const std::string& name) { return whole_number(name, ignored); };
    const bool is_row = std::all_of(names.begin(), names.end(), is_number);
    if (!is_row && std::any_of(names.begin(), names.end(), is_number)) check_not_a_row(records);
    for (std::size_t j = 0; is_row && j < names.size(); ++j) names[j] = std::to_string(j + 1);
    if (!header_.empty()) {
      if (names != header_) records.fail(0, "the header differs from the first file's");
      return is_row;
    }
    header_ = std::move(names);
    const std::vector<std::string> known = is_row ? std::vector<std::string>() : known_names(options_);
    if (options_.target.empty()) {
      target_ = known.empty() ? header_.size() - 1 : target_among(known, header_, records.source());
    } else if (options_.target != "-") {
      const auto found = std::find(header_.begin(), header_.end(), options_.target);
      if (found == header_.end()) {
        records.fail(0, fmt::format("the header has no column {}", in_quotes(options_.target)));
      }
      target_ = static_cast<std::size_t>(found - header_.begin());
    }
    choose_fields(known, records);
    decided_.assign(table_.columns.size(), options_.nominal_columns.has_value());
    non_finite_.resize(table_.columns.size());
    if (options_.nominal_columns) {
      const std::string problem =
          apply_known(*options_.nominal_columns, !is_row && known.empty(), table_.columns);
      if (!problem.empty()) records.fail(0, problem);
    }
    return is_row;
  }

  /// A first line of numbers, and of nan or inf in place of some, is a row that is wrong, not a header.
  static void check_not_a_row(const CsvRecords& records) {
    const std::vector<std::string>& fields = records.fields();
    const auto place = [&](bool (*is)(const std::string&)) {
      return static_cast<std::size_t>(std::find_if(fields.begin(), fields.end(), is) - fields.begin());
    };
    const auto is_word = [](const std::string& field) {
      double ignored = 0;
      return !whole_number(field, ignored) && !spells_non_finite(field);
    };
    if (place(is_word) < fields.size()) return;
    const std::size_t first = place([](const std::string& field) { return spells_non_finite(field); });
    records.fail(first, fmt::format("{} is not a finite number", in_quotes(fields[first])));
  }

  /// Which fields are features, and in which order: that of the known names, else that of the file.
  void choose_fields(const std::vector<std::string>& known, const CsvRecords& records) {
    if (known.empty()) {
      check_different(header_, records.source());
      for (std::size_t j = 0; j < header_.size(); ++j) {
        if (j != target_) fields_.push_back(j);
      }
    } else {
      ColumnMatch match = match_columns(known, header_, target_.value_or(header_.size()), records.source());
      fields_ = std::move(match.places);
      ignored_ = std::move(match.others);
    }
    for (const std::size_t j : fields_) table_.columns.push_back({header_[j], false, {}});
  }

  void add_row(const CsvRecords& records) {
    const std::vector<std::string>& fields = records.fields();
    if (fields.size() != header_.size()) {
      records.fail(std::min(fields.size(), header_.size()),
                   fmt::format("{} fields; the header has {}", fields.size(), header_.size()));
    }
    for (std::size_t column = 0; column < fields_.size(); ++column) {
      table_.push(cell(records, fields_[column], column));
    }
    table_.end_row(false);
    if (target_ && *target_ < header_.size()) add_target(records);
  }

  void add_target(const CsvRecords& records) {
    const std::string& text = records.fields()[*target_];
    const std::string problem = push_target(text, labels_);
    if (!problem.empty()) records.fail(*target_, problem);
    double ignored = 0;
    if (target_words_ || whole_number(text, ignored)) return;
    target_words_ = !spells_non_finite(text);
    if (!target_words_ && !target_non_finite_) {
      target_non_finite_ = records.error(
          *target_,
          fmt::format("target {} is not a finite number, and no other target is a word", in_quotes(text)));
    }
  }

  /// A cell of a column that has had none but nan and inf so far. They are words if another cell is one, else
  /// errors: the first of them is kept until that is known.
  void decide(const CsvRecords& records, std::size_t field, std::size_t column, bool number) {
    const std::string& text = records.fields()[field];
    if (!number && spells_non_finite(text)) {
      if (non_finite_[column]) return;
      non_finite_[column] = records.error(
          field, fmt::format("{} is not a finite number, and no other value of column {} is a word",
                             in_quotes(text), in_quotes(table_.columns[column].name)));
      return;
    }
    if (number && non_finite_[column]) throw DataError(*non_finite_[column]);
    decided_[column] = true;
    table_.columns[column].nominal = !number;
  }

  double cell(const CsvRecords& records, std::size_t field, std::size_t column) {
    const std::string& text = records.fields()[field];
    FeatureColumn& features = table_.columns[column];
    if (is_missing(text)) {
      const std::string problem = missing_problem(options_);
      if (problem.empty()) return missing_cell;
      records.fail(field, fmt::format("a value of column {} {}", in_quotes(features.name), problem));
    }
    double value = 0;
    const bool number = whole_number(text, value);
    if (!decided_[column]) decide(records, field, column, number);
    if (!decided_[column] || (features.nominal && !options_.nominal_columns)) {
      return word(records, field, features);
    }
    if (features.nominal) {
      const std::int32_t known = features.values.find(text);
      if (known < 0) records.fail(field, unseen_problem(text, "column", features));
      return known;
    }
    const double largest = options_.single ? static_cast<double>(std::numeric_limits<float>::max())
                                           : std::numeric_limits<double>::max();
    if (number && std::isfinite(value) && std::abs(value) > largest) {
      records.fail(field, fmt::format("{} is too large for single precision (column {})", in_quotes(text),
                                      in_quotes(features.name)));
    }
    if (!number || !std::isfinite(value)) {
      records.fail(field, fmt::format("{} is not a finite number; column {} {}", in_quotes(text),
                                      in_quotes(features.name),
                                      options_.nominal_columns ? "has no names for values in the model"
                                                               : "has held numbers so far"));
    }
    return value;
  }

  std::int32_t word(const CsvRecords& records, std::size_t field, FeatureColumn& column) const {
    const std::int32_t number = column.values.add(records.fields()[field]);
    if (static_cast<std::size_t>(number) >= most_words) {
      records.fail(
          field, fmt::format("column {} has more than {} different words, each of which would be a feature; "
                             "leave it out if it names the rows, or put numbers in their place",
                             in_quotes(column.name), most_words));
    }
    return number;
  }

  ReadOptions options_;
  std::vector<std::string> header_;
  std::optional<std::size_t> target_;
  std::vector<std::size_t> fields_;   ///< of a record, for each column of the table
  std::vector<std::string> ignored_;  ///< columns that are not known
  FeatureTable table_;
  std::vector<bool> decided_;                         ///< whether a column is known to be numeric or nominal
  std::vector<std::optional<DataError>> non_finite_;  ///< of each column, about its first cell
  std::optional<DataError> target_non_finite_;        ///< about the first such target
  bool target_words_ = false;                         ///< some target is a word
  LabelRows labels_;
};

}  // namespace

Reading read_csv_files(const std::vector<std::string>& files, TextSource* first, const ReadOptions& options) {
  CsvReader reader(options);
  read_files(reader, files, first);
  return reader.finish();
}

Dataset read_csv(const Paths& paths, const ReadOptions& options) {
  return read_format(DataFormat::csv, paths, options);
}

}  // namespace fenchel
