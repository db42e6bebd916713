// SPDX-License-Identifier: Apache-2.0
// How a tagger's training data is laid out for evaluation. State weights are of three kinds:
//   rows     of attributes with many labels: a padded row over all labels, for vectors;
//   singles  of attributes with few labels: each weight by itself, with its label at the token;
//   own      of attributes that occur at one token only: read and written where they are, by whoever has the
//            token.
// Rows and singles are copied for every evaluation, and each part of the sentences has a gradient of its own
// for them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "fenchel/models/attributes.hpp"
#include "kernels/chain_tagging.hpp"

namespace fenchel {

/// Lists of tokens: token t has entries[offsets[t]] … entries[offsets[t + 1] − 1], with values alike.
template <class T>
struct EntriesByToken {
  std::vector<std::int64_t> offsets{0};
  std::vector<T> entries;
  std::vector<float> values;  // empty where all are 1

  void close() { offsets.push_back(static_cast<std::int64_t>(entries.size())); }
};

/// The layout.
struct ChainPlan {
  std::size_t width;
  EntriesByToken<std::uint32_t> rows;
  EntriesByToken<kernels::SingleFeature> singles;
  EntriesByToken<std::int32_t> own;           // attributes
  std::vector<std::int32_t> row_attributes;   // of each row
  std::vector<std::uint32_t> single_weights;  // the place among the parameters of each single
  std::vector<std::size_t> parts;             // part p has the sentences parts[p] … parts[p + 1] − 1

  ChainPlan(const TaggerData& data, const TaggerFeatures& features)
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

  std::size_t part_count() const { return parts.size() - 1; }
  kernels::TokenFeatures token_features() const {
    return {width, rows.offsets, rows.entries, rows.values, singles.offsets, singles.entries, singles.values};
  }

 private:
  void place_attributes(const TaggerData& data, const TaggerFeatures& features) {
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

  void divide(const TaggerData& data) {
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

  /// An attribute with this share of the labels gets a row: a vector adds four labels in the time of one
  /// single.
  static constexpr std::size_t row_share = 4;
  /// Gradients of parts may hold that many entries for each attribute of the data.
  static constexpr std::size_t entries_an_attribute = 4;
  static constexpr std::size_t most_parts = 16;
  static constexpr std::int64_t own_place = -1;

  static std::size_t state_count(const TaggerFeatures& features, std::size_t attribute) {
    return features.state_begin(attribute + 1) - features.state_begin(attribute);
  }

  std::vector<std::int64_t> place_;  // of each attribute: row, or −2 − first single, or −1 for its own
};

}  // namespace fenchel
