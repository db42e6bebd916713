// SPDX-License-Identifier: Apache-2.0
// How a tagger's training data is laid out for evaluation. State weights are of three kinds:
//   rows     of attributes with many labels: a padded row over all labels, for vectors;
//   singles  of attributes with few labels: each weight by itself, with its label at the token;
//   own      of attributes that occur at one token only: read and written where they are, by whoever has the
//            token.
// Rows and singles are copied for every evaluation, and each part of the sentences has a gradient of its own
// for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fenchel/kernels/chain_tagging.hpp"
#include "fenchel/models/attributes.hpp"

namespace fenchel {

/// Lists of tokens: token t has entries[offsets[t]] … entries[offsets[t + 1] − 1], with values alike.
template <class T>
struct TokenLists {
  std::vector<std::int64_t> offsets{0};
  std::vector<T> entries;
  std::vector<float> values;  // empty where all are 1

  void close() { offsets.push_back(static_cast<std::int64_t>(entries.size())); }
};

/// The layout.
struct ChainPlan {
  std::size_t width;
  TokenLists<std::uint32_t> rows;
  TokenLists<kernels::SingleFeature> singles;
  TokenLists<std::int32_t> own;               // attributes
  std::vector<std::int32_t> row_attributes;   // of each row
  std::vector<std::uint32_t> single_weights;  // the place among the parameters of each single
  std::vector<std::size_t> parts;             // part p has the sentences parts[p] … parts[p + 1] − 1

  ChainPlan(const TaggerData& data, const TaggerFeatures& features);

  std::size_t part_count() const { return parts.size() - 1; }
  kernels::TokenFeatures token_features() const {
    return {width, rows.offsets, rows.entries, rows.values, singles.offsets, singles.entries, singles.values};
  }

 private:
  void place_attributes(const TaggerData& data, const TaggerFeatures& features);
  void divide(const TaggerData& data);

  std::vector<std::int64_t> place_;  // of each attribute: row, or −2 − first single, or −1 for its own
};

}  // namespace fenchel
