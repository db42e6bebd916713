// SPDX-License-Identifier: Apache-2.0
#include "support/corpus.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "fenchel/data/attribute_corpus.hpp"
#include "fenchel/data/ocr.hpp"
#include "fenchel/data/token_corpus.hpp"
#include "fenchel/models/feature_templates.hpp"
#include "fenchel/models/tagger_corpus.hpp"

namespace fenchel::cli {
namespace {

// A preset by its name, or a file.
FeatureTemplates load_templates(const std::string& name, std::size_t columns) {
  const std::string chosen = name.empty() ? "default" : name;
  if (!std::filesystem::exists(chosen)) return FeatureTemplates::preset(chosen, columns);
  std::ifstream file(chosen);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read", chosen));
  return FeatureTemplates::parse(text.str(), chosen);
}

// A tagger keeps its templates as text, those of a preset by its name.
FeatureTemplates templates_of(const Tagger& tagger, std::size_t columns) {
  const bool text = tagger.templates.find('%') != std::string::npos;
  return text ? FeatureTemplates::parse(tagger.templates, "the tagger's templates")
              : FeatureTemplates::preset(tagger.templates, columns);
}

bool of_attributes(DataFormat format) { return format == DataFormat::crfsuite || format == DataFormat::ocr; }

bool of_sentences(DataFormat format) {
  return format == DataFormat::conll || format == DataFormat::conllu || of_attributes(format);
}

TaggerData read_attributes(const Paths& paths, DataFormat format) {
  return tagger_data(format == DataFormat::ocr ? read_ocr(paths) : read_crfsuite(paths));
}

Corpus read_sentences(const std::vector<std::string>& paths, DataFormat format, const TaggerFlags& tagger) {
  Corpus corpus;
  corpus.source = Paths(paths).description();
  TaggerData data;
  if (of_attributes(format)) {
    data = read_attributes(Paths(paths), format);
  } else {
    const TokenCorpus tokens = read_conll(Paths(paths), {.universal = format == DataFormat::conllu});
    if (tokens.columns.size() < 2) {
      throw std::invalid_argument(
          fmt::format("{}: tokens have {} columns; expected at least a word and its label", corpus.source,
                      tokens.columns.size()));
    }
    const FeatureTemplates templates = load_templates(tagger.templates, tokens.columns.size() - 1);
    data = tagger_data(tokens, templates);
    corpus.templates = templates.text();
    corpus.columns = tokens.columns.size();
  }
  corpus.remarks.push_back(fmt::format(
      "{}: {} sentences, {} tokens, {} attributes, {} labels ({})", corpus.source, data.sentence_count(),
      data.tokens(), data.attribute_names.size(), data.label_names.size(), format_name(format)));
  corpus.data = std::make_shared<const TaggerData>(std::move(data));
  return corpus;
}

Corpus rows_corpus(Reading reading) {
  Corpus corpus;
  corpus.source = reading.data.source;
  corpus.zero_based = reading.zero_based;
  corpus.remarks.push_back(fmt::format(
      "{}: {} rows, {} features, {} ({} {})", reading.data.source, reading.data.rows(), reading.data.x.cols(),
      reading.data.x.sparse() ? "sparse" : "dense", format_name(reading.format), reading.why));
  corpus.data = std::move(reading.data);
  return corpus;
}

// Sentences for a tagger: in the columns that its templates read, with or without labels behind them.
Corpus sentences_for(const std::vector<std::string>& paths, const DataFlags& flags, const Tagger& tagger) {
  DataFormat format = format_of(paths, flags);
  if (flags.format == "auto" && !of_sentences(format))
    format = tagger.templates.empty() ? DataFormat::crfsuite : DataFormat::conll;
  Corpus corpus;
  corpus.source = Paths(paths).description();
  if (of_attributes(format)) {
    corpus.data = std::make_shared<const TaggerData>(read_attributes(Paths(paths), format));
    return corpus;
  }
  if (tagger.templates.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: the tagger was trained on attributes; tokens need templates", corpus.source));
  }
  const TokenCorpus tokens = read_conll(Paths(paths), {.universal = format == DataFormat::conllu});
  const auto trained = tagger.provenance.find("columns");
  const std::size_t columns =
      trained == tagger.provenance.end() ? tokens.columns.size() : std::stoul(trained->second);
  const FeatureTemplates templates = templates_of(tagger, columns - 1);
  corpus.data =
      std::make_shared<const TaggerData>(tagger_data(tokens, templates, tokens.columns.size() >= columns));
  return corpus;
}

// FNV-1a over words of 8 bytes: quick, and enough to notice that a file has changed.
class Checksum {
 public:
  template <class T>
  void add(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    std::size_t i = 0;
    for (; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, sizeof(word));
      mix(word);
    }
    for (; i < bytes.size(); ++i) mix(static_cast<std::uint64_t>(bytes[i]));
    mix(bytes.size());
  }
  void add(const std::vector<std::string>& strings) {
    for (const std::string& text : strings) add(std::span<const char>(text));
  }
  std::uint64_t value() const { return hash_; }

 private:
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3u;
    hash_ ^= hash_ >> 29;
  }
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

std::uint64_t checksum(const Dataset& data) {
  Checksum sum;
  data.x.visit([&](const auto& x) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      if (x.sparse()) {
        sum.add(x.sparse_rows().indices(i));
        sum.add(x.sparse_rows().values(i));
      } else {
        sum.add(x.dense_rows().row(i));
      }
    }
  });
  sum.add(data.labels.names);
  sum.add(std::span<const std::int64_t>(data.labels.offsets));
  sum.add(std::span<const std::int32_t>(data.labels.indices));
  sum.add(std::span<const double>(data.labels.weights));
  sum.add(data.values.entries());
  sum.add(std::span<const std::int64_t>(data.queries));
  sum.add(std::span<const double>(data.weights));
  return sum.value();
}

std::uint64_t checksum(const TaggerData& data) {
  Checksum sum;
  sum.add(std::span<const std::int64_t>(data.sentences));
  sum.add(std::span<const std::int64_t>(data.offsets));
  sum.add(std::span<const std::int32_t>(data.attributes));
  sum.add(std::span<const float>(data.values));
  sum.add(std::span<const std::int32_t>(data.labels));
  return sum.value();
}

}  // namespace

void TaggerFlags::add(CLI::App& command) {
  constexpr const char* group = "Tagging";
  command
      .add_option("--template", templates,
                  "a file of CRF++ templates, or a preset: default, crfsuite-chunking")
      ->group(group);
  command
      .add_flag("--all-states", all_states,
                "weights for every attribute with every label, seen together or not")
      ->group(group);
  command.add_flag("--all-transitions", all_transitions, "weights for every pair of labels, seen or not")
      ->group(group);
  command.add_option("--min-count", min_count, "leave out attributes that occur less often")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(group);
}

Corpus read_corpus(const std::vector<std::string>& paths, const DataFlags& flags, const TaggerFlags& tagger,
                   std::optional<Task> task) {
  DataFormat format = format_of(paths, flags);
  if (task == Task::tagging && flags.format == "auto" && !of_sentences(format)) format = DataFormat::conll;
  if (of_sentences(format)) {
    if (task && *task != Task::tagging) {
      throw std::invalid_argument(fmt::format("--task {}: {} holds sentences, which are for tagging",
                                              to_string(*task), paths.front()));
    }
    return read_sentences(paths, format, tagger);
  }
  if (task == Task::tagging) {
    throw std::invalid_argument(
        fmt::format("--task tagging: the format {} has no sentences", format_name(format)));
  }
  return rows_corpus(read_dataset(Paths(paths), flags.options()));
}

Corpus read_corpus_for(const std::vector<std::string>& paths, const DataFlags& flags, const AnyModel& model) {
  if (const auto* tagger = std::get_if<Tagger>(&model)) return sentences_for(paths, flags, *tagger);
  return rows_corpus(read_dataset(Paths(paths), read_options_for(flags, model)));
}

double parse_share(const std::string& text) {
  double share = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  if (error != std::errc() || end != text.data() + text.size() || !(share > 0 && share < 1)) {
    throw std::invalid_argument(
        fmt::format("--valid is '{}'; expected a share between 0 and 1, or a file", text));
  }
  return share;
}

Split split_share(const Corpus& corpus, double share, std::uint64_t seed) {
  if (const auto* rows = std::get_if<Dataset>(&corpus.data)) return split_rows(*rows, share, {.seed = seed});
  const auto& sentences = *std::get<std::shared_ptr<const TaggerData>>(corpus.data);
  return split_indices(sentences.sentence_count(), share, seed);
}

std::vector<Split> split_folds(const Corpus& corpus, std::size_t count, std::uint64_t seed) {
  if (const auto* rows = std::get_if<Dataset>(&corpus.data)) {
    return fenchel::split_folds(*rows, count, {.seed = seed});
  }
  const auto& sentences = *std::get<std::shared_ptr<const TaggerData>>(corpus.data);
  return split_index_folds(sentences.sentence_count(), count, seed);
}

Corpus select(const Corpus& corpus, std::span<const std::size_t> numbers) {
  Corpus part{.data = {},
              .source = corpus.source,
              .templates = corpus.templates,
              .columns = corpus.columns,
              .zero_based = corpus.zero_based,
              .remarks = corpus.remarks};
  if (const auto* rows = std::get_if<Dataset>(&corpus.data)) {
    part.data = select_rows(*rows, numbers);
  } else {
    const auto& sentences = *std::get<std::shared_ptr<const TaggerData>>(corpus.data);
    part.data = std::make_shared<const TaggerData>(select_sentences(sentences, numbers));
  }
  return part;
}

std::optional<Corpus> split_validation(Corpus& corpus, const std::string& valid, const DataFlags& flags,
                                       const TaggerFlags& tagger, std::uint64_t seed) {
  if (valid.empty()) return std::nullopt;
  if (std::filesystem::exists(valid)) {
    if (std::holds_alternative<Dataset>(corpus.data)) {
      ReadOptions options = flags.options();
      const Dataset& training = std::get<Dataset>(corpus.data);
      options.features = training.x.cols();
      options.drop_beyond = true;
      fill_as_in_training(options, training.fill);
      name_as_in_training(options, training.feature_names, training.nominal);
      options.index_base = corpus.zero_based ? IndexBase::zero : IndexBase::one;
      return rows_corpus(read_dataset(Paths(valid), options));
    }
    return read_sentences({valid}, format_of({valid}, flags), tagger);
  }
  const Split split = split_share(corpus, parse_share(valid), seed);
  Corpus held = select(corpus, split.held_out);
  corpus = select(corpus, split.train);
  return held;
}

TaggerFitOptions tagger_options(const Corpus& corpus, const TaggerFlags& tagger) {
  return {.features = {.all_states = tagger.all_states,
                       .all_transitions = tagger.all_transitions,
                       .min_count = tagger.min_count},
          .templates = corpus.templates,
          .source = corpus.source};
}

std::unique_ptr<Fit> make_fit(const Corpus& corpus, const FitOptions& options, const TaggerFlags& tagger) {
  if (const auto* rows = std::get_if<Dataset>(&corpus.data)) {
    return fenchel::make_fit(prepare(*rows, options), options);
  }
  return fenchel::make_fit(std::get<std::shared_ptr<const TaggerData>>(corpus.data), options,
                           tagger_options(corpus, tagger));
}

void finish_model(AnyModel& model, const Corpus& corpus, double temperature) {
  std::visit(
      [&](auto& any) {
        any.temperature = temperature;
        if (corpus.zero_based) any.provenance["indices"] = "0";
        if (corpus.columns > 0) any.provenance["columns"] = std::to_string(corpus.columns);
      },
      model);
}

Task task_of(const AnyModel& model) {
  return std::holds_alternative<Tagger>(model) ? Task::tagging : head_of(model).task;
}

Evaluation evaluate(const AnyModel& model, const Corpus& corpus, int threads,
                    std::optional<double> temperature) {
  return std::visit(
      [&](const auto& any) {
        if constexpr (std::is_same_v<std::decay_t<decltype(any)>, Tagger>) {
          const auto& sentences = std::get<std::shared_ptr<const TaggerData>>(corpus.data);
          return fenchel::evaluate(any, *sentences, temperature, threads);
        } else {
          return fenchel::evaluate(any, std::get<Dataset>(corpus.data), temperature, threads);
        }
      },
      model);
}

std::string fingerprint(const Corpus& corpus) {
  if (const auto* rows = std::get_if<Dataset>(&corpus.data)) {
    return fmt::format("{} rows, {} features, {:016x}", rows->rows(), rows->x.cols(), checksum(*rows));
  }
  const auto& sentences = *std::get<std::shared_ptr<const TaggerData>>(corpus.data);
  return fmt::format("{} sentences, {} tokens, {:016x}", sentences.sentence_count(), sentences.tokens(),
                     checksum(sentences));
}

}  // namespace fenchel::cli
