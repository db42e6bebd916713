// SPDX-License-Identifier: Apache-2.0
#include "data/arff_header.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

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
  if (!same_word(type, "numeric") && !same_word(type, "real") && !same_word(type, "integer")) {
    words.fail(fmt::format("attribute {} has type {}; expected numeric, real, integer or values in braces",
                           in_quotes(attribute.name), in_quotes(type)));
  }
  return attribute;
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

std::vector<ArffAttribute> read_arff_header(TextSource& source) {
  std::vector<ArffAttribute> attributes;
  StringTable names;
  std::string_view line;
  while (source.next_line(line)) {
    ArffWords words(source, line);
    words.skip_blanks();
    if (words.at_end() || words.peek() == '%') continue;
    const std::string keyword(words.word(""));
    if (same_word(keyword, "@relation")) continue;
    if (same_word(keyword, "@data")) {
      if (attributes.empty()) words.fail("@data before any @attribute");
      return attributes;
    }
    if (!same_word(keyword, "@attribute")) {
      words.fail(
          fmt::format("{} in the header; expected @relation, @attribute or @data", in_quotes(keyword)));
    }
    attributes.push_back(read_attribute(words));
    const std::size_t known = names.size();
    names.add(attributes.back().name);
    if (names.size() == known)
      words.fail(fmt::format("attribute {} twice", in_quotes(attributes.back().name)));
  }
  if (attributes.empty()) return attributes;
  throw DataError(source.name(), 0, 0, "the header has no @data");
}

}  // namespace fenchel
