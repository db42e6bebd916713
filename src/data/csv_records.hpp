// SPDX-License-Identifier: Apache-2.0
// Records of a file of separated values, one at a time, as fields without their quotes (RFC 4180). The
// first ones are looked at before any is handed out: they tell the separator, and whether they begin with a
// header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "data/text_source.hpp"
#include "fenchel/data/options.hpp"

namespace fenchel {

/// A line of fields; several lines where a quoted field has line ends.
struct CsvRecord {
  std::vector<std::string> fields;
  std::vector<std::size_t> columns;  ///< of the line where each field begins; 0 on a later line
  std::int64_t line = 0;             ///< the first of its lines
};

/// The separator of a text: the one that cuts all of these lines into the same number of fields (the first
/// may have one fewer), the most if several do. Commas between the digits of numbers that another one
/// separates do not count, nor those of numbers between blanks unless decimals have points.
/// '\0' if none does.
char separator_of(const std::vector<std::string>& lines, Decimal decimal = Decimal::automatic);

class CsvRecords {
 public:
  /// `separator`: that of the file's name; 0 where it has to be found. `keep_empty`: rows without any value
  /// are records.
  CsvRecords(TextSource& source, char separator, Decimal decimal = Decimal::automatic,
             bool keep_empty = false);

  /// The next record; false at the end. Blank lines are passed over, and rows of nothing but separators.
  bool next();
  /// How many rows without any value were passed over.
  std::size_t empty_rows() const { return empty_rows_; }
  const CsvRecord& record() const { return record_; }
  const std::vector<std::string>& fields() const { return record_.fields; }

  /// The records that were looked at and not handed out yet.
  const std::deque<CsvRecord>& ahead() const { return ahead_; }
  char separator() const { return separator_; }
  const std::string& source() const { return source_.name(); }

  DataError error(std::size_t field, const std::string& problem) const;
  [[noreturn]] void fail(std::size_t field, const std::string& problem) const { throw error(field, problem); }

 private:
  void choose_separator(Decimal decimal);
  /// Whether all lines have as many fields as the others only if a separator between the brackets of ties is
  /// part of the field: {a,b}>c.
  bool has_groups() const;
  bool has_number(std::string_view line) const;
  void unmark(std::string& line) const;
  void find_margins();
  void cut_margins(CsvRecord& record) const;
  bool next_line();
  bool read(CsvRecord& record);
  void split(CsvRecord& record);
  const char* split_field(CsvRecord& record, const char* p, std::string& field);
  const char* unquote(CsvRecord& record, const char* p, std::string& field);
  const char* end() const { return line_.data() + line_.size(); }

  TextSource& source_;
  char separator_;
  bool keep_empty_;
  std::size_t empty_rows_ = 0;
  std::vector<std::string> first_lines_;
  std::vector<std::string_view> first_line_ends_;
  std::size_t used_lines_ = 0;
  std::int64_t line_number_ = 0;
  std::string_view line_;
  std::string_view line_end_;  ///< as in the file: it may be part of a quoted field
  std::deque<CsvRecord> ahead_;
  bool empty_first_ = false;    ///< each row begins with a bar
  std::size_t empty_last_ = 0;  ///< separators at the end of each row, behind which nothing stands
  bool groups_ = false;         ///< brackets keep separators, as they do in {a,b}>c
  std::exception_ptr pending_;  ///< an error behind the records that were looked at
  CsvRecord record_;
};

}  // namespace fenchel
