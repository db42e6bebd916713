// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/tagger_corpus.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "data/number.hpp"
#include "data/target_cell.hpp"
#include "data/text_source.hpp"
#include "fenchel/core/check.hpp"

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

namespace {

// The last colon of each part is before its probability: names may have colons, but no commas.
std::vector<LabelShare> read_parts(std::string_view text, StringTable& names) {
  std::vector<LabelShare> parts;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, end);
    const std::size_t colon = part.rfind(':');
    double probability = 0;
    if (colon == 0 || colon == std::string_view::npos || !whole_number(part.substr(colon + 1), probability)) {
      throw std::invalid_argument(
          fmt::format("the label '{}' is not a distribution; expected a name, or names with their "
                      "probabilities such as NP:0.75,VP:0.25",
                      text));
    }
    parts.push_back({names.add(part.substr(0, colon)), probability});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return parts;
}

}  // namespace

TaggerData with_soft_labels(TaggerData data) {
  const StringTable texts = std::move(data.label_names);
  const std::vector<std::int32_t> read = std::move(data.labels);
  data.label_names = {};
  data.labels.clear();
  std::vector<std::vector<LabelShare>> parts(texts.size());
  std::vector<std::int32_t> certain(texts.size(), -1);
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const std::string_view text = texts[static_cast<std::int32_t>(k)];
    if (text.find(':') == std::string_view::npos || text.size() == 1) {
      certain[k] = data.label_names.add(text);
    } else {
      parts[k] = read_parts(text, data.label_names);
    }
  }
  for (const std::int32_t label : read) {
    check_label("labels", label, texts.size());
    const auto k = static_cast<std::size_t>(label);
    if (certain[k] >= 0) {
      data.add_label(certain[k]);
    } else {
      data.add_label(fmt::format("the label '{}'", texts[label]), parts[k]);
    }
  }
  return data;
}

std::vector<double> read_weights(const Paths& paths) {
  std::vector<double> weights;
  for (const std::string& path : paths.files()) {
    TextSource source(path);
    std::string_view line;
    while (source.next_line(line)) {
      double weight = 0;
      if (trimmed(line).empty()) continue;
      if (!whole_number(trimmed(line), weight))
        source.fail(line, line.data(), "not a number; expected a weight");
      weights.push_back(weight);
    }
  }
  return weights;
}

TaggerData select_sentences(const TaggerData& data, std::span<const std::size_t> sentences) {
  TaggerData result;
  result.attribute_names = data.attribute_names;
  result.label_names = data.label_names;
  result.templates = data.templates;
  result.clusters = data.clusters;
  result.source = data.source;
  if (!data.soft.empty()) result.soft.offsets.push_back(0);
  for (const std::size_t s : sentences) {
    if (!data.weights.empty()) result.weights.push_back(data.weights[s]);
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
      if (!data.soft.empty()) {
        data.for_each_label(t, [&](std::int32_t label, double probability) {
          result.soft.labels.push_back(label);
          result.soft.probabilities.push_back(probability);
        });
        result.soft.offsets.push_back(static_cast<std::int64_t>(result.soft.labels.size()));
      }
      result.offsets.push_back(static_cast<std::int64_t>(result.attributes.size()));
    }
    result.sentences.push_back(static_cast<std::int64_t>(result.tokens()));
  }
  return result;
}

}  // namespace fenchel
