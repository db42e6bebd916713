// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/attributes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/checksum.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/option_error.hpp"
#include "losses/block.hpp"

namespace fenchel {
namespace {

void check_offsets(std::string_view name, std::span<const std::int64_t> offsets, std::size_t end) {
  if (offsets.empty() || offsets.front() != 0 || !std::ranges::is_sorted(offsets) ||
      offsets.back() != static_cast<std::int64_t>(end)) {
    throw std::invalid_argument(
        fmt::format("{} must increase from 0 to {}, one entry more than there are rows", name, end));
  }
}

void check_soft(const TaggerData& data) {
  const SoftLabels& soft = data.soft;
  check_size("soft.offsets", soft.offsets.size(), data.tokens() + 1);
  check_offsets("soft.offsets", soft.offsets, soft.labels.size());
  check_size("soft.probabilities", soft.probabilities.size(), soft.labels.size());
  check_size("labels", data.labels.size(), data.tokens());
  const auto names = static_cast<std::int32_t>(data.label_names.size());
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    const std::span probabilities = std::span(soft.probabilities).subspan(soft.begin(t), soft.count(t));
    check_point("soft.probabilities", probabilities, Domain::simplex, static_cast<std::ptrdiff_t>(t));
    for (std::size_t k = soft.begin(t); k < soft.begin(t + 1); ++k) {
      const bool increasing = k == soft.begin(t) || soft.labels[k] > soft.labels[k - 1];
      if (increasing && soft.labels[k] >= 0 && soft.labels[k] < names) continue;
      throw std::invalid_argument(
          fmt::format("soft.labels[{}] is {}; expected increasing numbers below {} for each token", k,
                      soft.labels[k], names));
    }
  }
}

}  // namespace

std::string fingerprint(const TaggerData& data) {
  Checksum sum;
  sum.add(data.sentences);
  sum.add(data.offsets);
  sum.add(data.attributes);
  sum.add(data.values);
  sum.add(data.labels);
  // Only where there are any, so that checkpoints without them stay what they were.
  if (!data.soft.empty()) {
    sum.add(data.soft.offsets);
    sum.add(data.soft.labels);
    sum.add(data.soft.probabilities);
  }
  if (!data.weights.empty()) sum.add(data.weights);
  return fmt::format("{} sentences, {} tokens, {:016x}", data.sentence_count(), data.tokens(), sum.value());
}

bool TaggerData::is_soft(std::size_t s) const {
  if (soft.empty()) return false;
  const auto first = static_cast<std::size_t>(sentences[s]);
  const auto last = static_cast<std::size_t>(sentences[s + 1]);
  return soft.begin(last) - soft.begin(first) > last - first;
}

void TaggerData::add_label(std::int32_t label) {
  labels.push_back(label);
  if (soft.empty()) return;
  soft.labels.push_back(label);
  soft.probabilities.push_back(1);
  soft.offsets.push_back(static_cast<std::int64_t>(soft.labels.size()));
}

void TaggerData::add_label(std::string_view name, std::vector<LabelShare> distribution) {
  std::ranges::stable_sort(distribution, {}, &LabelShare::label);
  std::vector<double> probabilities;
  std::size_t kept = 0;
  for (const LabelShare& share : distribution) {
    if (kept > 0 && distribution[kept - 1].label == share.label) {
      probabilities.back() += share.probability;
    } else {
      distribution[kept++] = share;
      probabilities.push_back(share.probability);
    }
  }
  check_point(name, probabilities, Domain::simplex);
  const double sum = sum_of(probabilities);  // 1 but for rounding
  if (soft.empty()) {                        // so far all labels were certain
    for (std::size_t t = 0; t <= labels.size(); ++t) soft.offsets.push_back(static_cast<std::int64_t>(t));
    soft.labels = labels;
    soft.probabilities.assign(labels.size(), 1.0);
  }
  std::size_t best = 0;
  for (std::size_t k = 0; k < kept; ++k) {
    if (probabilities[k] > probabilities[best]) best = k;
    if (!(probabilities[k] > 0)) continue;
    soft.labels.push_back(distribution[k].label);
    soft.probabilities.push_back(probabilities[k] / sum);
  }
  labels.push_back(distribution[best].label);
  soft.offsets.push_back(static_cast<std::int64_t>(soft.labels.size()));
}

void TaggerData::add_label(std::string_view name, std::span<const double> probabilities) {
  std::vector<LabelShare> distribution;
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    distribution.push_back({static_cast<std::int32_t>(k), probabilities[k]});
  }
  add_label(name, std::move(distribution));
}

void TaggerData::check() const {
  check_offsets("sentences", sentences, tokens());
  batch::check_weights(weights, sentence_count());
  if (!soft.empty()) check_soft(*this);
  check_offsets("offsets", offsets, attributes.size());
  if (!values.empty()) {
    check_size("values", values.size(), attributes.size());
    check_finite("values", std::span<const float>(values));
  }
  if (!labels.empty()) check_size("labels", labels.size(), tokens());
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    if (attributes[k] < 0 || static_cast<std::size_t>(attributes[k]) >= attribute_names.size()) {
      throw std::invalid_argument(fmt::format("attributes[{}] is {}; there are {} attributes", k,
                                              attributes[k], attribute_names.size()));
    }
  }
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (labels[t] < -1 || labels[t] >= static_cast<std::int32_t>(label_names.size())) {
      throw std::invalid_argument(
          fmt::format("labels[{}] is {}; there are {} labels", t, labels[t], label_names.size()));
    }
  }
}

void TaggerFeatures::check() const {
  if (labels == 0) throw std::invalid_argument("a tagger needs labels; there are none");
  if (!dense()) {
    check_size("offsets", offsets.size(), attributes + 1);
    check_offsets("offsets", offsets, states.size());
  }
  const auto m = static_cast<std::int32_t>(labels);
  for (const std::int32_t state : states) {
    if (state < 0 || state >= m)
      throw std::invalid_argument(fmt::format("a state weight has label {} of {}", state, m));
  }
  for (std::size_t k = 0; k < transitions.size(); ++k) {
    if (transitions[k] < 0 || transitions[k] >= m * m || (k > 0 && transitions[k] <= transitions[k - 1])) {
      throw std::invalid_argument(fmt::format("transitions[{}] is {}; expected increasing numbers below {}",
                                              k, transitions[k], m * m));
    }
  }
}

void TaggerFeatures::transition_scores(std::span<const double> parameters, std::span<double> scores) const {
  std::ranges::fill(scores, 0.0);
  const std::span<const double> weights = parameters.subspan(state_weights(), transitions.size());
  for (std::size_t k = 0; k < transitions.size(); ++k) {
    scores[static_cast<std::size_t>(transitions[k])] = weights[k];
  }
}

namespace {

/// offsets and states: the labels each attribute occurs with, for attributes that occur often enough.
void collect_states(const TaggerData& data, int min_count, TaggerFeatures& features) {
  const std::size_t count = features.attributes;
  // Occurrences by attribute (a counting sort of the tokens), then the distinct labels of each.
  std::vector<std::int64_t> tokens(count, 0);
  std::vector<std::int64_t> begin(count + 1, 0);
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    for (auto k = data.offsets[t]; k < data.offsets[t + 1]; ++k) {
      const auto a = static_cast<std::size_t>(data.attributes[static_cast<std::size_t>(k)]);
      ++tokens[a];
      data.for_each_label(t, [&](std::int32_t, double) { ++begin[a + 1]; });
    }
  }
  for (std::size_t a = 0; a < count; ++a) begin[a + 1] += begin[a];
  std::vector<std::int32_t> occurrence(static_cast<std::size_t>(begin[count]));
  std::vector<std::int64_t> at(begin.begin(), begin.end() - 1);
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    for (auto k = data.offsets[t]; k < data.offsets[t + 1]; ++k) {
      const auto a = static_cast<std::size_t>(data.attributes[static_cast<std::size_t>(k)]);
      data.for_each_label(
          t, [&](std::int32_t label, double) { occurrence[static_cast<std::size_t>(at[a]++)] = label; });
    }
  }
  features.offsets.assign(1, 0);
  features.offsets.reserve(count + 1);
  for (std::size_t a = 0; a < count; ++a) {
    const auto first = occurrence.begin() + begin[a];
    const auto last = occurrence.begin() + begin[a + 1];
    if (tokens[a] >= min_count) {
      std::sort(first, last);
      features.states.insert(features.states.end(), first, std::unique(first, last));
    }
    features.offsets.push_back(static_cast<std::int64_t>(features.states.size()));
  }
}

std::vector<std::int32_t> collect_transitions(const TaggerData& data, bool all) {
  const std::size_t m = data.label_names.size();
  std::vector<bool> seen(m * m, all);
  for (std::size_t s = 0; s < data.sentence_count(); ++s) {
    for (auto t = static_cast<std::size_t>(data.sentences[s]) + 1;
         t < static_cast<std::size_t>(data.sentences[s + 1]); ++t) {
      data.for_each_label(t - 1, [&](std::int32_t before, double) {
        data.for_each_label(t, [&](std::int32_t label, double) {
          seen[static_cast<std::size_t>(before) * m + static_cast<std::size_t>(label)] = true;
        });
      });
    }
  }
  std::vector<std::int32_t> out;
  for (std::size_t k = 0; k < m * m; ++k) {
    if (seen[k]) out.push_back(static_cast<std::int32_t>(k));
  }
  return out;
}

}  // namespace

TaggerFeatures tagger_features(const TaggerData& data, const TaggerFeatureOptions& options) {
  data.check();
  check_size("labels", data.labels.size(), data.tokens());
  constexpr std::size_t most_labels = 46340;  // m² fits 32 bits
  const std::size_t m = data.label_names.size();
  if (m > most_labels)
    throw std::invalid_argument(fmt::format("{} labels; at most {} are possible", m, most_labels));
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    if (data.labels[t] < 0)
      throw std::invalid_argument(fmt::format("labels[{}] is unknown; training needs it", t));
  }
  TaggerFeatures features;
  features.labels = m;
  features.attributes = data.attribute_names.size();
  features.boundary = options.boundary;
  if (!options.all_states || options.min_count > 1) collect_states(data, options.min_count, features);
  if (options.all_states && options.min_count > 1) {
    // Kept attributes get every label; the others none.
    TaggerFeatures all = features;
    all.states.clear();
    all.offsets.assign(1, 0);
    for (std::size_t a = 0; a < features.attributes; ++a) {
      if (features.offsets[a + 1] > features.offsets[a]) {
        for (std::size_t i = 0; i < m; ++i) all.states.push_back(static_cast<std::int32_t>(i));
      }
      all.offsets.push_back(static_cast<std::int64_t>(all.states.size()));
    }
    features = std::move(all);
  }
  if (features.attributes == 0)
    throw std::invalid_argument("tokens have no attributes; expected some to learn from");
  if (!options.all_states && features.states.empty()) {
    throw OptionError(
        fmt::format("`min_count` is {}; expected less: no attribute occurs that often", options.min_count));
  }
  features.transitions = collect_transitions(data, options.all_transitions);
  features.check();
  return features;
}

}  // namespace fenchel
