// SPDX-License-Identifier: Apache-2.0
#include "data/csv_records.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "data/arff_header.hpp"
#include "data/csv_numbers.hpp"
#include "data/number.hpp"
#include "data/target_cell.hpp"

namespace fenchel {
namespace {

constexpr std::size_t lines_to_judge = 100;  // that are looked at: more would not tell either
constexpr std::array csv_separators{',', ';', '\t', '|', ' '};
constexpr std::size_t comma_place = 0;
constexpr std::size_t tab_place = 2;
constexpr std::size_t blank_place = 4;

bool separates(char c, char separator) { return c == separator || (separator == ' ' && c == '\t'); }

const char* skip_blanks(const char* p, const char* end, char separator) {
  while (p != end && *p == ' ' && separator != ' ') ++p;
  while (p != end && separator == ' ' && is_blank(*p)) ++p;
  return p;
}

/// A line between the rows of a table drawn with bars: |---|:--:|, or ---+---.
bool is_rule(std::string_view line) {
  return line.find_first_not_of("-+|:= \t") == std::string_view::npos &&
         line.find("--") != std::string_view::npos && line.find_first_of("|+") != std::string_view::npos;
}

/// Whether the text before the first tab is several numbers with blanks between them.
bool has_numbers_before_tab(std::string_view line) {
  std::string_view rest = trimmed(line.substr(0, line.find('\t')));
  std::size_t numbers = 0;
  for (; !rest.empty(); ++numbers) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (!may_be_number(rest.substr(0, end)) && rest.substr(0, end) != "?") return false;
    rest = trimmed(rest.substr(end));
  }
  return numbers > 1;
}

/// How many fields each separator makes of each record.
class FieldCounts {
 public:
  void add(std::string_view line) {
    if (!inside_ && trimmed(line).empty()) return;
    if (!inside_) counts_.push_back({1, 1, 1, 1, 1});
    char before = inside_ ? 'x' : '\0';
    bool begun = inside_, gap = false;  // of words between blanks
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '"' && (inside_ || before == '\0' || is_separator(before))) inside_ = !inside_;
      if (begun && gap && !is_blank(c)) ++counts_.back()[blank_place];
      if (is_blank(c) || i == 0) commas_of_word_ = 0;
      if (!inside_ && c == ',' && ++commas_of_word_ > 1) one_per_word_ = false;
      gap = !inside_ && is_blank(c);
      begun = begun || !gap;
      for (std::size_t k = 0; k < blank_place && !inside_; ++k)
        counts_.back()[k] += c == csv_separators[k] ? 1 : 0;
      if (!inside_ && c == ',' && !(i + 1 < line.size() && is_digit(before) && is_digit(line[i + 1]))) {
        decimal_commas_ = false;
      }
      before = c;
    }
  }

  /// The number of fields if it is the same for all records. The first may have one fewer: names of columns
  /// without one for the names of rows, or without the separator that ends the rows.
  std::optional<std::size_t> same(std::size_t k) const {
    if (counts_.empty()) return std::nullopt;
    const std::size_t fields = counts_.back()[k];
    const bool shorter = counts_.size() > 2 && fields > 2 && counts_.front()[k] + 1 == fields;
    const auto differs = [&](const auto& record) { return record[k] != fields; };
    if (std::any_of(counts_.begin() + (shorter ? 1 : 0), counts_.end(), differs)) return std::nullopt;
    return fields;
  }
  /// The number of fields of the last record.
  std::size_t last(std::size_t k) const { return counts_.empty() ? 0 : counts_.back()[k]; }
  bool decimal_commas() const { return decimal_commas_; }
  /// Whether all commas are between digits, one in a word at most, and blanks cut all lines alike.
  bool numbers_between_blanks() const {
    return decimal_commas_ && one_per_word_ && same(blank_place).value_or(1) > 1;
  }

 private:
  static bool is_separator(char c) { return std::ranges::find(csv_separators, c) != csv_separators.end(); }

  std::vector<std::array<std::size_t, csv_separators.size()>> counts_;
  bool inside_ = false;
  bool decimal_commas_ = true;
  bool one_per_word_ = true;  ///< comma
  std::size_t commas_of_word_ = 0;
};

/// Of the first line alone: the separator that it has most of.
char most_frequent(std::string_view line) {
  const auto by_count = [&](char a, char b) {
    return std::ranges::count(line, a) < std::ranges::count(line, b);
  };
  return *std::max_element(csv_separators.begin(), csv_separators.begin() + blank_place, by_count);
}

/// What Excel writes before the first record: sep=; ('\0' if the line is something else).
char declared_separator(std::string_view line) {
  constexpr std::string_view key = "sep=";
  line = trimmed(line);
  if (line.size() == key.size() + 3 && line.front() == '"' && line.back() == '"')
    line = line.substr(1, line.size() - 2);
  const bool declared = line.size() == key.size() + 1 && same_word(line.substr(0, key.size()), key);
  return declared && std::ranges::find(csv_separators, line.back()) != csv_separators.end() ? line.back()
                                                                                            : '\0';
}

/// How many fields at the end of a record are empty.
std::size_t empty_at_end(const CsvRecord& record) {
  const auto empty = [](const std::string& field) { return field.empty(); };
  const auto last = std::find_if_not(record.fields.rbegin(), record.fields.rend(), empty);
  return static_cast<std::size_t>(last - record.fields.rbegin());
}

bool is_empty(const CsvRecord& record) { return empty_at_end(record) == record.fields.size(); }

std::size_t fields_of(std::string_view line, char separator) {
  FieldCounts counts;
  counts.add(line);
  return counts.last(
      static_cast<std::size_t>(std::ranges::find(csv_separators, separator) - csv_separators.begin()));
}

}  // namespace

char separator_of(const std::vector<std::string>& lines, Decimal decimal) {
  FieldCounts counts;
  for (const std::string& line : lines) {
    if (!is_rule(line)) counts.add(line);
  }
  std::optional<std::size_t> best;
  std::size_t most = 1;
  for (std::size_t k = 0; k < blank_place; ++k) {
    const std::size_t fields = counts.same(k).value_or(1);
    const bool instead_of_commas = best == comma_place && counts.decimal_commas() && fields > 1;
    if (fields <= most && !instead_of_commas) continue;
    best = k;
    most = fields;
  }
  const bool few_tabs = best == tab_place && counts.same(blank_place).value_or(1) > most;
  if (few_tabs && std::ranges::all_of(lines, has_numbers_before_tab)) best = blank_place;
  const bool commas = best == comma_place && (decimal == Decimal::point || !counts.numbers_between_blanks());
  const bool other = best && best != comma_place;
  if (!commas && !other && counts.same(blank_place).value_or(1) > 1) best = blank_place;
  return best ? csv_separators[*best] : '\0';
}

CsvRecords::CsvRecords(TextSource& source, char separator, Decimal decimal, bool keep_empty)
    : source_(source), separator_(separator), keep_empty_(keep_empty) {
  std::string_view line;
  while (first_lines_.size() < lines_to_judge && source_.next_line(line)) {
    first_lines_.emplace_back(line);
    first_line_ends_.push_back(source_.line_end());
  }
  choose_separator(decimal);
  groups_ = has_groups();
  try {
    while (used_lines_ < first_lines_.size()) {
      CsvRecord record;
      if (!read(record)) break;
      ahead_.push_back(std::move(record));
    }
  } catch (const DataError&) {  // told when the records before it are used
    pending_ = std::current_exception();
  }
  find_margins();
}

/// Whether a line has a number among its fields.
bool CsvRecords::has_number(std::string_view line) const {
  for (;;) {
    const std::size_t end = line.find(separator_);
    if (may_be_number(trimmed(line.substr(0, end)))) return true;
    if (end == std::string_view::npos) return false;
    line.remove_prefix(end + 1);
  }
}

/// Takes the # from a line of names: one without numbers, where something is left of the first.
void CsvRecords::unmark(std::string& line) const {
  std::string names = line;
  names.replace(names.find('#'), 1, " ");
  const std::string_view rest = trimmed(names);
  if (rest.empty() || rest.front() == separator_ || has_number(rest)) return;
  line = std::move(names);
}

/// Finds the separator, and passes over what stands before the first record: sep=; or comments. The last
/// comment names the columns if it has as many fields as the line below it.
void CsvRecords::choose_separator(Decimal decimal) {
  const auto blank = [](const std::string& text) { return trimmed(text).empty(); };
  const auto comment = [&](const std::string& text) { return blank(text) || trimmed(text).front() == '#'; };
  auto begin = std::ranges::find_if_not(first_lines_, blank);
  if (begin != first_lines_.end() && declared_separator(*begin) != '\0') {
    separator_ = declared_separator(*begin);
    ++begin;
  }
  auto first = std::find_if_not(begin, first_lines_.end(), comment);
  if (first == first_lines_.end()) first = begin;
  const auto has_it = [&](const std::string& text) { return text.find(separator_) != std::string::npos; };
  const char found = separator_of({first, first_lines_.end()}, decimal);
  // A name such as .tsv may be wrong; blanks alone do not show that.
  const bool misnamed =
      separator_ != '\0' && found != '\0' && found != ' ' && std::none_of(first, first_lines_.end(), has_it);
  if (separator_ == '\0' || misnamed) separator_ = found;
  if (separator_ == '\0') separator_ = first == first_lines_.end() ? ',' : most_frequent(*first);
  // A comment with as many fields as the rows is the header, or a row.
  const std::size_t fields = first == first_lines_.end() ? 0 : fields_of(*first, separator_);
  const auto is_record = [&](const std::string& text) {
    return !blank(text) && fields > 1 && fields_of(text, separator_) == fields;
  };
  // But not where the line below it names the columns.
  const bool named =
      fields > 1 && !has_number(*first) && first + 1 != first_lines_.end() && has_number(first[1]);
  if (named) begin = first;
  const auto record = std::find_if(begin, first, is_record);
  if (record != first) unmark(*record);
  first = record;
  used_lines_ = static_cast<std::size_t>(first - first_lines_.begin());
  line_number_ = static_cast<std::int64_t>(used_lines_);
}

bool CsvRecords::has_groups() const {
  std::size_t fields = 0;
  bool differs = false;
  for (std::size_t k = used_lines_; k < first_lines_.size() && separator_ != ' '; ++k) {
    std::string_view line = trimmed(first_lines_[k]);
    if (line.empty() || line.find('"') != std::string_view::npos) continue;
    const auto separators = static_cast<std::size_t>(std::ranges::count(line, separator_));
    std::size_t count = 1;
    for (std::size_t end = end_of_cell(line, separator_); end < line.size(); ++count) {
      line.remove_prefix(end + 1);
      end = end_of_cell(line, separator_);
    }
    if (fields != 0 && count != fields) return false;
    fields = count;
    differs = differs || count != separators + 1;
  }
  return differs && fields > 1;
}

/// Finds the columns at the ends of the rows that have neither a name nor a value, and cuts them off. Names
/// of columns may end without their separators, or have some that the rows have not.
void CsvRecords::find_margins() {
  if (ahead_.size() < 2) return;
  CsvRecord& first = ahead_.front();
  const std::size_t names = first.fields.size(), unnamed = empty_at_end(first);
  const std::size_t fields = ahead_.back().fields.size();
  std::size_t empty = fields;
  bool bars = separator_ == '|' && names == fields && first.fields.front().empty();
  for (auto record = ahead_.begin() + 1; record != ahead_.end(); ++record) {
    if (record->fields.size() != fields) return;
    empty = std::min(empty, empty_at_end(*record));
    bars &= record->fields.front().empty();
  }
  if (empty == fields) return;
  if (names > fields && names - fields <= unnamed) first.fields.resize(fields);
  empty_first_ = bars && fields > 2;
  if (names == fields) empty_last_ = std::min(empty, unnamed);
  if (names < fields && fields - names <= empty) empty_last_ = fields - names;
  for (CsvRecord& record : ahead_) {
    if (&record != &first || names == fields) cut_margins(record);
  }
}

void CsvRecords::cut_margins(CsvRecord& record) const {
  const std::size_t behind = std::min({empty_last_, empty_at_end(record), record.fields.size() - 1});
  record.fields.resize(record.fields.size() - behind);
  if (empty_first_ && record.fields.size() > 1 && record.fields.front().empty()) {
    record.fields.erase(record.fields.begin());
    record.columns.erase(record.columns.begin());
  }
  record.columns.resize(record.fields.size());
}

DataError CsvRecords::error(std::size_t field, const std::string& problem) const {
  return {source_.name(), record_.line, field < record_.columns.size() ? record_.columns[field] : 0, problem};
}

bool CsvRecords::next() {
  if (!ahead_.empty()) {
    record_ = std::move(ahead_.front());
    ahead_.pop_front();
    return true;
  }
  if (pending_) std::rethrow_exception(pending_);
  return read(record_);
}

bool CsvRecords::next_line() {
  ++line_number_;
  if (used_lines_ == first_lines_.size()) {
    const bool any = source_.next_line(line_);
    line_end_ = source_.line_end();
    return any;
  }
  line_ = first_lines_[used_lines_];
  line_end_ = first_line_ends_[used_lines_++];
  return true;
}

bool CsvRecords::read(CsvRecord& record) {
  for (bool empty = true; empty;) {
    do {
      if (!next_line()) return false;
    } while (trimmed(line_).empty() || (separator_ == '|' && is_rule(line_)));
    record.line = line_number_;
    split(record);
    empty = !keep_empty_ && record.fields.size() > 1 && is_empty(record);
    empty_rows_ += empty ? 1 : 0;
  }
  if (empty_first_ || empty_last_ > 0) cut_margins(record);
  return true;
}

void CsvRecords::split(CsvRecord& record) {
  std::size_t used = 0;  // fields keep their memory from record to record
  record.columns.clear();
  if (separator_ == ' ') line_ = trimmed(line_);
  const char* p = line_.data();
  for (bool more = true; more; ++used) {
    if (used == record.fields.size()) record.fields.emplace_back();
    const bool same_line = line_number_ == record.line;
    record.columns.push_back(same_line ? static_cast<std::size_t>(p - line_.data()) + 1 : 0);
    p = split_field(record, p, record.fields[used]);
    more = p != end();
    if (more) p = separator_ == ' ' ? skip_blanks(p, end(), ' ') : p + 1;
  }
  record.fields.resize(used);
}

/// Reads the field that begins at p; returns where it ends.
const char* CsvRecords::split_field(CsvRecord& record, const char* p, std::string& field) {
  field.clear();
  const char* const begin = skip_blanks(p, end(), separator_);
  const auto is_end = [this](char c) { return separates(c, separator_); };
  if (begin != end() && *begin == '"') {
    p = unquote(record, begin + 1, field);
    if (separator_ != ' ') p = skip_blanks(p, end(), separator_);
    if (p != end() && !is_end(*p)) {
      throw DataError(source_.name(), record.line, record.columns.back(), "text after the closing quote");
    }
    return p;
  }
  const std::string_view rest(begin, static_cast<std::size_t>(end() - begin));
  p = groups_ ? begin + end_of_cell(rest, separator_) : std::find_if(begin, end(), is_end);
  field = trimmed({begin, static_cast<std::size_t>(p - begin)});
  return p;
}

/// The text up to the closing quote, over several lines if need be.
const char* CsvRecords::unquote(CsvRecord& record, const char* p, std::string& field) {
  for (;;) {
    const char* const quote = std::find(p, end(), '"');
    field.append(p, quote);
    if (quote == end()) {
      const std::string_view line_end = line_end_;
      if (!next_line()) {
        throw DataError(source_.name(), record.line, record.columns.back(), "the quote is not closed");
      }
      field += line_end;
      p = line_.data();
    } else if (quote + 1 != end() && quote[1] == '"') {
      field += '"';
      p = quote + 2;
    } else {
      return quote + 1;
    }
  }
}

}  // namespace fenchel
