// SPDX-License-Identifier: Apache-2.0
// read_conllu: one pass over the lines; what needs the whole sentence is checked at its end.
#include <fmt/core.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.hpp"
#include "data/label_rows.hpp"
#include "data/split_tabs.hpp"
#include "data/text_source.hpp"
#include "fenchel/data/dependency_tree.hpp"
#include "fenchel/data/treebank.hpp"

namespace fenchel {
namespace {

using Kind = OtherLines::Kind;

constexpr std::size_t cell_count = 10;
constexpr std::size_t head_cell = 6;

/// A number as it is written back: digits without zeros before them.
bool read_number(std::string_view text, std::int32_t& value) {
  if (text.empty() || text.front() < '0' || text.front() > '9' || (text.size() > 1 && text.front() == '0')) {
    return false;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

class ConlluReader {
 public:
  explicit ConlluReader(Treebank& bank) : bank_(bank) {}

  void read(TextSource& source) {
    source_ = &source;
    while (source.next_line(line_)) {
      if (line_.find_first_not_of(' ') == std::string_view::npos) {
        end_sentence();
      } else {
        read_line();
      }
    }
    end_sentence();
  }

 private:
  /// Where something stands that is judged at the end of its sentence.
  struct Place {
    std::int64_t line = 0;
    std::size_t column = 0;
  };

  void read_line() {
    if (const std::size_t at = line_.find('\r'); at != std::string_view::npos) {
      fail(line_.substr(at), "a carriage return within the line");
    }
    if (const std::size_t at = utf8_fault(line_); at != std::string_view::npos) {
      fail(line_.substr(at), "a byte that is not UTF-8");
    }
    if (line_.front() == '#') return read_comment();
    split();
    if (cells_[0].find('-') != std::string_view::npos) return read_multiword();
    if (cells_[0].find('.') != std::string_view::npos) return read_empty_node();
    read_word();
  }

  void read_comment() {
    if (words() > 0 || has_nodes())
      fail(line_, "a comment within a sentence; expected it before the first word");
    keep(Kind::comment);
  }

  void split() {
    split_tabs(line_, cells_);
    if (cells_.size() != cell_count) {
      fail(cells_.size() > cell_count ? cells_[cell_count] : line_.substr(line_.size()),
           fmt::format("{} column{}; expected {}, separated by tabs", cells_.size(),
                       cells_.size() == 1 ? "" : "s", cell_count));
    }
    for (const std::string_view cell : cells_) {
      if (cell.empty()) fail(cell, "the column is empty; expected _ for nothing");
    }
  }

  void read_word() {
    std::int32_t number = 0;
    if (!read_number(cells_[0], number) || number != words() + 1) {
      fail(cells_[0], fmt::format("word number {}; expected {}", in_quotes(cells_[0]), words() + 1));
    }
    const std::string_view head = cells_[head_cell];
    std::int32_t value = -1;
    if (head != "_" && !read_number(head, value)) {
      fail(head, fmt::format("head {}; expected the number of a word, 0 or _", in_quotes(head)));
    }
    places_.push_back(place_of(head));
    bank_.heads.push_back(value);
    for (std::size_t c = 0; c < bank_.columns.size(); ++c) {
      const std::size_t cell = c + 1 < head_cell ? c + 1 : c + 2;
      bank_.columns[c].ids.push_back(bank_.columns[c].strings.add(cells_[cell]));
    }
    empty_nodes_ = 0;
  }

  void read_multiword() {
    const std::string_view id = cells_[0];
    const std::size_t hyphen = id.find('-');
    std::int32_t first = 0;
    std::int32_t last = 0;
    if (!read_number(id.substr(0, hyphen), first) || !read_number(id.substr(hyphen + 1), last) ||
        first >= last) {
      fail(id, fmt::format("multi-word token {}; expected two increasing numbers of words, such as 3-4",
                           in_quotes(id)));
    }
    if (first != words() + 1) {
      fail(id, fmt::format("multi-word token {} before word {}; expected it before word {}", in_quotes(id),
                           words() + 1, first));
    }
    if (first <= multiword_end_) {
      fail(id, fmt::format("multi-word token {} overlaps the one before", in_quotes(id)));
    }
    multiword_end_ = last;
    multiword_place_ = place_of(id);
    keep(Kind::multiword);
  }

  void read_empty_node() {
    const std::string expected = fmt::format("{}.{}", words(), empty_nodes_ + 1);
    if (cells_[0] != expected) {
      fail(cells_[0], fmt::format("empty node {}; expected {}", in_quotes(cells_[0]), expected));
    }
    ++empty_nodes_;
    keep(Kind::empty_node);
  }

  void end_sentence() {
    if (words() == 0) {
      if (!has_others()) return;
      fail_at({source_->line_number(), 0}, "a sentence without words; expected some after its comments");
    }
    if (multiword_end_ > words()) {
      fail_at(multiword_place_,
              fmt::format("the multi-word token ends with word {}; the sentence has {} words", multiword_end_,
                          words()));
    }
    const auto first = static_cast<std::size_t>(bank_.offsets.back());
    if (const auto fault = tree_fault(std::span(bank_.heads).subspan(first))) {
      fail_at(places_[fault->word], fault->problem);
    }
    bank_.offsets.push_back(static_cast<std::int64_t>(bank_.heads.size()));
    bank_.others.offsets.push_back(static_cast<std::int64_t>(bank_.others.kinds.size()));
    places_.clear();
    empty_nodes_ = 0;
    multiword_end_ = 0;
  }

  void keep(Kind kind) {
    OtherLines& others = bank_.others;
    others.texts.ids.push_back(others.texts.strings.add(line_));
    others.kinds.push_back(kind);
    others.after.push_back(words());
  }

  /// Words of the sentence so far.
  std::int32_t words() const { return static_cast<std::int32_t>(places_.size()); }
  bool has_others() const {
    return bank_.others.offsets.back() != static_cast<std::int64_t>(bank_.others.kinds.size());
  }
  bool has_nodes() const { return has_others() && bank_.others.kinds.back() != Kind::comment; }

  Place place_of(std::string_view cell) const {
    return {source_->line_number(), static_cast<std::size_t>(cell.data() - line_.data()) + 1};
  }
  [[noreturn]] void fail(std::string_view where, const std::string& problem) const {
    source_->fail(line_, where.data(), problem);
  }
  [[noreturn]] void fail_at(const Place& place, const std::string& problem) const {
    throw DataError(source_->name(), place.line, place.column, problem);
  }

  Treebank& bank_;
  const TextSource* source_ = nullptr;
  std::string_view line_;
  std::vector<std::string_view> cells_;
  std::vector<Place> places_;       ///< of the heads of the sentence's words
  std::int32_t empty_nodes_ = 0;    ///< after the last word
  std::int32_t multiword_end_ = 0;  ///< the last word of the last multi-word token
  Place multiword_place_;
};

}  // namespace

Treebank read_conllu(const Paths& paths) {
  Treebank bank;
  ConlluReader reader(bank);
  read_files(reader, paths.files());
  if (bank.sentences() == 0) throw DataError(paths.description(), 0, 0, "there are no sentences");
  return bank;
}

}  // namespace fenchel
