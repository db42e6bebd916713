// SPDX-License-Identifier: Apache-2.0
// Treebanks in CoNLL-U, the format of Universal Dependencies: one word per line in ten tab-separated columns
// (ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC), comments (#) before a sentence, a blank
// line after it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/data/paths.hpp"
#include "fenchel/data/token_corpus.hpp"

namespace fenchel {

/// The columns that are texts.
enum class TreebankColumn : std::uint8_t { form, lemma, upos, xpos, feats, deprel, deps, misc };

/// Their names, in order.
inline constexpr std::array<std::string_view, 8> treebank_column_names{"form",  "lemma",  "upos", "xpos",
                                                                       "feats", "deprel", "deps", "misc"};

/// The column of that name; throws std::invalid_argument if there is none.
TreebankColumn treebank_column_called(std::string_view name);

/// Lines that are not words, kept as they are: those of sentence s are offsets[s] … offsets[s+1] − 1.
struct OtherLines {
  enum class Kind : std::uint8_t {
    comment,
    multiword,   ///< a token of several words, 1-2
    empty_node,  ///< a node of the enhanced graph that is not a word, 8.1
  };
  TokenColumn texts;
  std::vector<Kind> kinds;
  std::vector<std::int32_t> after;  ///< how many words of the sentence come before the line
  std::vector<std::int64_t> offsets{0};

  std::size_t count(Kind kind) const;
};

/// Sentences one after another: sentence s has the words offsets[s] … offsets[s+1] − 1.
struct Treebank {
  std::array<TokenColumn, treebank_column_names.size()> columns;
  std::vector<std::int32_t> heads;  ///< a number in the sentence from 1, 0 for the root, −1 for unknown (_)
  std::vector<std::int64_t> offsets{0};
  OtherLines others;

  std::size_t sentences() const { return offsets.size() - 1; }
  std::size_t words() const { return heads.size(); }
  const TokenColumn& column(TreebankColumn which) const { return columns[static_cast<std::size_t>(which)]; }
  TokenColumn& column(TreebankColumn which) { return columns[static_cast<std::size_t>(which)]; }
  std::size_t begin_of(std::size_t sentence) const { return static_cast<std::size_t>(offsets[sentence]); }
  std::span<const std::int32_t> heads_of(std::size_t sentence) const {
    return std::span(heads).subspan(begin_of(sentence), begin_of(sentence + 1) - begin_of(sentence));
  }
};

/// Reads files of sentences. Throws DataError for a line that is not as above or not UTF-8, for words that
/// are not numbered 1, 2, …, and for heads that do not form a tree with one root (a sentence may have none at
/// all: _).
Treebank read_conllu(const Paths& paths);

/// Throws std::invalid_argument unless the heads of each sentence are a tree or all unknown.
void check_trees(const Treebank& bank);

/// The text of a treebank; what read_conllu read comes out byte for byte, with LF for line ends and one blank
/// line after each sentence. Throws std::invalid_argument for heads that do not form a tree, and for texts
/// that are empty or have tabs or line ends.
std::string conllu_text(const Treebank& bank);
void write_conllu(const Treebank& bank, std::ostream& out);
/// The file appears complete or not at all.
void write_conllu(const Treebank& bank, const std::filesystem::path& path);

/// The treebank with other trees, such as predicted ones: a head and a relation for each word. Without
/// relations DEPREL is `root` or `dep` (`_` for unknown heads). Enhanced graphs belong to the old trees: DEPS
/// of words becomes `_`. Throws std::invalid_argument for heads that do not form a tree.
Treebank with_heads(const Treebank& bank, std::span<const std::int32_t> heads);
Treebank with_heads(const Treebank& bank, std::span<const std::int32_t> heads,
                    std::span<const std::string> deprels);

/// The sentences with the given numbers, in that order.
Treebank select_sentences(const Treebank& bank, std::span<const std::size_t> sentences);

}  // namespace fenchel
