// SPDX-License-Identifier: Apache-2.0
#include "support/corpus_splits.hpp"

#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "fenchel/models/tagger_corpus.hpp"
#include "support/read_corpus.hpp"

namespace fenchel::cli {

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
                                       const TaggerFlags& tagger, std::uint64_t seed) {
  if (valid.empty()) return std::nullopt;
  if (std::filesystem::exists(valid)) return read_corpus_like(corpus, valid, flags, tagger);
  CorpusParts parts = take_apart(corpus, split_share(corpus, parse_share(valid), seed));
  corpus = std::move(parts.train);
  return std::move(parts.held_out);
}

}  // namespace fenchel::cli
