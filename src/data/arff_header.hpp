// SPDX-License-Identifier: Apache-2.0
// The header of an ARFF file, and the words its lines are made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/text_source.hpp"
#include "fenchel/data/string_table.hpp"

namespace fenchel {

struct ArffAttribute {
  std::string name;
  bool nominal = false;
  StringTable values;     ///< of a nominal one, in the order declared
  std::string type = {};  ///< of one that is no feature: string, date …
  std::int64_t line = 0;  ///< where it is declared

  bool operator==(const ArffAttribute& other) const {
    return name == other.name && nominal == other.nominal && values == other.values && type == other.type;
  }
};

/// Words of a line one after another: quoted with ' or " (a backslash keeps the next character), or up to a
/// separator.
class ArffWords {
 public:
  ArffWords(const TextSource& source, std::string_view line)
      : source_(source), line_(line), p_(line.data()) {}

  void skip_blanks();
  bool at_end() const { return p_ == end(); }
  char peek() const { return at_end() ? '\0' : *p_; }
  void advance() { ++p_; }
  /// The next word, up to a blank or one of `separators` unless it is quoted. Valid until the next call.
  std::string_view word(std::string_view separators);
  /// Whether the last word was quoted.
  bool quoted_word() const { return quoted_; }
  [[noreturn]] void fail(const std::string& problem) const { source_.fail(line_, word_, problem); }

 private:
  const char* end() const { return line_.data() + line_.size(); }

  const TextSource& source_;
  std::string_view line_;
  const char* p_;
  const char* word_ = nullptr;  ///< where the last word began
  bool quoted_ = false;
  std::string unquoted_;
};

/// Whether `text` is `word` in any case.
bool same_word(std::string_view text, std::string_view word);

struct ArffHeader {
  std::vector<ArffAttribute> attributes;
  /// How many of them are labels: the first ones, or if it is negative the last ones. Meka writes it into
  /// the name of the relation: 'scenes: -C 6'.
  std::int64_t labels = 0;
};

/// Reads up to @data.
ArffHeader read_arff_header(TextSource& source);

}  // namespace fenchel
