// SPDX-License-Identifier: Apache-2.0
#include "training/chain_plan.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace fenchel {
namespace {

/// An attribute with this share of the labels gets a row: a vector adds four labels in the time of one
/// single.
constexpr std::size_t row_share = 4;

/// Gradients of parts may hold so many entries for each attribute of the data.
constexpr std::size_t entries_an_attribute = 4;
constexpr std::size_t most_parts = 16;

constexpr std::int64_t own_place = -1;

std::size_t state_count(const TaggerFeatures& features, std::size_t attribute) {
  return features.state_begin(attribute + 1) - features.state_begin(attribute);
}

}  // namespace

ChainPlan::ChainPlan(const TaggerData& data, const TaggerFeatures& features)
    : width(kernels::tagging_width(features.labels)) {
  if (features.parameters() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("a tagger has at most 2^32 parameters");
  }
  place_attributes(data, features);
  const bool scaled = !data.values.empty();
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    for (auto k = static_cast<std::size_t>(data.offsets[t]);
         k < static_cast<std::size_t>(data.offsets[t + 1]); ++k) {
      const auto attribute = static_cast<std::size_t>(data.attributes[k]);
      const std::size_t begin = features.state_begin(attribute);
      const std::size_t count = state_count(features, attribute);
      if (count == 0) continue;
      const std::int64_t place = place_[attribute];
      if (place == own_place) {
        own.entries.push_back(data.attributes[k]);
        if (scaled) own.values.push_back(data.values[k]);
      } else if (place >= 0) {
        rows.entries.push_back(static_cast<std::uint32_t>(place));
        if (scaled) rows.values.push_back(data.values[k]);
      } else {
        for (std::size_t i = 0; i < count; ++i) {
          singles.entries.push_back({static_cast<std::uint32_t>(static_cast<std::size_t>(-2 - place) + i),
                                     static_cast<std::uint32_t>(features.label(begin + i))});
          if (scaled) singles.values.push_back(data.values[k]);
        }
      }
    }
    rows.close();
    singles.close();
    own.close();
  }
  place_ = {};
  divide(data);
}

void ChainPlan::place_attributes(const TaggerData& data, const TaggerFeatures& features) {
  std::vector<std::int32_t> occurrences(features.attributes, 0);
  for (const std::int32_t a : data.attributes) ++occurrences[static_cast<std::size_t>(a)];
  place_.assign(features.attributes, own_place);
  for (std::size_t a = 0; a < features.attributes; ++a) {
    const std::size_t count = state_count(features, a);
    if (count == 0 || occurrences[a] <= 1) continue;
    if (count * row_share >= features.labels) {
      place_[a] = static_cast<std::int64_t>(row_attributes.size());
      row_attributes.push_back(static_cast<std::int32_t>(a));
    } else {
      place_[a] = -2 - static_cast<std::int64_t>(single_weights.size());
      for (std::size_t i = 0; i < count; ++i) {
        single_weights.push_back(static_cast<std::uint32_t>(features.state_begin(a) + i));
      }
    }
  }
}

void ChainPlan::divide(const TaggerData& data) {
  const std::size_t copied = row_attributes.size() * width + single_weights.size() + width * width;
  const std::size_t allowed = entries_an_attribute * data.attributes.size() / copied;
  const std::size_t sentences = data.sentence_count();
  const std::size_t count =
      std::bit_floor(std::clamp<std::size_t>(std::min(allowed, sentences), 1, most_parts));
  // Equal numbers of tokens and attributes: what the time goes with.
  const auto work = [&](std::size_t s) {
    const auto t = static_cast<std::size_t>(data.sentences[s]);
    return static_cast<double>(data.offsets[t]) + 20 * static_cast<double>(t);
  };
  parts.assign(1, 0);
  for (std::size_t s = 0; s < sentences; ++s) {
    const double share = static_cast<double>(parts.size()) / static_cast<double>(count);
    if (parts.size() < count && work(s) >= share * work(sentences)) parts.push_back(s);
  }
  parts.resize(count, sentences);
  parts.push_back(sentences);
}

}  // namespace fenchel
