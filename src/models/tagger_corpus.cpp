// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/tagger_corpus.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace fenchel {

TaggerData tagger_data(const TokenCorpus& corpus, const FeatureTemplates& templates, bool labelled) {
  const std::size_t columns = corpus.columns.size() - (labelled && !corpus.columns.empty() ? 1 : 0);
  if (corpus.tokens() > 0 && columns < std::max<std::size_t>(templates.columns(), 1)) {
    throw std::invalid_argument(fmt::format("tokens have {} columns{}; the templates read {}", columns,
                                            labelled ? " beside the label" : "", templates.columns()));
  }
  AttributeBuilder builder(templates);
  std::vector<std::string_view> cells;
  std::vector<std::string_view> labels;
  for (std::size_t s = 0; s < corpus.sentences(); ++s) {
    cells.clear();
    labels.clear();
    for (auto t = static_cast<std::size_t>(corpus.offsets[s]);
         t < static_cast<std::size_t>(corpus.offsets[s + 1]); ++t) {
      for (std::size_t c = 0; c < columns; ++c) cells.push_back(corpus.columns[c][t]);
      if (labelled) labels.push_back(corpus.columns[columns][t]);
    }
    builder.add({cells, columns}, labels);
  }
  return builder.take();
}

TaggerData tagger_data(AttributeCorpus corpus) {
  TaggerData result;
  result.sentences = std::move(corpus.offsets);
  result.offsets = std::move(corpus.item_offsets);
  result.attributes = std::move(corpus.attributes);
  result.values = std::move(corpus.values);
  result.labels = std::move(corpus.labels);
  result.attribute_names = std::move(corpus.attribute_names);
  result.label_names = std::move(corpus.label_names);
  return result;
}

TaggerData select_sentences(const TaggerData& data, std::span<const std::size_t> sentences) {
  TaggerData result;
  result.attribute_names = data.attribute_names;
  result.label_names = data.label_names;
  result.templates = data.templates;
  result.source = data.source;
  for (const std::size_t s : sentences) {
    for (auto t = static_cast<std::size_t>(data.sentences[s]);
         t < static_cast<std::size_t>(data.sentences[s + 1]); ++t) {
      const auto first = data.offsets[t];
      const auto last = data.offsets[t + 1];
      result.attributes.insert(result.attributes.end(), data.attributes.begin() + first,
                               data.attributes.begin() + last);
      if (!data.values.empty()) {
        result.values.insert(result.values.end(), data.values.begin() + first, data.values.begin() + last);
      }
      if (!data.labels.empty()) result.labels.push_back(data.labels[t]);
      result.offsets.push_back(static_cast<std::int64_t>(result.attributes.size()));
    }
    result.sentences.push_back(static_cast<std::int64_t>(result.tokens()));
  }
  return result;
}

}  // namespace fenchel
