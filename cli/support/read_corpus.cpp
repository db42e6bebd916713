// SPDX-License-Identifier: Apache-2.0
#include "support/read_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "data/known_columns.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/data/attribute_corpus.hpp"
#include "fenchel/data/ocr.hpp"
#include "fenchel/data/token_corpus.hpp"
#include "fenchel/models/feature_templates.hpp"
#include "fenchel/models/read_for.hpp"
#include "fenchel/models/tagger_corpus.hpp"
#include "fenchel/models/task_targets.hpp"
#include "fenchel/models/word_clusters.hpp"
#include "support/option_spelling.hpp"
#include "support/standard_streams.hpp"

namespace fenchel::cli {
namespace {

bool of_attributes(DataFormat format) { return format == DataFormat::crfsuite || format == DataFormat::ocr; }

TaggerData read_attributes(const Paths& paths, DataFormat format) {
  return tagger_data(format == DataFormat::ocr ? read_ocr(paths) : read_crfsuite(paths));
}

std::vector<double> weights_of(const TaggerData& data, const std::string& file) {
  std::vector<double> weights = read_weights(Paths(file));
  if (weights.size() == data.sentence_count()) return weights;
  throw std::invalid_argument(fmt::format("--sentence-weights: {} has {} numbers; {} has {} sentences", file,
                                          weights.size(), data.source, data.sentence_count()));
}

// The weights are those of the sentences to train on, others have none.
enum class Weighted { no, yes };

// Whether tokens have the columns of CoNLL-U.
bool is_universal(const TokenCorpus& tokens, DataFormat format) {
  return format == DataFormat::conllu && tokens.columns.size() == conllu_columns().size();
}

// Tokens with the label last.
TokenCorpus labelled_tokens(const TokenCorpus& tokens, const std::string& target, bool universal) {
  if (target.empty()) return tokens;
  return with_target_last(tokens, token_column(tokens, target, universal), universal);
}

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

Corpus read_sentences(const std::vector<std::string>& paths, DataFormat format, const DataFlags& flags,
                      const TaggerFlags& tagger, Weighted weighted, const SharedClusters& clusters) {
  Corpus corpus;
  corpus.source = Paths(paths).description();
  corpus.format = format;
  TaggerData data;
  if (of_attributes(format)) {
    data = read_attributes(Paths(paths), format);
  } else {
    const TokenCorpus read = read_conll(Paths(paths), {.universal = format == DataFormat::conllu});
    const bool universal = is_universal(read, format);
    corpus.target = flags.target.empty() && universal ? "UPOS" : flags.target;
    if (read.columns.size() < 2) {
      throw std::invalid_argument(
          fmt::format("{}: tokens have {} columns; expected at least a word and its label", corpus.source,
                      read.columns.size()));
    }
    const TokenCorpus tokens = labelled_tokens(read, corpus.target, universal);
    if (tokens.columns.size() < 2) {
      throw std::invalid_argument(fmt::format(
          "{}: --target {} leaves no column to read words from: those of CoNLL-U after it are left out",
          corpus.source, corpus.target));
    }
    const FeatureTemplates templates = load_templates(tagger.templates, tokens.columns.size() - 1, clusters);
    data = tagger_data(tokens, templates);
    data.templates = templates.text();
    data.clusters = templates.clusters();
    if (clusters && weighted == Weighted::yes)
      corpus.remarks.push_back(clusters_text(*clusters, tagger.clusters, tokens));
    corpus.columns = tokens.columns.size();
  }
  if (tagger.soft_labels) data = with_soft_labels(std::move(data));
  corpus.remarks.push_back(fmt::format("{}: {} sentences, {} tokens, {} attributes, {} labels{} ({})",
                                       corpus.source, data.sentence_count(), data.tokens(),
                                       data.attribute_names.size(), data.label_names.size(),
                                       of_attributes(format)   ? ""
                                       : corpus.target.empty() ? " in the last column"
                                                               : fmt::format(" in column {}", corpus.target),
                                       format_name(format)));
  data.source = corpus.source;
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

// Sentences for a tagger: in the columns that its templates read, with or without labels after them.
Corpus sentences_for(const std::vector<std::string>& paths, const DataFlags& flags, const Tagger& tagger) {
  DataFormat format = format_of(paths, flags, Task::tagging);
  if (flags.format == "auto" && !of_sentences(format))
    format = tagger.templates.empty() ? DataFormat::crfsuite : DataFormat::conll;
  Corpus corpus;
  corpus.source = Paths(paths).description();
  corpus.format = format;
  if (of_attributes(format)) {
    TaggerData data = read_attributes(Paths(paths), format);
    corpus.remarks.push_back(fmt::format("{}: {} sentences, {} tokens ({})", corpus.source,
                                         data.sentence_count(), data.tokens(), format_name(format)));
    corpus.data = std::make_shared<const TaggerData>(std::move(data));
    return corpus;
  }
  if (tagger.templates.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: the tagger was trained on attributes; tokens need templates", corpus.source));
  }
  TokenCorpus tokens = read_conll(Paths(paths), {.universal = format == DataFormat::conllu});
  const bool universal = is_universal(tokens, format);
  const std::string target = flags.target.empty() ? tagger.target : flags.target;
  if (universal || tokens.columns.size() >= tagger.columns)
    tokens = labelled_tokens(tokens, target, universal);
  const std::size_t columns = tagger.columns == 0 ? tokens.columns.size() : tagger.columns;
  const FeatureTemplates templates = templates_of(tagger, columns - 1);
  const bool labelled = tokens.columns.size() >= columns;
  corpus.target = labelled ? target : "";
  corpus.remarks.push_back(fmt::format("{}: {} sentences, {} tokens{} ({})", corpus.source,
                                       tokens.sentences(), tokens.tokens(),
                                       !labelled        ? ", no labels"
                                       : target.empty() ? ", labels in the last column"
                                                        : fmt::format(", labels in column {}", target),
                                       format_name(format)));
  corpus.data = std::make_shared<const TaggerData>(tagger_data(tokens, templates, labelled));
  return corpus;
}

Corpus with_dropped_said(Corpus corpus, const char* owner) {
  warn_of_dropped(corpus.source, corpus.dropped, owner);
  return corpus;
}

bool is_model(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    load(path);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// A model begins with the length of its header, eight bytes, and an object of JSON.
bool begins_as_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char bytes[9] = {};
  file.read(bytes, sizeof bytes);
  return !file || bytes[8] == '{';
}

}  // namespace

AnyModel load_model(const std::string& path, const std::vector<std::string>& data) {
  try {
    return load(path);
  } catch (const std::runtime_error&) {
    if (!data.empty() && is_model(data.front())) {
      throw std::invalid_argument(fmt::format(
          "{0} is a model, and {1} is not; expected them in the other order: {0} {1}", data.front(), path));
    }
    if (begins_as_model(path)) throw;
    throw std::invalid_argument(
        fmt::format("{} is not a model; expected a file that 'fenchel train --model' has written", path));
  }
}

void warn_of_dropped(const std::string& source, std::size_t entries, const char* owner) {
  if (entries == 0) return;
  warn(fmt::format("{}: {} of features that {} does not have {} ignored", source,
                   entries == 1 ? "an entry" : fmt::format("{} entries", entries), owner,
                   entries == 1 ? "is" : "are"));
}

// "4 features", "5 features (4 numbers, 1 of words)".
std::string features_text(const Dataset& data) {
  const std::size_t features = data.x.cols(), words = data.nominal.size();
  std::string text = fmt::format("{} features", features);
  if (words == 0) return text;
  std::size_t numbers = features;
  for (const NominalColumn& column : data.nominal) numbers -= column.width();
  return text + fmt::format(" (columns: {} of numbers, {} of words)", numbers, words);
}

Corpus rows_corpus(Reading reading) {
  Corpus corpus;
  corpus.target = reading.target;
  corpus.kept = std::move(reading.kept);
  corpus.source = reading.data.source;
  corpus.format = reading.format;
  corpus.zero_based = reading.zero_based;
  corpus.dropped = reading.dropped;
  std::string how = fmt::format("{} {}", format_name(reading.format), reading.why);
  for (const std::string& remark : reading.remarks) how += ", " + remark;
  corpus.remarks.push_back(fmt::format(
      "{}: {} rows, {}, {}{} ({})", reading.data.source, reading.data.rows(), features_text(reading.data),
      reading.data.x.sparse() ? "sparse" : "dense",
      reading.target.empty() ? "" : fmt::format("; the target is column '{}'", reading.target), how));
  for (const std::string& warning : reading.warnings) {
    warn(fmt::format("{}: {}", reading.data.source, spell_options(warning, spelled_as_flag)));
  }
  if (const std::size_t count = reading.ignored_columns.size(); count > 0) {
    warn(fmt::format("{}: {} {} not of the model and left out: {}", reading.data.source,
                     count == 1 ? "a column" : fmt::format("{} columns", count), count == 1 ? "is" : "are",
                     fmt::join(reading.ignored_columns, ", ")));
  }
  corpus.data = std::move(reading.data);
  return corpus;
}

void warn_of_doubts(const Reading& reading) {
  const std::string doubt = guess_task(reading.data).doubt;
  if (!doubt.empty()) warn(fmt::format("{}: {}", reading.data.source, spell_options(doubt, spelled_as_flag)));
}

Corpus read_corpus(const std::vector<std::string>& paths, const DataFlags& flags, const TaggerFlags& tagger,
                   std::optional<Task> task) {
  const DataFormat format = format_of(paths, flags, task);
  if (of_sentences(format)) {
    if (task && *task != Task::tagging) {
      throw std::invalid_argument(fmt::format("--task {}: {} holds sentences, which are for tagging",
                                              to_string(*task), paths.front()));
    }
    return read_sentences(paths, format, flags, tagger, Weighted::yes, load_clusters(tagger.clusters));
  }
  if (task == Task::tagging) {
    throw std::invalid_argument(
        fmt::format("--task tagging: the format {} has no sentences", format_name(format)));
  }
  ReadOptions options = flags.options();
  if (format != DataFormat::automatic && task) options.format = format;
  if (task) options.target_text = target_text_for(*task);
  Reading reading = read_dataset(Paths(paths), options);
  if (!task) warn_of_doubts(reading);
  return rows_corpus(std::move(reading));
}

Corpus read_corpus_like(const Corpus& training, const std::string& path, const DataFlags& flags,
                        const TaggerFlags& tagger) {
  const auto* rows = std::get_if<Dataset>(&training.data);
  if (!rows) {
    return read_sentences({path}, format_of({path}, flags, Task::tagging), flags, tagger, Weighted::no,
                          std::get<std::shared_ptr<const TaggerData>>(training.data)->clusters);
  }
  ReadOptions options = flags.options();
  options.features = rows->x.cols();
  options.drop_beyond = true;
  fill_as_in_training(options, rows->fill);
  name_as_in_training(options, rows->feature_names, rows->nominal, training.target);
  options.target_text = rows->labels.places.empty() ? TargetText::label : TargetText::order;
  options.index_base = training.zero_based ? IndexBase::zero : IndexBase::one;
  return with_dropped_said(rows_corpus(read_dataset(Paths(path), options)), "the training data");
}

Corpus read_corpus_for(const std::vector<std::string>& paths, const DataFlags& flags, const AnyModel& model,
                       const std::vector<std::string>& keep) {
  if (const auto* tagger = std::get_if<Tagger>(&model)) return sentences_for(paths, flags, *tagger);
  ReadOptions options = read_options_for(flags, model);
  options.format = format_of(paths, flags, task_of(model));
  options.keep = keep;
  return with_dropped_said(rows_corpus(read_dataset(Paths(paths), options)), "the model");
}

}  // namespace fenchel::cli
