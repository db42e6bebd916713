// SPDX-License-Identifier: Apache-2.0
#include "data/arff_header.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "data/label_rows.hpp"
#include "data/number.hpp"
#include "data/target_cell.hpp"

namespace fenchel {
namespace {

/// The values in braces.
void read_values(ArffWords& words, ArffAttribute& attribute) {
  attribute.nominal = true;
  words.advance();
  for (;;) {
    words.skip_blanks();
    if (words.peek() == '}' && attribute.values.empty()) break;
    const std::string value(words.word(",}"));
    if (value.empty() && !words.quoted_word()) words.fail("a value is missing");
    const std::size_t known = attribute.values.size();
    attribute.values.add(value);
    if (attribute.values.size() == known) {
      words.fail(fmt::format("value {} twice in attribute {}", in_quotes(value), in_quotes(attribute.name)));
    }
    words.skip_blanks();
    const char next = words.peek();
    if (next != ',' && next != '}') words.fail("expected , or } after a value");
    words.advance();
    if (next == '}') return;
  }
  words.advance();
}

ArffAttribute read_attribute(ArffWords& words) {
  ArffAttribute attribute;
  words.skip_blanks();
  attribute.name = words.word("{");
  if (attribute.name.empty()) words.fail("the attribute has no name");
  words.skip_blanks();
  if (words.peek() == '{') {
    read_values(words, attribute);
    return attribute;
  }
  const std::string type(words.word(""));
  const bool number = same_word(type, "numeric") || same_word(type, "real") || same_word(type, "integer");
  if (number) return attribute;
  const bool known = same_word(type, "string") || same_word(type, "date");  // that features do not have
  if (!known) {
    words.fail(fmt::format("attribute {} has type {}; expected numeric, real, integer or values in braces",
                           in_quotes(attribute.name), in_quotes(type)));
  }
  attribute.type = type;
  return attribute;
}

/// The number after -C in the name of a relation, or 0.
std::int64_t labels_in_name(std::string_view relation) {
  const std::size_t option = relation.find("-C ");
  if (option == std::string_view::npos) return 0;
  relation = trimmed(relation.substr(option + 3));
  std::int64_t count = 0;
  std::from_chars(relation.data(), relation.data() + relation.size(), count);
  return count;
}

}  // namespace

void ArffWords::skip_blanks() {
  while (!at_end() && is_blank(*p_)) ++p_;
}

std::string_view ArffWords::word(std::string_view separators) {
  word_ = p_;
  quoted_ = !at_end() && (*p_ == '\'' || *p_ == '"');
  if (!quoted_) {
    while (!at_end() && !is_blank(*p_) && separators.find(*p_) == std::string_view::npos) ++p_;
    return {word_, static_cast<std::size_t>(p_ - word_)};
  }
  const char quote = *p_++;
  unquoted_.clear();
  while (!at_end() && *p_ != quote) {
    if (*p_ == '\\' && p_ + 1 != end()) ++p_;
    unquoted_ += *p_++;
  }
  if (at_end()) fail("the quote is not closed");
  ++p_;
  return unquoted_;
}

bool same_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  });
}

ArffHeader read_arff_header(TextSource& source) {
  ArffHeader header;
  std::vector<ArffAttribute>& attributes = header.attributes;
  StringTable names;
  std::string_view line;
  while (source.next_line(line)) {
    ArffWords words(source, line);
    words.skip_blanks();
    if (words.at_end() || words.peek() == '%') continue;
    const std::string keyword(words.word(""));
    if (same_word(keyword, "@relation")) {
      header.labels = labels_in_name(line);
      continue;
    }
    if (same_word(keyword, "@data")) {
      if (attributes.empty()) words.fail("@data before any @attribute");
      return header;
    }
    if (!same_word(keyword, "@attribute")) {
      words.fail(
          fmt::format("{} in the header; expected @relation, @attribute or @data", in_quotes(keyword)));
    }
    attributes.push_back(read_attribute(words));
    attributes.back().line = source.line_number();
    const std::size_t known = names.size();
    names.add(attributes.back().name);
    if (names.size() == known)
      words.fail(fmt::format("attribute {} twice", in_quotes(attributes.back().name)));
  }
  if (attributes.empty()) return header;
  throw DataError(source.name(), 0, 0, "the header has no @data");
}

}  // namespace fenchel
