// SPDX-License-Identifier: Apache-2.0
#include "support/sentence_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "fenchel/core/option_error.hpp"
#include "fenchel/data/attribute_corpus.hpp"
#include "fenchel/data/ocr.hpp"
#include "fenchel/data/token_corpus.hpp"
#include "fenchel/models/feature_templates.hpp"
#include "fenchel/models/tagger_corpus.hpp"
#include "fenchel/models/word_clusters.hpp"
#include "support/option_spelling.hpp"
#include "support/standard_streams.hpp"

namespace fenchel::cli {
namespace {

bool of_attributes(DataFormat format) { return format == DataFormat::crfsuite || format == DataFormat::ocr; }

AttributeCorpus read_attributes(const Paths& paths, DataFormat format) {
  return format == DataFormat::ocr ? read_ocr(paths) : read_crfsuite(paths);
}

std::vector<double> weights_of(const TaggerData& data, const std::string& file) {
  std::vector<double> weights = read_weights(Paths(file));
  if (weights.size() == data.sentence_count()) return weights;
  throw std::invalid_argument(fmt::format("--sentence-weights: {} has {} numbers; {} has {} sentences", file,
                                          weights.size(), data.source, data.sentence_count()));
}

// The weights are those of the sentences to train on, others have none.
enum class Weighted { no, yes };

constexpr const char* numbers_left_out = ": the first column numbers the tokens and is left out";

// Tokens as they were read. Where the first column numbers them, it is left out, unless it is the label.
struct Tokens {
  TokenCorpus corpus;
  bool universal = false;  // they have the columns of CoNLL-U
  bool numbered = false;

  Tokens(const std::vector<std::string>& paths, DataFormat format)
      : corpus(read_conll(Paths(paths), {.universal = format == DataFormat::conllu})),
        universal(format == DataFormat::conllu && corpus.columns.size() == conllu_columns().size()),
        numbered(!universal && numbers_tokens(corpus)) {}

  std::size_t columns() const { return corpus.columns.size() - (numbered ? 1 : 0); }
  // With the label last.
  void put_last(const std::string& target) {
    if (target.empty()) return;
    const std::size_t column = token_column(corpus, target, universal);
    if (column == 0) numbered = false;
    corpus = with_target_last(corpus, column, universal);
  }
  void leave_numbers_out() {
    if (numbered) corpus = without_column(corpus, 0);
  }
};

// How many clusters there are, and how many of the words have one.
std::string clusters_text(const WordClusters& clusters, const std::string& file, const TokenCorpus& tokens) {
  std::size_t known = 0;
  for (std::size_t t = 0; t < tokens.tokens(); ++t)
    known += clusters.find(tokens.columns[0][t]).empty() ? 0 : 1;
  if (known == 0) warn(fmt::format("{}: none of the words has a cluster", file));
  return fmt::format(
      "{}: {} words in {} clusters{}; {:.3g} % of the tokens have one", file, clusters.size(),
      clusters.names().size(), clusters.paths() ? " (paths)" : "",
      100.0 * static_cast<double>(known) / static_cast<double>(std::max<std::size_t>(tokens.tokens(), 1)));
}

// The tokens of some files through templates, with what was understood of them.
TaggerData through_templates(Corpus& corpus, const std::vector<std::string>& paths, const DataFlags& flags,
                             const TaggerFlags& tagger, Weighted weighted, const SharedClusters& clusters) {
  Tokens tokens(paths, corpus.format);
  corpus.target = flags.target.empty() && tokens.universal ? "UPOS" : flags.target;
  if (tokens.columns() < 2) {
    throw std::invalid_argument(
        fmt::format("{}: tokens have {} columns{}; expected at least a word and its label", corpus.source,
                    tokens.columns(), tokens.numbered ? " beside their numbers" : ""));
  }
  tokens.put_last(corpus.target);
  tokens.leave_numbers_out();
  if (tokens.corpus.columns.size() < 2) {
    throw std::invalid_argument(fmt::format(
        "{}: --target {} leaves no column to read words from: those of CoNLL-U after it are left out",
        corpus.source, corpus.target));
  }
  if (weighted == Weighted::yes && corpus.target.empty()) {
    try {
      for (const std::string& doubt : doubts_about_labels(tokens.corpus))
        warn(fmt::format("{}: {}", corpus.source, spell_options(doubt, spelled_as_flag)));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(
          fmt::format("{}: {}", corpus.source, spell_options(error.what(), spelled_as_flag)));
    }
  }
  const FeatureTemplates templates =
      load_templates(tagger.templates, tokens.corpus.columns.size() - 1, clusters);
  TaggerData data = tagger_data(tokens.corpus, templates);
  data.templates = templates.text();
  data.clusters = templates.clusters();
  if (clusters && weighted == Weighted::yes)
    corpus.remarks.push_back(clusters_text(*clusters, tagger.clusters, tokens.corpus));
  corpus.columns = tokens.corpus.columns.size();
  if (tokens.numbered) corpus.remarks.push_back(corpus.source + numbers_left_out);
  return data;
}

Corpus read_sentences(const std::vector<std::string>& paths, DataFormat format, const DataFlags& flags,
                      const TaggerFlags& tagger, Weighted weighted, const SharedClusters& clusters) {
  Corpus corpus;
  corpus.source = Paths(paths).description();
  corpus.format = format;
  TaggerData data = of_attributes(format)
                        ? tagger_data(read_attributes(Paths(paths), format))
                        : through_templates(corpus, paths, flags, tagger, weighted, clusters);
  if (tagger.soft_labels) data = with_soft_labels(std::move(data));
  corpus.remarks.push_back(fmt::format("{}: {} sentences, {} tokens, {} attributes, {} labels{} ({})",
                                       corpus.source, data.sentence_count(), data.tokens(),
                                       data.attribute_names.size(), data.label_names.size(),
                                       of_attributes(format)   ? ""
                                       : corpus.target.empty() ? " in the last column"
                                                               : fmt::format(" in column {}", corpus.target),
                                       format_name(format)));
  data.source = corpus.source;
  if (weighted == Weighted::yes && data.attribute_names.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: there are no attributes, as {}; give --data-format if it is another", corpus.source,
                    format_name(format)));
  }
  if (weighted == Weighted::yes && data.label_names.size() == 1) {
    throw std::invalid_argument(fmt::format(
        "{}: every token has the label '{}': there is nothing to learn; give --target, the column of the "
        "labels",
        corpus.source, data.label_names[0]));
  }
  if (weighted == Weighted::yes && !tagger.sentence_weights.empty()) {
    data.weights = weights_of(data, tagger.sentence_weights);
    data.check();
  }
  corpus.data = std::make_shared<const TaggerData>(std::move(data));
  return corpus;
}

// Whether none of the texts is among the known ones.
bool none_known(const StringTable& texts, const StringTable& known) {
  const std::vector<std::string> all = texts.strings();
  return std::ranges::none_of(all, [&](const std::string& text) { return known.find(text) >= 0; });
}

// Items of attributes, which may come without labels: then an attribute stands where these would be.
Corpus attributes_for(Corpus corpus, const std::vector<std::string>& paths, const Tagger& tagger) {
  AttributeCorpus read = read_attributes(Paths(paths), corpus.format);
  const bool labelled =
      !none_known(read.label_names, tagger.labels) || none_known(read.label_names, tagger.attributes);
  TaggerData data = labelled ? tagger_data(std::move(read)) : unlabelled_data(std::move(read));
  if (none_known(data.attribute_names, tagger.attributes))
    warn(fmt::format("{}: the tagger knows none of the attributes", corpus.source));
  corpus.remarks.push_back(fmt::format("{}: {} sentences, {} tokens{} ({})", corpus.source,
                                       data.sentence_count(), data.tokens(), labelled ? "" : ", no labels",
                                       format_name(corpus.format)));
  corpus.data = std::make_shared<const TaggerData>(std::move(data));
  return corpus;
}

// The format of sentences for a tagger. Words alone look like nothing; other text may be tokens, but for what
// can only be rows.
DataFormat format_for(const std::vector<std::string>& paths, const DataFlags& flags, const Tagger& tagger) {
  const DataFormat usual = tagger.templates.empty() ? DataFormat::crfsuite : DataFormat::conll;
  const std::string first = Paths(paths).files().front();
  std::error_code ignored;
  const bool lasting = std::filesystem::is_regular_file(first, ignored);
  if (flags.format != "auto" || !lasting) return format_of(paths, flags, Task::tagging);
  const std::vector<DataFormat> found = possible_formats(first);
  const auto sentences = std::ranges::find_if(found, of_sentences);
  if (sentences != found.end()) return *sentences;
  using enum DataFormat;
  const bool commas = found == std::vector{csv} && first.find(".csv") != std::string::npos;
  const bool rows = commas || found == std::vector{svmlight} || found == std::vector{arff} ||
                    found == std::vector{npy} || found == std::vector{cache};
  if (!rows) return usual;
  throw std::invalid_argument(
      fmt::format("{}: {} is a format of rows, and the model is a tagger of sentences; give --data-format {} "
                  "if these are some",
                  first, format_name(found.front()), format_name(usual)));
}

bool is_column_of_conllu(const std::string& name) {
  return std::ranges::find(conllu_columns(), name) != conllu_columns().end();
}

// Whether the last column has nothing but _, as CoNLL-U has where nothing is known.
bool has_no_labels(const TokenCorpus& tokens) {
  const StringTable& labels = tokens.columns.back().strings;
  return labels.size() == 1 && labels[0] == "_";
}

}  // namespace

Corpus training_sentences(const std::vector<std::string>& paths, DataFormat format, const DataFlags& flags,
                          const TaggerFlags& tagger) {
  return read_sentences(paths, format, flags, tagger, Weighted::yes, load_clusters(tagger.clusters));
}

Corpus sentences_like(const Corpus& training, const std::string& path, const DataFlags& flags,
                      const TaggerFlags& tagger) {
  Corpus corpus = read_sentences({path}, format_of({path}, flags, Task::tagging), flags, tagger, Weighted::no,
                                 std::get<std::shared_ptr<const TaggerData>>(training.data)->clusters);
  if (corpus.columns == training.columns) return corpus;
  throw std::invalid_argument(fmt::format("{}: tokens have {} columns; those of {} have {}", corpus.source,
                                          corpus.columns, training.source, training.columns));
}

Corpus sentences_for(const std::vector<std::string>& paths, const DataFlags& flags, const Tagger& tagger) {
  const DataFormat format = format_for(paths, flags, tagger);
  Corpus corpus;
  corpus.source = Paths(paths).description();
  corpus.format = format;
  if (of_attributes(format)) return attributes_for(std::move(corpus), paths, tagger);
  if (tagger.templates.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: the tagger was trained on attributes; tokens need templates", corpus.source));
  }
  Tokens tokens(paths, format);
  std::string target = flags.target.empty() ? tagger.target : flags.target;
  if (flags.target.empty() && !tokens.universal && is_column_of_conllu(target)) target.clear();
  if (tokens.universal || tokens.columns() >= tagger.columns) tokens.put_last(target);
  tokens.leave_numbers_out();
  if (tokens.numbered) corpus.remarks.push_back(corpus.source + numbers_left_out);
  const std::size_t found = tokens.corpus.columns.size();
  const std::size_t columns = tagger.columns == 0 ? found : tagger.columns;
  const FeatureTemplates templates = templates_of(tagger, columns - 1);
  if (found > columns) {
    warn(fmt::format("{}: tokens have {} columns, in training {}; the first {} and the label are used",
                     corpus.source, found, columns, columns - 1));
  } else if (found < templates.columns()) {
    throw std::invalid_argument(
        fmt::format("{}: tokens have {} columns; the model is a tagger of tokens with {} beside the label",
                    corpus.source, found, columns - 1));
  }
  const bool complete = found >= columns;
  const bool labelled = complete && !has_no_labels(tokens.corpus);
  if (labelled && none_known(tokens.corpus.columns.back().strings, tagger.labels)) {
    warn(fmt::format(
        "{}: the tagger has none of the labels there, such as '{}'; expected a token on each line, its label "
        "last if it has one, and a blank line after each sentence",
        corpus.source, tokens.corpus.columns.back().strings[0]));
  }
  if (complete && !labelled) tokens.corpus = without_column(tokens.corpus, found - 1);
  corpus.target = labelled ? target : "";
  corpus.remarks.push_back(fmt::format(
      "{}: {} sentences, {} tokens{} ({})", corpus.source, tokens.corpus.sentences(), tokens.corpus.tokens(),
      !labelled
          ? fmt::format(", no labels ({} columns; {} in training)", tokens.corpus.columns.size(), columns)
      : target.empty() ? ", labels in the last column"
                       : fmt::format(", labels in column {}", target),
      format_name(format)));
  corpus.data = std::make_shared<const TaggerData>(tagger_data(tokens.corpus, templates, labelled));
  return corpus;
}

}  // namespace fenchel::cli
