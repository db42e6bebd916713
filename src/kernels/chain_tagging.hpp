// SPDX-License-Identifier: Apache-2.0
// The compiled SIMD kernels behind taggers: many linear chains that share their transitions, with scores of
// states that are sums of sparse features,
//     θ_t(i) = Σ_{features (a, i) at token t} x_{t,a} w_{a,i}.
// Rows over the m labels are padded to whole vectors (`tagging_width`), and what all chains share (the
// exponentials of the transitions) is made once. The domain is the scaled linear one of kernels/chain.hpp,
// with the same limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fenchel/core/workspace.hpp"

namespace fenchel::kernels {

/// m rounded up to whole vectors of the instruction set in use.
std::size_t tagging_width(std::size_t m);

/// The weight of one label.
struct SingleFeature {
  std::uint32_t feature;
  std::uint32_t label;
};

/// The features of tokens: rows with a weight for every label, and single weights. Token t has
/// rows[row_offsets[t]] … rows[row_offsets[t + 1] − 1], and likewise for singles. Values are x; empty: all 1.
struct TokenFeatures {
  std::size_t width;
  std::span<const std::int64_t> row_offsets;
  std::span<const std::uint32_t> rows;
  std::span<const float> row_values;
  std::span<const std::int64_t> single_offsets;
  std::span<const SingleFeature> singles;
  std::span<const float> single_values;
};

/// Tokens first, …, first + count − 1.
struct TokenRange {
  std::size_t first;
  std::size_t count;
};

/// θ of some tokens, [count, width], from `row_weights` [rows, width] and `single_weights`. The padding of θ
/// is the sum of that of the rows.
void token_scores(const TokenFeatures& features, TokenRange tokens, std::span<const double> row_weights,
                  std::span<const double> single_weights, std::span<double> theta);

/// The transpose: adds x_{t,a} r_t(i) to the gradients, for r [count, width].
void add_token_gradients(const TokenFeatures& features, TokenRange tokens, std::span<const double> r,
                         std::span<double> row_gradient, std::span<double> single_gradient);

/// Transition scores made ready for many chains: E(j, i) = exp(T(j, i) − shift), its transpose, and T itself,
/// all [m, width].
struct TaggingEdges {
  explicit TaggingEdges(std::size_t labels)
      : m(labels), width(tagging_width(m)), forward(m * width), backward(m * width), scores(m * width) {}

  std::size_t m;
  std::size_t width;
  double shift = 0;
  double spread = 0;  ///< of the finite T; θ_t may take the rest of `chain_spread`
  std::vector<double> forward, backward, scores;
};

/// Fills `edges` for transitions [m, m] (previous label first).
void prepare_edges(std::span<const double> transitions, TaggingEdges& edges);

/// log Z of one chain. Its scores θ [n, width] become the marginals of the states; Σ_t α_{t−1} f_tᵀ is added
/// to `counts` [m, width], which E ∘ counts turns into expected numbers of transitions. nullopt: the linear
/// domain does not suffice; `counts` is then unchanged, and θ is lost.
std::optional<double> tagging_marginals(const TaggingEdges& edges, std::span<double> theta,
                                        std::span<double> counts, Workspace& scratch);

/// The best sequence of labels and its score (Viterbi); among equals the one with the lowest last label, and
/// so on backwards.
double tagging_best(const TaggingEdges& edges, std::span<const double> theta, std::span<std::int32_t> tags,
                    Workspace& scratch);

/// The score of a sequence of labels, for θ [n, width].
inline double sequence_score(const TaggingEdges& edges, std::span<const double> theta,
                             std::span<const std::int32_t> labels) {
  double score = 0;
  for (std::size_t t = 0; t < labels.size(); ++t) {
    const auto label = static_cast<std::size_t>(labels[t]);
    score += theta[t * edges.width + label];
    if (t > 0) score += edges.scores[static_cast<std::size_t>(labels[t - 1]) * edges.width + label];
  }
  return score;
}

}  // namespace fenchel::kernels
