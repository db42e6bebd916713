// SPDX-License-Identifier: Apache-2.0
#include "data/svmlight_parser.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "data/label_rows.hpp"
#include "data/number.hpp"

namespace fenchel {
namespace {

// The shortest entry, "1:1 ", takes four bytes: a chunk cannot hold more entries than this.
std::size_t most_entries(std::size_t bytes) { return bytes / 4 + 1; }

constexpr std::ptrdiff_t index_digits = 10;  // of the largest index, 2147483646
constexpr std::string_view query_mark = "qid:";

template <Real T>
class Parser {
 public:
  Parser(const TextChunk& chunk, const std::string& source, const IndexRange& range, SvmlightBlock<T>& block)
      : chunk_(chunk), source_(source), range_(range), block_(block) {}

  void parse() {
    const char* p = chunk_.text.data();
    const char* const end = p + chunk_.text.size();
    while (p != end) p = parse_line(p);
  }

 private:
  [[noreturn]] void fail(const char* where, const std::string& problem) const {
    const char* const begin = chunk_.text.data();
    throw DataError(source_, chunk_.first_line + std::count(begin, line_, '\n'),
                    static_cast<std::size_t>(where - line_) + 1, problem);
  }

  static const char* skip_blanks(const char* p) {
    while (is_blank(*p)) ++p;
    return p;
  }
  static const char* token_end(const char* p) {
    while (!is_blank(*p) && *p != '\n') ++p;
    return p;
  }
  static std::string_view token(const char* p) { return {p, static_cast<std::size_t>(token_end(p) - p)}; }
  /// What follows the line feed.
  const char* next_line(const char* p) const {
    const auto left = static_cast<std::size_t>(chunk_.text.data() + chunk_.text.size() - p);
    return static_cast<const char*>(std::memchr(p, '\n', left)) + 1;
  }

  const char* parse_line(const char* p) {
    line_ = p;
    p = skip_blanks(p);
    if (*p == '\n') return p + 1;
    if (*p == '#') return next_line(p);
    p = parse_labels(p);
    p = parse_query(skip_blanks(p));
    p = parse_features(p);
    block_.row_ends.push_back(static_cast<std::int64_t>(block_.size));
    block_.label_ends.push_back(block_.labels.size());
    return *p == '#' ? next_line(p) : p + 1;
  }

  /// The label part; p stays where it is if the row begins with a feature or a query.
  const char* parse_labels(const char* p) {
    const char* const begin = p;
    bool colon = false;
    bool comma = false;
    for (; !is_blank(*p) && *p != '\n'; ++p) {
      colon |= *p == ':';
      comma |= *p == ',';
    }
    if (colon && !comma) return begin;
    if (!colon && !comma) {
      push_label(begin, p);
      return p;
    }
    for (const char* item = begin; item != p;) {
      const char* const stop = std::find(item, p, ',');
      if (colon) {
        parse_proportion(item, stop);
      } else {
        push_label(item, stop);
      }
      item = stop;
      if (item == p) break;
      ++item;
      if (item == p && !colon) fail(item, "a label is missing after the comma");
    }
    return p;
  }

  void push_label(const char* begin, const char* end) {
    if (begin == end) fail(begin, "a label is missing before the comma");
    block_.labels.push_back(block_.label_names.add({begin, static_cast<std::size_t>(end - begin)}));
    block_.label_weights.push_back(1);
  }

  void parse_proportion(const char* begin, const char* end) {
    const char* const colon = std::find(begin, end, ':');
    push_label(begin, colon);
    if (colon == end) return;
    double weight = 0;
    if (parse_number(colon + 1, weight) != end || !(weight >= 0) || !std::isfinite(weight)) {
      const std::string_view written(colon + 1, static_cast<std::size_t>(end - colon - 1));
      fail(colon + 1, fmt::format("{} is not a proportion; expected a number >= 0", in_quotes(written)));
    }
    block_.label_weights.back() = weight;
    block_.weighted = true;
  }

  const char* parse_query(const char* p) {
    if (*p != query_mark[0] || std::strncmp(p, query_mark.data(), query_mark.size()) != 0) {
      block_.queries.push_back(-1);
      return p;
    }
    const std::string_view name = token(p + query_mark.size());
    if (name.empty()) fail(p, "'qid:' has no query after it");
    block_.queries.push_back(block_.query_names.add(name));
    return name.data() + name.size();
  }

  /// Entries up to the end of the line or a comment.
  const char* parse_features(const char* p) {
    std::int64_t previous = -1;
    for (;;) {
      p = skip_blanks(p);
      if (*p == '\n' || *p == '#') return p;
      const char* const begin = p;
      std::int64_t index = 0;
      while (is_digit(*p) && p - begin <= index_digits) index = 10 * index + (*p++ - '0');
      if (*p != ':' || p == begin) fail_feature(begin);
      double value = 0;
      const char* const number = p + 1;
      p = parse_number(number, value);
      if (!p || !(is_blank(*p) || *p == '\n' || *p == '#')) fail_value(number);
      if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<T>::max()))) {
        fail(number, fmt::format("value {} is too large for {} precision", in_quotes(token(number)),
                                 sizeof(T) == 4 ? "single" : "double"));
      }
      if (index <= previous)
        fail(begin, fmt::format("index {} after {}; indices must increase", index, previous));
      previous = index;
      if (index < range_.first || index > range_.last) {
        check_range(begin, index);
        continue;
      }
      block_.indices[block_.size] = static_cast<std::int32_t>(index);
      block_.values[block_.size++] = static_cast<T>(value);
      block_.smallest = std::min(block_.smallest, index);
      block_.largest = std::max(block_.largest, index);
    }
  }

  [[noreturn]] void fail_feature(const char* begin) const {
    if (token(begin).starts_with(query_mark)) fail(begin, "'qid:' must stand before the features");
    const char* const after = std::find_if_not(begin, token_end(begin), is_digit);
    if (after - begin > index_digits && *after == ':') {
      fail(begin, fmt::format("index {} is too large; at most {}", std::string_view(begin, after),
                              std::numeric_limits<std::int32_t>::max() - 1));
    }
    fail(begin, fmt::format("{} is not a feature; expected index:value", in_quotes(token(begin))));
  }

  [[noreturn]] void fail_value(const char* begin) const {
    fail(begin, fmt::format("value {} is not a finite number", in_quotes(token(begin))));
  }

  /// An index outside the allowed ones: refused, or left out by choice.
  void check_range(const char* begin, std::int64_t index) {
    if (index < range_.first) fail(begin, "index 0 where indices begin at 1");
    if (range_.features == 0 || index >= std::numeric_limits<std::int32_t>::max()) {
      fail(begin, fmt::format("index {} is too large; at most {}", index,
                              std::numeric_limits<std::int32_t>::max() - 1));
    }
    if (!range_.drop_beyond) {
      fail(begin, fmt::format("index {} is beyond the {} features expected", index, range_.features));
    }
    ++block_.dropped;
  }

  const TextChunk& chunk_;
  const std::string& source_;
  const IndexRange& range_;
  SvmlightBlock<T>& block_;
  const char* line_ = nullptr;
};

}  // namespace

template <Real T>
void parse_svmlight(const TextChunk& chunk, const std::string& source, const IndexRange& range,
                    SvmlightBlock<T>& block) {
  const std::size_t needed = most_entries(chunk.text.size());
  if (block.capacity < needed) {
    block.indices.reset(new std::int32_t[needed]);
    block.values.reset(new T[needed]);
    block.capacity = needed;
  }
  block.size = 0;
  block.row_ends.clear();
  block.labels.clear();
  block.label_weights.clear();
  block.label_ends.clear();
  block.weighted = false;
  block.queries.clear();
  block.smallest = std::numeric_limits<std::int64_t>::max();
  block.largest = -1;
  block.dropped = 0;
  Parser<T>(chunk, source, range, block).parse();
}

template void parse_svmlight(const TextChunk&, const std::string&, const IndexRange&, SvmlightBlock<float>&);
template void parse_svmlight(const TextChunk&, const std::string&, const IndexRange&, SvmlightBlock<double>&);

}  // namespace fenchel
