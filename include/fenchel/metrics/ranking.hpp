// SPDX-License-Identifier: Apache-2.0
// How well orders are predicted. `truth` are relevances or worths, `scores` the predictions: larger means
// earlier in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fenchel/core/views.hpp"

namespace fenchel::metrics {

/// Kendall's τ_b = (C − D)/√((N − T)(N − S)) over all N pairs: C in the same order in both, D in opposite
/// ones, T tied in the truth and S in the scores. Between −1 and 1. None where the truth orders nothing
/// (fewer than two items, or all equal); 0 where the scores are all equal. O(n log n).
std::optional<double> kendall_tau(std::span<const double> truth, std::span<const double> scores);

/// Spearman's ρ, the correlation of ranks, where ties share their mean rank. None and 0 as for kendall_tau.
std::optional<double> spearman(std::span<const double> truth, std::span<const double> scores);

/// DCG@k over the DCG@k of the best order, DCG@k = Σ_{i ≤ k} (2^rel − 1)/log₂(i + 1); k = 0 means all. Equal
/// scores share their places evenly (the mean over their orders). None where no document is relevant.
std::optional<double> ndcg(std::span<const double> relevance, std::span<const double> scores,
                           std::size_t k = 10);

/// The mean of a metric over queries (or rows) and how many had one: those where it has no value are left
/// out. 0 if none had.
struct MeanOf {
  double mean = 0;
  std::size_t counted = 0;
  std::size_t left_out = 0;
};
/// queries[q] … queries[q+1] − 1 are the entries of query q.
MeanOf mean_kendall_tau(std::span<const double> truth, std::span<const double> scores,
                        std::span<const std::int64_t> queries);
MeanOf mean_spearman(std::span<const double> truth, std::span<const double> scores,
                     std::span<const std::int64_t> queries);
MeanOf mean_ndcg(std::span<const double> relevance, std::span<const double> scores,
                 std::span<const std::int64_t> queries, std::size_t k = 10);

}  // namespace fenchel::metrics
