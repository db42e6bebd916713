// SPDX-License-Identifier: Apache-2.0
// Sentences of tokens in columns (CoNLL): one token per line, a blank line (or one of white space) after each
// sentence. Columns are separated by tabs if the first token has one, else by blanks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/data/paths.hpp"
#include "fenchel/data/string_table.hpp"

namespace fenchel {

/// One column of a corpus: a number for each token, and the strings that the numbers stand for.
struct TokenColumn {
  std::vector<std::int32_t> ids;
  StringTable strings;

  std::string_view operator[](std::size_t token) const { return strings[ids[token]]; }
};

/// Sentences one after another: sentence s has the tokens offsets[s] … offsets[s+1] − 1.
struct TokenCorpus {
  std::vector<TokenColumn> columns;
  std::vector<std::int64_t> offsets{0};

  std::size_t sentences() const { return offsets.size() - 1; }
  std::size_t tokens() const { return static_cast<std::size_t>(offsets.back()); }
};

struct ConllOptions {
  /// CoNLL-U: lines that begin with # are comments, and tokens numbered 1-2 or 8.1 are left out. Elsewhere
  /// lines that begin with # are comments where they have not as many columns as the tokens.
  bool universal = false;
};

/// Reads files of sentences (CoNLL-U also if a file is called .conllu). Throws DataError if a token has
/// another number of columns than the first one.
TokenCorpus read_conll(const Paths& paths, const ConllOptions& options = {});

/// The columns of CoNLL-U: ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC.
std::span<const std::string_view> conllu_columns();

/// A column by its number from 1, or in CoNLL-U (`universal`) by its name in any case. Throws
/// std::invalid_argument that names the option `target`.
std::size_t token_column(const TokenCorpus& corpus, const std::string& called, bool universal = false);

/// The corpus as a tagger for a column sees it: that column last. In CoNLL-U the others are FORM, and UPOS
/// where the column comes after the morphology (HEAD, DEPREL, DEPS, MISC): what is found later, or depends
/// on the rest, is no feature.
TokenCorpus with_target_last(const TokenCorpus& corpus, std::size_t target, bool universal = false);

/// Whether the first of several columns numbers the tokens of every sentence from 1, as in CoNLL-X, and so
/// is no word.
bool numbers_tokens(const TokenCorpus& corpus);

/// The corpus without one of its columns, by its number from 0.
TokenCorpus without_column(const TokenCorpus& corpus, std::size_t column);

/// Writes a corpus so that read_conll gives it back: columns separated by `separator`.
void write_conll(const TokenCorpus& corpus, std::ostream& out, char separator = ' ');

/// The sentences with the given numbers, in that order.
TokenCorpus select_sentences(const TokenCorpus& corpus, std::span<const std::size_t> sentences);

}  // namespace fenchel
