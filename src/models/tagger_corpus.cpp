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
#include "fenchel/metrics/chunks.hpp"

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

TaggerData unlabelled_data(AttributeCorpus corpus) {
  AttributeCorpus moved;
  moved.offsets = corpus.offsets;
  moved.attribute_names = corpus.attribute_names;
  for (std::size_t t = 0; t < corpus.items(); ++t) {
    const auto first = static_cast<std::size_t>(corpus.item_offsets[t]);
    moved.attributes.push_back(moved.attribute_names.add(corpus.label_names[corpus.labels[t]]));
    if (!corpus.values.empty()) moved.values.push_back(1);
    for (std::size_t e = first; e < static_cast<std::size_t>(corpus.item_offsets[t + 1]); ++e) {
      moved.attributes.push_back(corpus.attributes[e]);
      if (!corpus.values.empty()) moved.values.push_back(corpus.values[e]);
    }
    moved.item_offsets.push_back(static_cast<std::int64_t>(moved.attributes.size()));
  }
  return tagger_data(std::move(moved));
}

namespace {

/// The label of the first token where no other has it, while those of the others mark chunks: that of a
/// header.
std::string_view label_of_header(const TokenColumn& labels) {
  if (labels.ids.size() < 3 || std::ranges::count(labels.ids, labels.ids.front()) > 1) return {};
  std::vector<std::string> others = labels.strings.strings();
  const std::string_view first = labels[0];
  std::erase(others, std::string(first));
  const bool alone =
      !metrics::are_chunk_labels(labels.strings.strings()) && metrics::are_chunk_labels(others);
  return alone ? first : std::string_view();
}

}  // namespace

std::vector<std::string> doubts_about_labels(const TokenCorpus& corpus) {
  constexpr std::size_t many_labels = 500;  // more than any tag set has; words have more
  std::vector<std::string> doubts;
  const std::size_t last = corpus.columns.size() - 1;
  const TokenColumn& labels = corpus.columns[last];
  const auto marked_of = [&](std::size_t c) {
    for (const std::string& label : corpus.columns[c].strings.strings()) {
      if (label != "O") return label;
    }
    return std::string("O");
  };
  const auto marks_chunks = [&](std::size_t c) {
    return metrics::are_chunk_labels(corpus.columns[c].strings.strings());
  };
  if (const std::string_view header = label_of_header(labels); !header.empty()) {
    doubts.push_back(
        fmt::format("the first line is read as a token with the label '{}', which no other has; if it names "
                    "the columns, take it away",
                    header));
  } else if (!marks_chunks(last)) {
    if (last > 0 && marks_chunks(0)) {
      throw std::invalid_argument(fmt::format(
          "the first column has labels of chunks, such as '{}', and the last one has words, such as '{}'; "
          "give `target`=1, or `target`={} if the last one is the label",
          marked_of(0), labels[0], last + 1));
    }
    for (std::size_t c = 1; c < last; ++c) {
      if (!marks_chunks(c)) continue;
      doubts.push_back(
          fmt::format("the last column is the label, though column {} has labels of chunks; give `target`={} "
                      "to learn those",
                      c + 1, c + 1));
      break;
    }
  }
  if (labels.strings.size() > many_labels) {
    doubts.push_back(fmt::format(
        "the last column has {} labels, as words have; give `target` if the label is another column",
        labels.strings.size()));
  }
  return doubts;
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
