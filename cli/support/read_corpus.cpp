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
#include "fenchel/models/read_for.hpp"
#include "fenchel/models/task_targets.hpp"
#include "support/option_spelling.hpp"
#include "support/sentence_corpus.hpp"
#include "support/standard_streams.hpp"

namespace fenchel::cli {
namespace {

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
    if (!std::filesystem::is_regular_file(path) || begins_as_model(path)) throw;
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
    return training_sentences(paths, format, flags, tagger);
  }
  if (task == Task::tagging) {
    throw std::invalid_argument(
        fmt::format("--task tagging: the format {} has no sentences", format_name(format)));
  }
  ReadOptions options = flags.options();
  // Where the task tells the format from others, the reader could not.
  if (task && format != DataFormat::automatic && possible_formats(Paths(paths).files().front()).size() > 1)
    options.format = format;
  if (task) options.target_text = target_text_for(*task);
  Reading reading = read_dataset(Paths(paths), options);
  if (!task) warn_of_doubts(reading);
  return rows_corpus(std::move(reading));
}

Corpus read_corpus_like(const Corpus& training, const std::string& path, const DataFlags& flags,
                        const TaggerFlags& tagger) {
  const auto* rows = std::get_if<Dataset>(&training.data);
  if (!rows) {
    return sentences_like(training, path, flags, tagger);
  }
  ReadOptions options = flags.options();
  options.features = rows->x.cols();
  options.drop_beyond = true;
  fill_as_in_training(options, rows->fill);
  name_as_in_training(options, rows->feature_names, rows->nominal, training.target);
  options.target_text = rows->labels.places.empty() ? TargetText::label : TargetText::order;
  options.known_format = training.format;
  options.index_base = training.zero_based ? IndexBase::zero : IndexBase::one;
  return with_dropped_said(rows_corpus(read_dataset(Paths(path), options)), "the training data");
}

Corpus read_corpus_for(const std::vector<std::string>& paths, const DataFlags& flags, const AnyModel& model,
                       const std::vector<std::string>& keep) {
  if (const auto* tagger = std::get_if<Tagger>(&model)) return sentences_for(paths, flags, *tagger);
  ReadOptions options = read_options_for(flags, model);
  const DataFormat format = format_of(paths, flags, task_of(model), options.known_format);
  const bool asked = flags.options().format != DataFormat::automatic;
  if (asked || of_sentences(format)) {
    options.format = format;
  } else if (format != DataFormat::automatic) {
    options.known_format = format;  // the reader says why
  }
  options.keep = keep;
  return with_dropped_said(rows_corpus(read_dataset(Paths(paths), options)), "the model");
}

}  // namespace fenchel::cli
