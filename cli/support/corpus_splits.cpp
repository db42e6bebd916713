// SPDX-License-Identifier: Apache-2.0
#include "support/corpus_splits.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "fenchel/models/tagger_corpus.hpp"
#include "fenchel/models/task_targets.hpp"
#include "support/read_corpus.hpp"
#include "support/standard_streams.hpp"

namespace fenchel::cli {

namespace {

// What is split, which is whole: rows, queries or sentences.
struct Units {
  std::size_t count = 0;
  const char* one;
  const char* several;

  std::string text() const { return fmt::format("{} {}", count, count == 1 ? one : several); }
};

Units units_of(const Corpus& corpus) {
  if (const auto* rows = std::get_if<Dataset>(&corpus.data)) {
    if (rows->queries.empty()) return {rows->rows(), "row", "rows"};
    return {rows->queries.size() - 1, "query", "queries"};
  }
  return {std::get<std::shared_ptr<const TaggerData>>(corpus.data)->sentence_count(), "sentence",
          "sentences"};
}

// By name: two files number their classes each in its own way.
std::set<std::string_view> classes_of(const Labels& labels, std::span<const std::size_t> rows) {
  std::set<std::string_view> classes;
  for (const std::size_t row : rows) {
    for (const std::int32_t label : labels.row(row))
      classes.insert(labels.names[static_cast<std::size_t>(label)]);
  }
  return classes;
}

std::size_t rows_of_others(const Labels& labels, std::span<const std::size_t> rows,
                           const std::set<std::string_view>& known) {
  return static_cast<std::size_t>(std::ranges::count_if(rows, [&](std::size_t row) {
    return std::ranges::any_of(labels.row(row), [&](std::int32_t label) {
      return !known.contains(labels.names[static_cast<std::size_t>(label)]);
    });
  }));
}

std::vector<std::size_t> all_rows(const Dataset& data) {
  std::vector<std::size_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

const Dataset* classified(const Corpus& corpus, std::optional<Task> task) {
  const auto* rows = std::get_if<Dataset>(&corpus.data);
  const bool classes = rows && (task ? *task : guess_task(*rows).task) == Task::classification;
  return classes ? rows : nullptr;
}

void warn_of_unseen(const std::string& where, std::size_t rows) {
  if (rows == 0) return;
  warn(fmt::format("{}: {} of a class that no row to train on has; {} as {}", where,
                   rows == 1 ? "a row is" : fmt::format("{} rows are", rows),
                   rows == 1 ? "it counts" : "they count", rows == 1 ? "an error" : "errors"));
}

}  // namespace

double parse_share(const std::string& text) {
  double share = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  if (error != std::errc() || end != text.data() + text.size() || !(share > 0 && share < 1)) {
    throw std::invalid_argument(
        fmt::format("--valid is '{}'; expected a share between 0 and 1, or a file that exists", text));
  }
  return share;
}

Split split_share(const Corpus& corpus, double share, std::uint64_t seed) {
  const Units units = units_of(corpus);
  try {
    if (const auto* rows = std::get_if<Dataset>(&corpus.data))
      return split_rows(*rows, share, {.seed = seed});
    return split_indices(units.count, share, seed);
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(
        fmt::format("--valid {}: {} has {}, which leaves nothing to train on; expected {}", share,
                    corpus.source, units.text(), units.count < 2 ? "at least 2" : "a smaller share"));
  }
}

std::vector<Split> split_folds(const Corpus& corpus, std::size_t count, std::uint64_t seed) {
  const Units units = units_of(corpus);
  if (count > units.count) {
    throw std::invalid_argument(fmt::format(
        "--folds is {}; {} has {}{}", count, corpus.source, units.text(),
        units.count < 2 ? ", which cannot be split" : fmt::format("; expected at most {}", units.count)));
  }
  if (const auto* rows = std::get_if<Dataset>(&corpus.data)) {
    return fenchel::split_folds(*rows, count, {.seed = seed});
  }
  return split_index_folds(units.count, count, seed);
}

void warn_of_unseen_classes(const Corpus& corpus, const std::vector<Split>& splits, const std::string& flag,
                            std::optional<Task> task) {
  const Dataset* data = classified(corpus, task);
  if (!data) return;
  std::size_t rows = 0;
  for (const Split& split : splits)
    rows += rows_of_others(data->labels, split.held_out, classes_of(data->labels, split.train));
  warn_of_unseen(flag, rows);
}

void warn_of_unseen_classes(const Corpus& corpus, const Corpus& judged, std::optional<Task> task) {
  const Dataset* data = classified(corpus, task);
  if (!data) return;
  const Labels& labels = std::get<Dataset>(judged.data).labels;
  const std::vector<std::size_t> rows = all_rows(std::get<Dataset>(judged.data));
  warn_of_unseen(judged.source, rows_of_others(labels, rows, classes_of(data->labels, all_rows(*data))));
}

CorpusParts take_apart(const Corpus& corpus, const Split& split) {
  const Corpus like{.data = {},
                    .source = corpus.source,
                    .format = corpus.format,
                    .target = corpus.target,
                    .columns = corpus.columns,
                    .zero_based = corpus.zero_based,
                    .remarks = corpus.remarks};
  CorpusParts parts{like, like};
  if (const auto* rows = std::get_if<Dataset>(&corpus.data)) {
    SplitData data = fenchel::take_apart(*rows, split);
    parts.train.data = std::move(data.train);
    parts.held_out.data = std::move(data.held_out);
  } else {
    const auto& sentences = *std::get<std::shared_ptr<const TaggerData>>(corpus.data);
    parts.train.data = std::make_shared<const TaggerData>(select_sentences(sentences, split.train));
    parts.held_out.data = std::make_shared<const TaggerData>(select_sentences(sentences, split.held_out));
  }
  return parts;
}

std::optional<Corpus> split_validation(Corpus& corpus, const std::string& valid, const DataFlags& flags,
                                       const TaggerFlags& tagger, const FitOptions& options) {
  if (valid.empty()) return std::nullopt;
  if (std::filesystem::exists(valid)) return read_corpus_like(corpus, valid, flags, tagger);
  const Split split = split_share(corpus, parse_share(valid), options.seed);
  warn_of_unseen_classes(corpus, {split}, "--valid " + valid, options.task);
  CorpusParts parts = take_apart(corpus, split);
  corpus = std::move(parts.train);
  return std::move(parts.held_out);
}

}  // namespace fenchel::cli
