// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/token_corpus.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "data/arff_header.hpp"
#include "data/byte_source.hpp"
#include "data/label_rows.hpp"
#include "data/memory.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/split_tabs.hpp"
#include "data/target_cell.hpp"
#include "data/text_source.hpp"
#include "fenchel/core/option_error.hpp"

namespace fenchel {
namespace {

/// 1-2, a token of several words, or 8.1, a word that is not in the text.
bool is_between_words(std::string_view id) {
  const std::size_t mark = id.find_first_not_of("0123456789");
  return mark != std::string_view::npos && mark > 0 && mark + 1 < id.size() &&
         (id[mark] == '-' || id[mark] == '.') &&
         id.find_first_not_of("0123456789", mark + 1) == std::string_view::npos;
}

constexpr std::string_view document_mark = "-DOCSTART-";

class ConllReader {
 public:
  explicit ConllReader(TokenCorpus& corpus) : corpus_(corpus) {}

  void read(TextSource& source, bool universal) {
    std::string_view line;
    separator_known_ = false;
    while (source.next_line(line)) {
      if (trimmed(line).empty()) {
        end_sentence();
        continue;
      }
      if (universal && line.front() == '#') continue;
      if (!separator_known_) {
        tabs_ = line.find('\t') != std::string_view::npos;
        // Tabs of what may be a comment say nothing.
        separator_known_ = line.front() != '#' && !line.starts_with(document_mark);
      }
      split(line);
      if (universal && is_between_words(words_[0])) continue;
      if (words_[0] == document_mark || is_comment()) continue;
      if (corpus_.columns.empty() && words_[0].starts_with('#')) {
        waiting_.emplace_back(line);
        continue;
      }
      if (!waiting_.empty()) {
        add_waiting(source, words_.size(), true);
        split(line);
      }
      add(source, line);
    }
    if (corpus_.columns.empty() && waiting_lines_agree()) add_waiting(source, words_.size(), false);
    end_sentence();
    waiting_.clear();
  }

  /// Drops the first token of each sentence if it is # for all of them: these lines are comments of as many
  /// words as the tokens have columns.
  void finish() {
    if (corpus_.sentences() < 2) return;
    std::vector<std::size_t> firsts;
    for (std::size_t s = 0; s < corpus_.sentences(); ++s) {
      const auto first = static_cast<std::size_t>(corpus_.offsets[s]);
      if (corpus_.columns[0][first] != "#" || corpus_.offsets[s + 1] - corpus_.offsets[s] < 2) return;
      if (s == 0 && corpus_.columns[0][first + 1].starts_with('#')) return;  // another comment, or hashtags
      firsts.push_back(first);
    }
    for (TokenColumn& column : corpus_.columns) {
      TokenColumn kept;
      auto next = firsts.begin();
      for (std::size_t t = 0; t < column.ids.size(); ++t) {
        if (next != firsts.end() && *next == t) {
          ++next;
        } else {
          kept.ids.push_back(kept.strings.add(column[t]));
        }
      }
      column = std::move(kept);
    }
    for (std::size_t s = 1; s < corpus_.offsets.size(); ++s)
      corpus_.offsets[s] -= static_cast<std::int64_t>(s);
  }

 private:
  /// A line that begins with # and has another number of columns than tokens have.
  bool is_comment() const {
    return words_[0].starts_with('#') && !corpus_.columns.empty() && words_.size() != corpus_.columns.size();
  }

  /// Lines before the first token that begin with #, in sentences: tokens if they have as many columns as it
  /// has, unless there is nothing but the word # in their sentence. The last sentence is that of the token.
  void add_waiting(const TextSource& source, std::size_t columns, bool token_follows) {
    std::vector<std::string> kept;
    bool any_word = false;  // but #
    const auto close = [&] {
      for (const std::string& line : kept) {
        if (!any_word) break;
        split(line);
        add(source, line);
      }
      kept.clear();
      any_word = false;
    };
    for (std::string& line : std::exchange(waiting_, {})) {
      if (line.empty()) {
        close();
        end_sentence();
        continue;
      }
      split(line);
      if (words_.size() != columns) continue;
      any_word = any_word || words_[0] != "#";
      kept.push_back(std::move(line));
    }
    any_word = any_word || token_follows;
    close();
  }

  /// Whether the lines that wait, of which none begins otherwise, have the same number of columns (that of
  /// words_).
  bool waiting_lines_agree() {
    std::size_t columns = 0;
    tabs_ = std::ranges::any_of(waiting_,
                                [](const std::string& line) { return line.find('\t') != std::string::npos; });
    for (const std::string& line : waiting_) {
      if (line.empty()) continue;
      split(line);
      if (columns != 0 && words_.size() != columns) return false;
      columns = words_.size();
    }
    return columns != 0;
  }

  void split(std::string_view line) {
    if (tabs_) return split_tabs(line, words_);
    words_.clear();
    const char* p = line.data();
    const char* const end = p + line.size();
    for (;;) {
      while (p != end && is_blank(*p)) ++p;
      if (p == end) return;
      const char* const begin = p;
      while (p != end && !is_blank(*p)) ++p;
      words_.emplace_back(begin, static_cast<std::size_t>(p - begin));
    }
  }

  void add(const TextSource& source, std::string_view line) {
    if (corpus_.columns.empty()) corpus_.columns.resize(words_.size());
    if (words_.size() != corpus_.columns.size()) {
      const std::size_t extra = std::min(words_.size(), corpus_.columns.size());
      source.fail(
          line, extra < words_.size() ? words_[extra].data() : line.data() + line.size(),
          fmt::format("{} columns; the tokens before have {}", words_.size(), corpus_.columns.size()));
    }
    for (std::size_t c = 0; c < words_.size(); ++c) {
      if (words_[c].empty()) source.fail(line, words_[c].data(), "the column is empty");
      corpus_.columns[c].ids.push_back(corpus_.columns[c].strings.add(words_[c]));
    }
  }

  void end_sentence() {
    if (!waiting_.empty()) waiting_.emplace_back();  // a blank line
    const auto tokens =
        corpus_.columns.empty() ? 0 : static_cast<std::int64_t>(corpus_.columns[0].ids.size());
    if (tokens > corpus_.offsets.back()) corpus_.offsets.push_back(tokens);
  }

  TokenCorpus& corpus_;
  bool separator_known_ = false;
  bool tabs_ = false;
  std::vector<std::string_view> words_;
  std::vector<std::string> waiting_;  ///< lines before the first token that may be comments
};

}  // namespace

TokenCorpus read_conll(const Paths& paths, const ConllOptions& options) {
  TokenCorpus corpus;
  ConllReader reader(corpus);
  for (const std::string& path : paths.files()) {
    within_memory(path, [&] {
      TextSource source(path);
      reader.read(source, options.universal || format_by_ending(path) == DataFormat::conllu);
    });
  }
  if (!options.universal) reader.finish();
  if (corpus.sentences() == 0) throw DataError(paths.description(), 0, 0, "there are no tokens");
  return corpus;
}

std::span<const std::string_view> conllu_columns() {
  static constexpr std::array<std::string_view, 10> names{"ID",    "FORM", "LEMMA",  "UPOS", "XPOS",
                                                          "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"};
  return names;
}

std::size_t token_column(const TokenCorpus& corpus, const std::string& called, bool universal) {
  const bool named = universal && corpus.columns.size() == conllu_columns().size();
  if (named) {
    const auto names = conllu_columns();
    const auto found =
        std::ranges::find_if(names, [&](std::string_view name) { return same_word(called, name); });
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  std::size_t number = 0;
  const char* const end = called.data() + called.size();
  const auto [rest, error] = std::from_chars(called.data(), end, number);
  if (error == std::errc() && rest == end && number >= 1 && number <= corpus.columns.size())
    return number - 1;
  throw OptionError(fmt::format("`target` is {}; expected {}a number from 1 to {}, the columns of a token",
                                in_quotes(called), named ? "a name such as UPOS, or " : "",
                                corpus.columns.size()));
}

TokenCorpus with_target_last(const TokenCorpus& corpus, std::size_t target, bool universal) {
  constexpr std::size_t form = 1, part_of_speech = 3, last_of_morphology = 5;
  TokenCorpus result;
  result.offsets = corpus.offsets;
  const auto is_feature = [&](std::size_t c) {
    return !universal || c == form || (c == part_of_speech && target > last_of_morphology);
  };
  for (std::size_t c = 0; c < corpus.columns.size(); ++c) {
    if (c != target && is_feature(c)) result.columns.push_back(corpus.columns[c]);
  }
  result.columns.push_back(corpus.columns[target]);
  return result;
}

bool numbers_tokens(const TokenCorpus& corpus) {
  if (corpus.columns.size() < 2 || corpus.tokens() <= corpus.sentences()) return false;
  for (std::size_t s = 0; s < corpus.sentences(); ++s) {
    for (std::int64_t t = corpus.offsets[s]; t < corpus.offsets[s + 1]; ++t) {
      const std::string_view cell = corpus.columns[0][static_cast<std::size_t>(t)];
      if (cell != std::to_string(t - corpus.offsets[s] + 1)) return false;
    }
  }
  return true;
}

TokenCorpus without_column(const TokenCorpus& corpus, std::size_t column) {
  TokenCorpus result;
  result.offsets = corpus.offsets;
  for (std::size_t c = 0; c < corpus.columns.size(); ++c) {
    if (c != column) result.columns.push_back(corpus.columns[c]);
  }
  return result;
}

void write_conll(const TokenCorpus& corpus, std::ostream& out, char separator) {
  const bool any = corpus.sentences() > 0 && !corpus.columns.empty();
  // So that the first word is read as one.
  if (any && !begins_as_text(corpus.columns[0][0])) out << utf8_mark;
  for (std::size_t s = 0; s < corpus.sentences(); ++s) {
    for (auto t = static_cast<std::size_t>(corpus.offsets[s]);
         t < static_cast<std::size_t>(corpus.offsets[s + 1]); ++t) {
      for (std::size_t c = 0; c < corpus.columns.size(); ++c) {
        const std::string_view word = corpus.columns[c][t];
        if (word.empty() || word.find_first_of("\r\n\t") != std::string_view::npos ||
            word.find(separator) != std::string_view::npos) {
          throw std::invalid_argument(
              fmt::format("column {} of token {} cannot be written: it is empty or has the separator", c, t));
        }
        if (c > 0) out << separator;
        out << word;
      }
      out << '\n';
    }
    out << '\n';
  }
}

TokenCorpus select_sentences(const TokenCorpus& corpus, std::span<const std::size_t> sentences) {
  TokenCorpus result;
  for (const TokenColumn& column : corpus.columns) result.columns.push_back({{}, column.strings});
  for (const std::size_t s : sentences) {
    if (s >= corpus.sentences()) {
      throw std::invalid_argument(fmt::format("sentences has {}; the corpus has {}", s, corpus.sentences()));
    }
    for (std::size_t c = 0; c < corpus.columns.size(); ++c) {
      const auto& ids = corpus.columns[c].ids;
      result.columns[c].ids.insert(result.columns[c].ids.end(), ids.begin() + corpus.offsets[s],
                                   ids.begin() + corpus.offsets[s + 1]);
    }
    result.offsets.push_back(result.offsets.back() + corpus.offsets[s + 1] - corpus.offsets[s]);
  }
  return result;
}

}  // namespace fenchel
