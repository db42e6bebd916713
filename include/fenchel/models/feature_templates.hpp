// SPDX-License-Identifier: Apache-2.0
// Feature templates over the columns of tokens, in the syntax of CRF++: `U05:%x[-1,0]/%x[0,0]` makes of the
// previous and the current token's first columns the attribute `U05:the/dog`. A line `B` asks for weights of
// label bigrams. Positions before and after the sentence read _B-1, _B-2, … and _B+1, _B+2, …
// Beyond CRF++, a cell may be taken in another form: %low[0,0] in small letters, %shape[0,0] as Xx-d,
// %pre[0,0,3] and %suf[0,0,3] the first and last three letters (no attribute where the word has no more
// than three); %cluster[0,0] the cluster of the word (word_clusters.hpp), %cluster[0,0,4] the first four
// letters of its name, that is, of its path (no attribute where the word has no cluster, or a shorter path).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fenchel/models/attributes.hpp"
#include "fenchel/models/word_clusters.hpp"

namespace fenchel {

enum class WordForm;

/// The cells of one sentence: row t has the columns of token t.
struct TokenGrid {
  std::span<const std::string_view> cells;
  std::size_t columns = 0;

  std::size_t tokens() const { return columns == 0 ? 0 : cells.size() / columns; }
  std::string_view cell(std::size_t token, std::size_t column) const {
    return cells[token * columns + column];
  }
};

/// The attributes of one sentence: token t has attributes[offsets[t]] … attributes[offsets[t + 1] − 1].
struct ExpandedSentence {
  std::vector<std::string_view> attributes;  ///< in `memory`
  std::vector<std::size_t> offsets;
  std::string memory;
  std::vector<std::size_t> ends;  ///< where each attribute ends in `memory`
};

/// The names of FeatureTemplates::preset().
std::span<const std::string_view> template_presets();

/// A list of templates.
class FeatureTemplates {
 public:
  /// Reads templates as text; `source` names it in messages ("chunk.template:3:7: …"). Throws
  /// std::invalid_argument, also if templates read clusters and there are none, or the other way round.
  static FeatureTemplates parse(std::string_view text, std::string_view source = "template",
                                SharedClusters clusters = nullptr);
  /// Templates known by name: "chunking" (words and the second column around the token), "pos" (words,
  /// small letters, shapes, beginnings and ends), "ner" (both), "default" (the same as ner) and
  /// "crfsuite-chunking" (the attributes of CRFsuite's chunking example, by its names). All but the last have
  /// those of clusters, too, if there are any. Throws std::invalid_argument for others.
  static FeatureTemplates preset(std::string_view name, std::size_t columns,
                                 SharedClusters clusters = nullptr);

  /// How many columns they read.
  std::size_t columns() const { return columns_; }
  /// Whether weights of label bigrams were asked for (they always are by presets).
  bool bigrams() const { return bigrams_; }
  /// What %cluster reads; nullptr if no template does.
  const SharedClusters& clusters() const { return clusters_; }
  /// As text that parse() reads; presets by their name.
  const std::string& text() const { return text_; }

  /// The attributes of one sentence. Throws std::invalid_argument if it has too few columns.
  void expand(const TokenGrid& sentence, ExpandedSentence& out) const;

 private:
  struct Piece {
    std::string before;  // literal text in front of the cell
    int row = 0;
    std::size_t column = 0;
    WordForm form = {};
    std::size_t letters = 0;  // of a beginning or an end; 0: all
    bool cluster = false;     // of the word, in place of a form of it
  };
  struct Template {
    std::vector<Piece> pieces;
    std::string after;
  };
  friend class TemplateParser;
  bool append_cell(const Piece& piece, std::string_view cell, std::string& out) const;
  void append(const Template& rule, const TokenGrid& sentence, std::size_t token,
              ExpandedSentence& out) const;

  std::vector<Template> templates_;
  SharedClusters clusters_;
  std::size_t columns_ = 0;
  bool bigrams_ = false;
  bool skip_outside_ = false;  // a template that leaves the sentence makes no attribute (CRFsuite)
  bool mark_ends_ = false;     // __BOS__ and __EOS__
  std::string text_;
};

/// The templates of a file, or of a preset by its name ("default" if it is empty), for tokens with so many
/// columns without the label. Throws std::runtime_error if the file cannot be read.
FeatureTemplates load_templates(const std::string& name, std::size_t columns,
                                SharedClusters clusters = nullptr);

/// Collects training sentences: the tables of attributes and labels grow.
class AttributeBuilder {
 public:
  explicit AttributeBuilder(FeatureTemplates templates) : templates_(std::move(templates)) {}

  /// Adds a sentence with a label for each token, or, as all others then, without labels.
  void add(const TokenGrid& sentence, std::span<const std::string_view> labels);
  /// What was added.
  TaggerData take() { return std::move(data_); }

 private:
  FeatureTemplates templates_;
  TaggerData data_;
  ExpandedSentence expanded_;
};

}  // namespace fenchel
