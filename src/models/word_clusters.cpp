// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/word_clusters.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "core/checksum.hpp"
#include "data/text_source.hpp"
#include "fenchel/data/paths.hpp"

namespace fenchel {
namespace {

// No word of a language is longer; a file with such lines is not one of clusters.
constexpr std::size_t longest_word = 4096;
constexpr std::size_t longest_cluster = 1000;
constexpr std::size_t shown_letters = 40;  // of what is wrong

bool is_path(std::string_view text) {
  return !text.empty() && text.find_first_not_of("01") == std::string_view::npos;
}

bool is_count(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_gap(char c) { return c == ' ' || c == '\t'; }

std::string shown(std::string_view text) {
  std::string result(text.substr(0, shown_letters));
  std::ranges::replace_if(
      result, [](unsigned char c) { return c < ' '; }, '?');
  return result + (text.size() > shown_letters ? "…" : "");
}

void check_text(std::string_view what, std::string_view text, std::size_t longest) {
  if (text.empty()) throw std::invalid_argument(fmt::format("a {} is empty", what));
  if (text.size() > longest) {
    throw std::invalid_argument(fmt::format("the {} '{}' has {} bytes; expected at most {}", what,
                                            shown(text), text.size(), longest));
  }
  if (text.find_first_of(std::string_view("\0\n\r", 3)) != std::string_view::npos) {
    throw std::invalid_argument(fmt::format("the {} '{}' has a line end or a byte 0", what, shown(text)));
  }
}

/// What a line of a file is.
enum class Layout { unknown, brown, tabbed, blanks };

class ClusterReader {
 public:
  ClusterReader(TextSource& source, WordClusters& out) : source_(source), out_(out) {}

  void read() {
    while (source_.next_line(line_)) {
      if (std::ranges::all_of(line_, is_gap)) continue;
      read_line();
    }
    if (out_.empty()) throw DataError(source_.name(), 0, 0, "the file is empty; expected clusters of words");
    if (layout_ != Layout::brown && all_words_are_paths_) {
      throw DataError(source_.name(), first_line_, 0,
                      "the words in the first column are all made of 0 and 1, as paths of clusters are; "
                      "expected lines `word cluster`");
    }
  }

 private:
  [[noreturn]] void fail(const char* where, const std::string& problem) const {
    source_.fail(line_, where, problem);
  }

  void read_line() {
    const auto tabs = static_cast<std::size_t>(std::ranges::count(line_, '\t'));
    if (layout_ == Layout::unknown) {
      first_line_ = source_.line_number();
      layout_ = tabs == 2 ? Layout::brown : tabs == 1 ? Layout::tabbed : Layout::blanks;
    }
    if (layout_ == Layout::blanks) return read_blanks(tabs);
    const std::size_t expected = layout_ == Layout::brown ? 2 : 1;
    if (tabs != expected) {
      fail(line_.data(), fmt::format("{} columns between tabs; expected {}", tabs + 1,
                                     expected == 2 ? "3 as before: path, word, count" : "2 as before"));
    }
    const std::size_t first = line_.find('\t');
    const std::string_view rest = line_.substr(first + 1);
    if (layout_ == Layout::tabbed) return add(line_.substr(0, first), rest);
    const std::string_view count = rest.substr(rest.find('\t') + 1);
    if (!is_path(line_.substr(0, first))) {
      fail(line_.data(),
           fmt::format("'{}' is no path of 0 and 1; expected a path, a word and its count, or two "
                       "columns: a word and its cluster",
                       shown(line_.substr(0, first))));
    }
    if (!is_count(count))
      fail(count.data(), fmt::format("'{}' is no count; expected a whole number >= 0", shown(count)));
    add(rest.substr(0, rest.find('\t')), line_.substr(0, first));
  }

  void read_blanks(std::size_t tabs) {
    const char* const end = line_.data() + line_.size();
    const char* const word = std::find_if_not(line_.data(), end, is_gap);
    const char* const gap = std::find_if(word, end, is_gap);
    const char* const cluster = std::find_if_not(gap, end, is_gap);
    const char* const after = std::find_if(cluster, end, is_gap);
    const char* const more = std::find_if_not(after, end, is_gap);
    if (tabs > 0 || cluster == end || more != end) {
      fail(
          tabs > 0         ? line_.data()
          : cluster == end ? word
                           : more,
          "expected two columns, a word and its cluster, with blanks between (or everywhere a tab), or three "
          "between tabs: a path of 0 and 1, a word and its count");
    }
    add({word, static_cast<std::size_t>(gap - word)}, {cluster, static_cast<std::size_t>(after - cluster)});
  }

  void add(std::string_view word, std::string_view cluster) {
    all_words_are_paths_ = all_words_are_paths_ && is_path(word);
    if (std::ranges::all_of(word, is_gap)) fail(line_.data(), "there is no word");
    if (std::ranges::any_of(cluster, is_gap))
      fail(cluster.data(), fmt::format("the cluster '{}' has blanks", shown(cluster)));
    try {
      out_.add(word, cluster);
    } catch (const std::invalid_argument& error) {
      fail(word.data(), error.what());
    }
  }

  TextSource& source_;
  WordClusters& out_;
  std::string_view line_;
  Layout layout_ = Layout::unknown;
  std::int64_t first_line_ = 0;
  bool all_words_are_paths_ = true;
};

}  // namespace

WordClusters WordClusters::read(const std::string& path) {
  WordClusters clusters;
  const Paths paths(path);  // refuses addresses
  if (paths.files().size() != 1)
    throw std::invalid_argument(fmt::format("{} files match '{}'; expected one", paths.files().size(), path));
  TextSource source(paths.files().front());
  ClusterReader(source, clusters).read();
  return clusters;
}

void WordClusters::add(std::string_view word, std::string_view cluster) {
  check_text("word", word, longest_word);
  check_text("cluster", cluster, longest_cluster);
  if (const std::int32_t known = words_.find(word); known >= 0) {
    const std::string_view before = names_[numbers_[static_cast<std::size_t>(known)]];
    if (before == cluster) return;
    throw std::invalid_argument(
        fmt::format("the word '{}' has the cluster {} already; expected one, not {} too", shown(word),
                    shown(before), shown(cluster)));
  }
  const std::int32_t number = names_.add(cluster);
  words_.add(word);
  numbers_.push_back(number);
}

std::string_view WordClusters::find(std::string_view word) const {
  const std::int32_t known = words_.find(word);
  return known < 0 ? std::string_view() : names_[numbers_[static_cast<std::size_t>(known)]];
}

bool WordClusters::paths() const {
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (!is_path(names_[static_cast<std::int32_t>(k)])) return false;
  }
  return !empty();
}

SharedClusters load_clusters(const std::string& path) {
  if (path.empty()) return nullptr;
  return std::make_shared<const WordClusters>(WordClusters::read(path));
}

std::string fingerprint(const WordClusters& clusters) {
  Checksum sum;
  sum.add(clusters.words().strings());
  sum.add(clusters.names().strings());
  sum.add(clusters.numbers());
  return fmt::format("{} words in {} clusters, {:016x}", clusters.size(), clusters.names().size(),
                     sum.value());
}

}  // namespace fenchel
