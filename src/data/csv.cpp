// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "data/arff_header.hpp"
#include "data/byte_source.hpp"
#include "data/csv_header.hpp"
#include "data/csv_numbers.hpp"
#include "data/csv_records.hpp"
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

/// What the ending of a name says about the separator, or 0.
char separator_by_name(const std::string& path) {
  std::filesystem::path file(path);
  while (is_compressed_name(file.string())) file.replace_extension();
  const std::string ending = file.extension().string();
  return same_word(ending, ".tsv") || same_word(ending, ".tab") ? '\t' : '\0';
}

std::string separator_text(char separator) {
  switch (separator) {
    case ';':
      return "semicolons";
    case '\t':
      return "tabs";
    case '|':
      return "bars";
    case ' ':
      return "blanks";
    default:
      return "commas";
  }
}

/// What the first rows have in a column.
struct ColumnCells {
  std::size_t different = 0, numbers = 0, words = 0;
  std::string word;       ///< one of them
  bool single = false;    ///< a word does not occur again
  bool all_signs = true;  ///< each word may stand for a missing number

  /// Whether it is one of numbers, and words in it are slips, signs for missing values or units.
  bool numbers_with_slips() const {
    constexpr std::size_t most = 10, most_for_signs = 3;  // numbers for a word
    return numbers >= most * words || (all_signs && numbers >= most_for_signs * words);
  }
};

ColumnCells count_cells(const std::deque<CsvRecord>& rows, std::size_t field) {
  std::map<std::string_view, std::size_t> counts;
  for (const CsvRecord& row : rows) {
    if (field < row.fields.size()) ++counts[row.fields[field]];
  }
  ColumnCells cells;
  cells.different = counts.size();
  for (const auto& [cell, count] : counts) {
    const bool number = may_be_number(cell);
    if (number) cells.numbers += count;
    if (number || is_missing_cell(cell) || spells_non_finite(cell)) continue;
    cells.words += count;
    if (cells.word.empty()) cells.word = cell;
    cells.single |= count == 1;
    cells.all_signs &= stands_for_nothing(cell);
  }
  return cells;
}

class CsvReader {
 public:
  explicit CsvReader(const ReadOptions& options)
      : options_(options), known_(column_names(options)), numbers_(options.decimal) {}

  void read(TextSource& source) {
    const bool keep_empty = options_.unlabelled && options_.missing == Missing::fill;  // they get predictions
    CsvRecords records(source, separator_by_name(source.name()), options_.decimal, keep_empty);
    if (records.ahead().empty()) {
      records.next();  // throws if the first record is wrong
      return;
    }
    separator_ = records.separator();
    const bool header = begins_with_header(records);
    const bool names_of_rows = header && begins_with_names_of_rows(records.ahead());
    if (header) records.next();
    if (header_.empty()) {
      named_ = header;
      header_line_ = header ? records.record().line : 0;
      header_ = header ? records.fields() : numbered(records.ahead().front().fields.size());
      if (names_of_rows) header_.insert(header_.begin(), std::string());
      choose_columns(records);
    }
    while (records.next()) add_row(records);
    empty_rows_ += records.empty_rows();
  }

  Reading finish() {
    Reading reading;
    if (table_.rows() == 0) return reading;
    for (std::size_t j = 0; j < decided_.size(); ++j) {
      if (!decided_[j]) decide_number(j);
    }
    if (!target_words_ && target_non_finite_) throw DataError(*target_non_finite_);
    if (!options_.nominal_columns) table_.sort_values();
    table_.finish(options_, reading.data);
    labels_.finish(reading.data);
    reading.ignored_columns = std::move(ignored_);
    reading.remarks = std::move(remarks_);
    if (numbers_.commas()) reading.remarks.emplace_back("with decimal commas");
    if (repeated_headers_ > 0) {
      reading.warnings.push_back(
          fmt::format("{} that repeat{} the header {} left out",
                      repeated_headers_ == 1 ? "a line" : fmt::format("{} lines", repeated_headers_),
                      repeated_headers_ == 1 ? "s" : "", repeated_headers_ == 1 ? "is" : "are"));
    }
    if (empty_rows_ > 0) {
      reading.warnings.push_back(
          fmt::format("{} left out, as {} nothing but separators",
                      empty_rows_ == 1 ? "a row is" : fmt::format("{} rows are", empty_rows_),
                      empty_rows_ == 1 ? "it has" : "they have"));
    }
    reading.warnings.insert(reading.warnings.end(), warnings_.begin(), warnings_.end());
    if (labels_.had_groups()) reading.remarks.emplace_back("with tied labels written as one word");
    if (target_) reading.target = header_[*target_];
    reading.kept = std::move(kept_);
    doubt_points(reading.warnings);
    return reading;
  }

 private:
  static std::vector<std::string> numbered(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t j = 0; j < count; ++j) names.push_back(std::to_string(j + 1));
    return names;
  }

  bool begins_with_header(const CsvRecords& records) {
    const CsvRecord& first = records.ahead().front();
    if (!header_.empty() && named_ && first.fields == header_) return true;
    const HeaderChoice choice = choose_header(records.ahead(), options_, names_of(known_));
    if (choice.uncertain) {
      throw DataError(
          records.source(), first.line, 0,
          fmt::format("it is not certain whether this line names the columns ({}); give `header`, "
                      "yes or no",
                      choice.why));
    }
    if (header_.empty()) {
      remarks_.push_back("separated by " + separator_text(separator_));
      remarks_.push_back(fmt::format("{} header ({}: {})", choice.header ? "with a" : "without a",
                                     choice.header ? "the first line" : "the first line is a row",
                                     choice.why));
    } else if (choice.header) {
      throw DataError(records.source(), first.line, 1,
                      "the header differs from the first file's: " + difference(header_, first.fields));
    }
    if (!choice.header) check_finite(records.source(), first);
    return choice.header;
  }

  /// What another header has that the first has not, or where they begin to differ.
  static std::string difference(const std::vector<std::string>& wanted,
                                const std::vector<std::string>& names) {
    const auto without = [](const auto& all, const auto& others) {
      std::vector<std::string> rest;
      for (const std::string& name : all) {
        if (std::ranges::find(others, name) == others.end()) rest.push_back(in_quotes(name));
      }
      return fmt::format("{}", fmt::join(rest, ", "));
    };
    const std::string missing = without(wanted, names), more = without(names, wanted);
    if (!missing.empty() || !more.empty()) {
      return fmt::format("{}{}{}", missing.empty() ? "" : missing + " is missing",
                         missing.empty() || more.empty() ? "" : ", ",
                         more.empty() ? "" : more + " is not in it");
    }
    const auto [place, other] = std::ranges::mismatch(wanted, names);
    return fmt::format("the columns are in another order (column {} is {} here, and {} there)",
                       place - wanted.begin() + 1, other == names.end() ? "missing" : in_quotes(*other),
                       place == wanted.end() ? "missing" : in_quotes(*place));
  }

  /// A first line of numbers, and of inf in place of some, is a row that is wrong.
  static void check_finite(const std::string& source, const CsvRecord& record) {
    double ignored = 0;
    const auto is_number = [&](const std::string& field) { return whole_number(field, ignored); };
    const auto is_word = [&](const std::string& field) {
      return !is_number(field) && !spells_non_finite(field);
    };
    if (std::ranges::any_of(record.fields, is_word) || std::ranges::none_of(record.fields, is_number)) return;
    for (std::size_t j = 0; j < record.fields.size(); ++j) {
      if (!spells_non_finite(record.fields[j]) || spells_nan(record.fields[j])) continue;
      throw DataError(source, record.line, record.columns[j],
                      fmt::format("{} is not a finite number", in_quotes(record.fields[j])));
    }
  }

  /// The target, and which fields are features, in which order: that of the known names, else that of the
  /// file.
  void choose_columns(const CsvRecords& records) {
    const std::string& source = records.source();
    const std::vector<std::string> known = named_ ? names_of(known_) : std::vector<std::string>();
    std::vector<bool> left_out(header_.size(), false);
    for (const std::string& column : options_.ignore) left_out[column_called(header_, column, source)] = true;
    if (has_index(known, records.ahead())) {
      left_out[0] = true;
      if (known_.empty()) {
        warnings_.emplace_back(
            "the first column has no name, as names of rows do, and is left out; to keep it, give it a name");
      }
    }
    target_ = find_target(known, left_out, source);
    if (!options_.target.empty() && target_) check_not_ignored(header_[*target_], left_out[*target_], source);
    if (known_.empty() && options_.target.empty() && named_ && target_ && *target_ + 1 < header_.size() &&
        names_target(header_[*target_])) {
      warnings_.push_back(
          fmt::format("the target is column {}, by its name; give `target` if another one is meant, "
                      "such as the last, {}",
                      in_quotes(header_[*target_]), in_quotes(header_.back())));
    }
    if (known.empty()) {
      std::vector<std::string> names;
      for (std::size_t j = 0; j < header_.size(); ++j) {
        if (j == target_ || !left_out[j]) names.push_back(header_[j]);
        if (j != target_ && !left_out[j]) fields_.push_back(j);
      }
      check_different(names, source);
    } else {
      ColumnMatch match = match_columns(known, header_, target_.value_or(header_.size()), source);
      fields_ = std::move(match.places);
      std::erase_if(match.others, [&](const std::string& name) { return left_out[place_of(name)]; });
      ignored_ = std::move(match.others);
    }
    const bool by_place = !known_.empty() && known.empty();
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      const bool has_name = by_place && fields_.size() == known_.size();
      table_.columns.push_back({has_name ? known_[k] : header_[fields_[k]], false, {}});
    }
    if (by_place) say_by_place();
    choose_kept(source);
    if (fields_.empty()) {
      throw DataError(
          source, 0, 0,
          header_.size() > 1
              ? std::string("there are no features: all columns but the target are left out")
              : fmt::format("there are no features: the only column of values separated by {} is {}",
                            separator_text(separator_), in_quotes(header_.front())));
    }
    forget_columns();
    if (!options_.nominal_columns) {
      find_mixed_columns(records.ahead());
      return;
    }
    const std::string problem =
        apply_known(*options_.nominal_columns, named_ && known_.empty(), table_.columns);
    if (!problem.empty()) throw DataError(source, header_line_, named_ ? 1 : 0, problem);
  }

  /// Nothing has been seen of the cells.
  void forget_columns() {
    const std::size_t count = table_.columns.size();
    decided_.assign(count, options_.nominal_columns.has_value());
    non_finite_.resize(count);
    nan_.resize(count);
    slips_.resize(count);
    points_.resize(count);
  }

  /// Columns of other data that are not known by name, because one of the two has none.
  void say_by_place() {
    if (named_ != are_numbers(known_)) return;
    by_place_ = fmt::format("columns are taken by position: {}",
                            named_ ? "the model was trained without names"
                                   : "the first line is a row; give `header=yes` if it names the columns");
    warnings_.push_back(by_place_);
  }

  /// Columns of few different cells, of which some are numbers and others words that occur again, hold names
  /// (2, 3, 4, 5more); one that is not among the first rows is an error. So is a word where the others are
  /// numbers, wherever it stands.
  void find_mixed_columns(const std::deque<CsvRecord>& rows) {
    for (std::size_t column = 0; column < fields_.size(); ++column) {
      const ColumnCells cells = count_cells(rows, fields_[column]);
      if (cells.word.empty() || cells.numbers == 0) continue;
      const bool many = 2 * cells.different > rows.size();
      if ((many || cells.single) && cells.numbers_with_slips()) {
        decided_[column] = true;
        slips_[column] = true;
      }
      if (many || cells.single) continue;
      decided_[column] = true;
      table_.columns[column].nominal = true;
      warnings_.push_back(fmt::format(
          "column {} has numbers and words, such as {}, and is read as one of words; leave it out "
          "with `ignore={}` unless that is meant",
          in_quotes(header_[fields_[column]]), in_quotes(cells.word), header_[fields_[column]]));
    }
  }

  /// Whether the first column is an index as pandas and R write it: it has no name, or the one that pandas
  /// gives to such a column that it has read.
  bool has_index(const std::vector<std::string>& known, const std::deque<CsvRecord>& rows) const {
    const auto empty = [](const CsvRecord& row) { return row.fields.front().empty(); };
    if (std::ranges::any_of(rows, empty)) return false;
    if (!named_ || header_.size() < 2 || !(header_[0].empty() || header_[0] == "Unnamed: 0")) return false;
    const bool wanted = options_.target == "1" || (!options_.target.empty() && options_.target == header_[0]);
    return !wanted && std::ranges::find(known, header_[0]) == known.end();
  }

  void choose_kept(const std::string& source) {
    for (const std::string& column : options_.keep) {
      for (std::size_t j = 0; column == "*" && j < header_.size(); ++j) kept_fields_.push_back(j);
      if (column != "*") kept_fields_.push_back(column_called(header_, column, source));
    }
    for (const std::size_t j : kept_fields_) {
      kept_.push_back({header_[j], {}});
      std::erase(ignored_, header_[j]);
    }
  }

  std::size_t place_of(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::find(header_, name) - header_.begin());
  }

  std::optional<std::size_t> find_target(const std::vector<std::string>& known,
                                         const std::vector<bool>& left_out, const std::string& source) const {
    if (options_.target == "-") return std::nullopt;
    if (!options_.target.empty()) return column_called(header_, options_.target, source);
    std::size_t found = header_.size();
    if (named_ && !options_.known_target.empty() && !are_numbers(known_)) {
      found = place_of(options_.known_target);
    } else if (!known.empty()) {
      found = target_among(known, header_, source);
    } else {
      found = named_ && known_.empty() ? target_by_name(left_out, source) : header_.size();
      if (found == header_.size()) found = target_by_place(left_out);
    }
    if (found == header_.size()) return std::nullopt;
    return found;
  }

  /// The column that is called as targets are, wherever it is; header_.size() if there is none. The last
  /// one is chosen if it is one of several.
  std::size_t target_by_name(const std::vector<bool>& left_out, const std::string& source) const {
    std::vector<std::size_t> found;
    for (std::size_t j = 0; j < header_.size(); ++j) {
      if (!left_out[j] && names_target(header_[j])) found.push_back(j);
    }
    if (found.empty()) return header_.size();
    if (found.size() == 1 || found.back() + 1 == header_.size()) return found.back();
    throw DataError(source, header_line_, 0,
                    fmt::format("both {} and {} may be the target; give `target`, the name of a column",
                                in_quotes(header_[found[0]]), in_quotes(header_[found[1]])));
  }

  /// Where columns have no names: the last one, or the one that was not a feature of other data;
  /// header_.size() if the file has only as many columns as there are features.
  std::size_t target_by_place(const std::vector<bool>& left_out) const {
    const auto used = static_cast<std::size_t>(std::ranges::count(left_out, false));
    if (used == (known_.empty() ? options_.features : known_.size())) return header_.size();
    std::size_t last = header_.size() - 1;
    while (last > 0 && (left_out[last] || header_[last].empty())) --last;
    if (named_ || used != known_.size() + 1 || !are_numbers(known_)) return last;
    for (std::size_t j = 0; j < header_.size(); ++j) {
      if (!left_out[j] && std::ranges::find(known_, header_[j]) == known_.end()) return j;
    }
    return last;
  }

  void add_row(const CsvRecords& records) {
    const std::vector<std::string>& fields = records.fields();
    if (named_ && fields == header_ && !are_numbers(header_)) {
      ++repeated_headers_;
      return;
    }
    if (fields.size() != header_.size()) {
      records.fail(
          std::min(fields.size(), header_.size()),
          fmt::format("{} field{}; the {} has {}{}", fields.size(), fields.size() == 1 ? "" : "s",
                      named_ ? "header" : "first row", header_.size(),
                      std::ranges::any_of(fields, has_half_a_bracket)
                          ? "; put a value such as {a,b}>c, with separators between brackets, in quotes"
                          : ""));
    }
    for (std::size_t column = 0; column < fields_.size(); ++column) {
      table_.push(cell(records, fields_[column], column));
    }
    table_.end_row(false);
    for (std::size_t k = 0; k < kept_.size(); ++k) kept_[k].cells.push_back(fields[kept_fields_[k]]);
    if (target_ && *target_ < header_.size()) add_target(records);
  }

  void add_target(const CsvRecords& records) {
    const std::string& text = records.fields()[*target_];
    if (is_missing_cell(text) || (options_.unlabelled && spells_nan(text))) {
      if (!options_.unlabelled) {
        records.fail(*target_,
                     fmt::format("the target is missing (column {}); give `target` if another column is "
                                 "meant, or leave such rows out (`fenchel convert --labelled`)",
                                 in_quotes(header_[*target_])));
      }
      labels_.end_row();
      return;
    }
    double value = 0;
    const bool number = numbers_.parse(text, separator_, value);
    if (!numbers_.doubt().empty()) records.fail(*target_, numbers_.doubt());
    const bool comma = number && text.find(',') != std::string::npos;
    if (number && may_point_thousands()) target_points_.add(text);
    const std::string problem = push_target(comma ? number_text(value) : text, labels_, options_.target_text);
    if (!problem.empty()) records.fail(*target_, problem);
    if (target_words_ || number) return;
    target_words_ = !spells_non_finite(text);
    if (!target_words_ && !target_non_finite_) {
      target_non_finite_ = records.error(
          *target_, fmt::format("{}, and no other target is a word",
                                spells_nan(text) ? "the target is missing (" + in_quotes(text) + ")"
                                                 : "target " + in_quotes(text) + " is not a finite number"));
    }
  }

  /// The column is one of numbers: nan in it is missing, inf is an error.
  void decide_number(std::size_t column) {
    if (non_finite_[column]) throw DataError(*non_finite_[column]);
    if (nan_[column]) table_.set_missing(column);
  }

  /// A cell of a column that has had none but nan and inf so far. They are words if another cell is one.
  /// Else nan is a missing value and inf an error: the first error is kept until that is known.
  void decide(const CsvRecords& records, std::size_t field, std::size_t column, bool number) {
    const std::string& text = records.fields()[field];
    if (!number && spells_non_finite(text)) {
      const std::string missing = spells_nan(text) ? missing_problem(options_) : std::string();
      nan_[column] = nan_[column] || spells_nan(text);
      if (non_finite_[column] || (spells_nan(text) && missing.empty())) return;
      if (!missing.empty()) {
        non_finite_[column] = records.error(
            field, fmt::format("a value of column {} {}", in_quotes(table_.columns[column].name), missing));
        return;
      }
      non_finite_[column] = records.error(
          field, fmt::format("{} is not a finite number, and no other value of column {} is a word",
                             in_quotes(text), in_quotes(table_.columns[column].name)));
      return;
    }
    if (number) decide_number(column);
    decided_[column] = true;
    table_.columns[column].nominal = !number;
  }

  bool may_point_thousands() const { return separator_ != ',' && options_.decimal == Decimal::automatic; }

  void doubt_points(std::vector<std::string>& warnings) const {
    std::vector<std::string> doubts;
    for (std::size_t j = 0; j < points_.size(); ++j)
      doubts.push_back(points_[j].doubt(table_.columns[j].name));
    if (target_) doubts.push_back(target_points_.doubt(header_[*target_]));
    const auto said = std::ranges::find_if(doubts, [](const std::string& doubt) { return !doubt.empty(); });
    if (said != doubts.end()) warnings.push_back(*said);
  }

  double cell(const CsvRecords& records, std::size_t field, std::size_t column) {
    const std::string& text = records.fields()[field];
    FeatureColumn& features = table_.columns[column];
    if (is_missing_cell(text) || (decided_[column] && !features.nominal && spells_nan(text))) {
      const std::string problem = missing_problem(options_);
      if (problem.empty()) return missing_cell;
      records.fail(field, fmt::format("a value of column {} {}", in_quotes(features.name), problem));
    }
    double value = 0;
    const bool words = decided_[column] && features.nominal;
    const bool number = !words && numbers_.parse(text, separator_, value);
    if (!numbers_.doubt().empty()) records.fail(field, numbers_.doubt());
    if (!decided_[column]) decide(records, field, column, number);
    if (!decided_[column] || (features.nominal && !options_.nominal_columns)) {
      return word(records, field, features);
    }
    if (features.nominal) {
      const std::int32_t known = features.values.find(text);
      if (known < 0) records.fail(field, unseen_problem(text, "column", features) + where_by_place());
      return known;
    }
    const double largest = options_.single ? static_cast<double>(std::numeric_limits<float>::max())
                                           : std::numeric_limits<double>::max();
    if (number && may_point_thousands()) points_[column].add(text);
    if (number && std::isfinite(value) && std::abs(value) > largest) {
      records.fail(field, fmt::format("{} is too large for single precision (column {})", in_quotes(text),
                                      in_quotes(features.name)));
    }
    if (!number || !std::isfinite(value)) {
      records.fail(
          field,
          fmt::format(
              "{} is not a finite number; column {} {}", in_quotes(text), in_quotes(features.name),
              options_.nominal_columns ? std::string("has no names for values in the model")
              : number || spells_non_finite(text)
                  ? std::string("has held numbers so far")
                  : fmt::format("{}; a missing value is an empty cell, NA or nan, and `ignore={}` leaves "
                                "the column out",
                                slips_[column] ? "has numbers in most rows" : "has held numbers so far",
                                features.name)) +
              where_by_place());
    }
    return value;
  }

  std::string where_by_place() const { return by_place_.empty() ? "" : fmt::format(" ({})", by_place_); }

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
  std::vector<std::string> known_;  ///< the columns of other data
  CsvNumbers numbers_;
  char separator_ = ',';             ///< of the file at hand
  bool named_ = false;               ///< whether the first file has a header
  std::int64_t header_line_ = 0;     ///< its line
  std::vector<std::string> header_;  ///< names, or numbers from 1
  std::vector<std::string> remarks_, warnings_;
  std::string by_place_;              ///< that columns of other data are not known by name, and why
  std::size_t repeated_headers_ = 0;  ///< lines that are the header again, as in files put together
  std::size_t empty_rows_ = 0;        ///< that have no values at all
  std::optional<std::size_t> target_;
  std::vector<std::size_t> fields_;   ///< of a record, for each column of the table
  std::vector<std::string> ignored_;  ///< columns that are not known
  std::vector<std::size_t> kept_fields_;
  std::vector<KeptColumn> kept_;
  FeatureTable table_;
  std::vector<bool> decided_;                         ///< whether a column is known to be numeric or nominal
  std::vector<std::optional<DataError>> non_finite_;  ///< of each column, about its first cell
  std::vector<bool> slips_;  ///< whether a column has words in the first rows, but mostly numbers
  std::vector<bool> nan_;    ///< whether a column that is not decided has nan
  std::optional<DataError> target_non_finite_;  ///< about the first such target
  bool target_words_ = false;                   ///< some target is a word
  std::vector<PointedThousands> points_;        ///< of each column
  PointedThousands target_points_;
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
