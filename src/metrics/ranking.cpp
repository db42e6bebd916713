// SPDX-License-Identifier: Apache-2.0
#include "fenchel/metrics/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fenchel/core/check.hpp"

namespace fenchel::metrics {
namespace {

double pairs(std::size_t n) { return static_cast<double>(n) * (static_cast<double>(n) - 1) / 2; }

std::vector<std::size_t> sorted_order(std::span<const double> keys, bool descending) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return descending ? keys[a] > keys[b] : keys[a] < keys[b];
  });
  return order;
}

// Calls f(first, last) for each run of equal keys in an order.
template <class F>
void for_each_tie(std::span<const double> keys, std::span<const std::size_t> order, F f) {
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && keys[order[last]] == keys[order[first]]) ++last;
    f(first, last);
    first = last;
  }
}

double tied_pairs(std::span<const double> keys) {
  double ties = 0;
  for_each_tie(keys, sorted_order(keys, false),
               [&](std::size_t first, std::size_t last) { ties += pairs(last - first); });
  return ties;
}

// Sorts values and counts the pairs that were in strictly descending order (merge sort).
double sort_inversions(std::span<double> values, std::span<double> buffer) {
  if (values.size() < 2) return 0;
  const std::size_t half = values.size() / 2;
  double inversions = sort_inversions(values.first(half), buffer.first(half)) +
                      sort_inversions(values.subspan(half), buffer.subspan(half));
  std::size_t left = 0, right = half;
  for (double& out : buffer) {
    if (right == values.size() || (left < half && values[left] <= values[right])) {
      out = values[left++];
    } else {
      inversions += static_cast<double>(half - left);
      out = values[right++];
    }
  }
  std::ranges::copy(buffer, values.begin());
  return inversions;
}

bool orders_nothing(std::span<const double> truth) {
  return truth.size() < 2 ||
         std::ranges::all_of(truth, [&](double relevance) { return relevance == truth.front(); });
}

// Ranks from 1, ties at their mean.
std::vector<double> mean_ranks(std::span<const double> keys) {
  std::vector<double> ranks(keys.size());
  const auto order = sorted_order(keys, false);
  for_each_tie(keys, order, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      ranks[order[i]] = (static_cast<double>(first) + static_cast<double>(last) + 1) / 2;
    }
  });
  return ranks;
}

double gain(double relevance) { return std::exp2(relevance) - 1; }

double dcg(std::span<const double> relevance, std::span<const double> keys, std::size_t k) {
  const auto order = sorted_order(keys, true);
  double sum = 0;
  for_each_tie(keys, order, [&](std::size_t first, std::size_t last) {
    double gains = 0, discounts = 0;
    for (std::size_t i = first; i < last; ++i) {
      gains += gain(relevance[order[i]]);
      if (i < k) discounts += 1 / std::log2(static_cast<double>(i) + 2);
    }
    sum += gains / static_cast<double>(last - first) * discounts;
  });
  return sum;
}

template <class F>
MeanOf mean_over_queries(std::span<const double> truth, std::span<const double> scores,
                         std::span<const std::int64_t> queries, F metric) {
  check_size("scores", scores.size(), truth.size());
  MeanOf result;
  for (std::size_t q = 0; q + 1 < queries.size(); ++q) {
    const auto first = static_cast<std::size_t>(queries[q]);
    const auto count = static_cast<std::size_t>(queries[q + 1]) - first;
    if (const std::optional<double> value =
            metric(truth.subspan(first, count), scores.subspan(first, count))) {
      result.mean += *value;
      ++result.counted;
    } else {
      ++result.left_out;
    }
  }
  if (result.counted > 0) result.mean /= static_cast<double>(result.counted);
  return result;
}

}  // namespace

std::optional<double> kendall_tau(std::span<const double> truth, std::span<const double> scores) {
  check_size("scores", scores.size(), truth.size());
  if (orders_nothing(truth)) return std::nullopt;
  if (orders_nothing(scores)) return 0;
  // By scores, ties by truth: pairs in the wrong order are then the inversions of the truth.
  std::vector<std::size_t> order(truth.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return scores[a] < scores[b] || (scores[a] == scores[b] && truth[a] < truth[b]);
  });
  std::vector<double> sorted(truth.size()), buffer(truth.size());
  double both_tied = 0;
  std::size_t run = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted[i] = truth[order[i]];
    const bool same = i > 0 && sorted[i] == sorted[i - 1] && scores[order[i]] == scores[order[i - 1]];
    run = same ? run + 1 : 1;
    both_tied += static_cast<double>(run - 1);
  }
  const double all = pairs(truth.size());
  const double truth_ties = tied_pairs(truth), score_ties = tied_pairs(scores);
  const double discordant = sort_inversions(sorted, buffer);
  const double concordant = all - truth_ties - score_ties + both_tied - discordant;
  return (concordant - discordant) / std::sqrt(all - truth_ties) / std::sqrt(all - score_ties);
}

std::optional<double> spearman(std::span<const double> truth, std::span<const double> scores) {
  check_size("scores", scores.size(), truth.size());
  if (orders_nothing(truth)) return std::nullopt;
  if (orders_nothing(scores)) return 0;
  const auto a = mean_ranks(truth), b = mean_ranks(scores);
  const double middle = (static_cast<double>(truth.size()) + 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - middle) * (b[i] - middle);
    aa += (a[i] - middle) * (a[i] - middle);
    bb += (b[i] - middle) * (b[i] - middle);
  }
  return ab / std::sqrt(aa) / std::sqrt(bb);
}

std::optional<double> ndcg(std::span<const double> relevance, std::span<const double> scores, std::size_t k) {
  check_size("scores", scores.size(), relevance.size());
  if (std::ranges::all_of(relevance, [](double r) { return !(r > 0); })) return std::nullopt;
  const std::size_t places = k == 0 ? relevance.size() : k;
  return dcg(relevance, scores, places) / dcg(relevance, relevance, places);
}

MeanOf mean_kendall_tau(std::span<const double> truth, std::span<const double> scores,
                        std::span<const std::int64_t> queries) {
  return mean_over_queries(truth, scores, queries, kendall_tau);
}

MeanOf mean_spearman(std::span<const double> truth, std::span<const double> scores,
                     std::span<const std::int64_t> queries) {
  return mean_over_queries(truth, scores, queries, spearman);
}

MeanOf mean_ndcg(std::span<const double> relevance, std::span<const double> scores,
                 std::span<const std::int64_t> queries, std::size_t k) {
  return mean_over_queries(relevance, scores, queries, [k](auto r, auto s) { return ndcg(r, s, k); });
}

}  // namespace fenchel::metrics
