// SPDX-License-Identifier: Apache-2.0
// Small random tagging sets, and sums over all sequences of labels from the definition.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/models/attributes.hpp"

namespace fenchel::test {

struct RandomTagging {
  std::size_t sentences = 6;
  std::size_t labels = 3;
  std::size_t attributes = 7;
  bool values = false;
};

inline std::string numbered(std::string_view prefix, std::size_t number) {
  std::string name(prefix);
  name += std::to_string(number);
  return name;
}

/// Sentences of 0 to 4 tokens with 0 to 4 attributes each; some attributes occur once only.
inline TaggerData random_tagging(const RandomTagging& shape, std::uint64_t seed) {
  Random random(seed);
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random.uniform() * static_cast<double>(n));
  };
  TaggerData data;
  for (std::size_t i = 0; i < shape.labels; ++i) data.label_names.add(numbered("L", i));
  for (std::size_t a = 0; a < shape.attributes; ++a) data.attribute_names.add(numbered("a", a));
  for (std::size_t s = 0; s < shape.sentences; ++s) {
    const std::size_t tokens = s == 1 ? 0 : 1 + below(4);
    for (std::size_t t = 0; t < tokens; ++t) {
      const std::size_t count = below(5);
      for (std::size_t k = 0; k < count; ++k) {
        data.attributes.push_back(static_cast<std::int32_t>(below(shape.attributes)));
        if (shape.values) data.values.push_back(static_cast<float>(below(9)) / 4 - 1);
      }
      const auto own = data.attribute_names.add(numbered("own", data.tokens()));
      if (t % 2 == 0) {
        data.attributes.push_back(own);
        if (shape.values) data.values.push_back(0.5F);
      }
      data.offsets.push_back(static_cast<std::int64_t>(data.attributes.size()));
      data.labels.push_back(static_cast<std::int32_t>(below(shape.labels)));
    }
    data.sentences.push_back(static_cast<std::int64_t>(data.tokens()));
  }
  return data;
}

/// The score of a sequence of labels for sentence s, from the definition.
inline double sequence_score(const TaggerData& data, const TaggerFeatures& features,
                             std::span<const double> w, std::size_t s, std::span<const std::int32_t> labels) {
  const auto first = static_cast<std::size_t>(data.sentences[s]);
  double score = 0;
  for (std::size_t t = 0; t < labels.size(); ++t) {
    for (auto k = static_cast<std::size_t>(data.offsets[first + t]);
         k < static_cast<std::size_t>(data.offsets[first + t + 1]); ++k) {
      const auto a = static_cast<std::size_t>(data.attributes[k]);
      for (std::size_t f = features.state_begin(a); f < features.state_begin(a + 1); ++f) {
        if (features.label(f) != labels[t]) continue;
        score += w[f] * (data.values.empty() ? 1 : static_cast<double>(data.values[k]));
      }
    }
    for (std::size_t k = 0; t > 0 && k < features.transitions.size(); ++k) {
      if (features.transitions[k] == labels[t - 1] * static_cast<std::int32_t>(features.labels) + labels[t]) {
        score += w[features.state_weights() + k];
      }
    }
  }
  if (features.boundary && !labels.empty()) {
    score += w[features.boundary_begin() + static_cast<std::size_t>(labels.front())];
    score += w[features.boundary_begin() + features.labels + static_cast<std::size_t>(labels.back())];
  }
  return score;
}

/// All sequences of n labels out of m.
inline std::vector<std::vector<std::int32_t>> all_sequences(std::size_t n, std::size_t m) {
  std::vector<std::vector<std::int32_t>> out{{}};
  for (std::size_t t = 0; t < n; ++t) {
    std::vector<std::vector<std::int32_t>> longer;
    for (const auto& head : out) {
      for (std::size_t i = 0; i < m; ++i) {
        longer.push_back(head);
        longer.back().push_back(static_cast<std::int32_t>(i));
      }
    }
    out = std::move(longer);
  }
  return out;
}

inline std::span<const std::int32_t> labels_of(const TaggerData& data, std::size_t s) {
  const auto first = static_cast<std::size_t>(data.sentences[s]);
  return std::span(data.labels).subspan(first, static_cast<std::size_t>(data.sentences[s + 1]) - first);
}

inline std::vector<double> random_weights(std::size_t count, double scale, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> w(count);
  for (double& x : w) x = scale * (2 * random.uniform() - 1);
  return w;
}

}  // namespace fenchel::test
