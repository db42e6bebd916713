// SPDX-License-Identifier: Apache-2.0
// Against SciPy (kendalltau, spearmanr) and scikit-learn (ndcg_score of gains 2^rel − 1), and against the
// definitions over all pairs.
#include "fenchel/metrics/ranking.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fenchel/core/random.hpp"

namespace fenchel::test {
namespace {

using Vector = std::vector<double>;
const Vector relevance{3, 1, 2, 2, 0, 1, 3, 0, 2};
const Vector scores{.9, .2, .5, .7, .1, .2, .4, .3, .3};

// τ_b from its definition.
double tau_by_pairs(const Vector& a, const Vector& b) {
  double agreement = 0, in_a = 0, in_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double x = (a[i] > a[j]) - (a[i] < a[j]), y = (b[i] > b[j]) - (b[i] < b[j]);
      agreement += x * y;
      in_a += x * x;
      in_b += y * y;
    }
  }
  return agreement / std::sqrt(in_a * in_b);
}

TEST(KendallTau, AgainstSciPy) {
  EXPECT_NEAR(*metrics::kendall_tau(relevance, scores), 0.6575355056394069, 1e-14);
  EXPECT_NEAR(*metrics::spearman(relevance, scores), 0.7837333973348941, 1e-14);
}

TEST(KendallTau, AgainstAllPairs) {
  Random random(3);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::size_t n = 3 + random.below(20);
    Vector a(n), b(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = static_cast<double>(random.below(5));
      b[i] = repeat % 2 == 0 ? static_cast<double>(random.below(6)) : random.normal();
    }
    a[0] = 0;
    a[1] = b[0] = 1;
    b[1] = 2;
    EXPECT_NEAR(*metrics::kendall_tau(a, b), tau_by_pairs(a, b), 1e-13);
  }
}

TEST(KendallTau, Extremes) {
  EXPECT_DOUBLE_EQ(*metrics::kendall_tau(Vector{1, 2, 3}, Vector{10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(*metrics::kendall_tau(Vector{1, 2, 3}, Vector{3, 2, 1}), -1);
  EXPECT_EQ(*metrics::kendall_tau(Vector{1, 2, 3}, Vector{5, 5, 5}), 0);
  EXPECT_EQ(*metrics::spearman(Vector{1, 2, 3}, Vector{5, 5, 5}), 0);
  EXPECT_FALSE(metrics::kendall_tau(Vector{1, 1}, Vector{1, 2}));
  EXPECT_FALSE(metrics::kendall_tau(Vector{1}, Vector{1}));
  EXPECT_FALSE(metrics::spearman(Vector{}, Vector{}));
}

TEST(Ndcg, AgainstScikitLearn) {
  EXPECT_NEAR(*metrics::ndcg(relevance, scores, 0), 0.9447198707767249, 1e-14);
  EXPECT_NEAR(*metrics::ndcg(relevance, scores, 3), 0.8046129061698147, 1e-14);
  EXPECT_NEAR(*metrics::ndcg(relevance, scores, 5), 0.910125360690869, 1e-14);
  EXPECT_DOUBLE_EQ(*metrics::ndcg(relevance, relevance, 4), 1);
  EXPECT_FALSE(metrics::ndcg(Vector{0, 0}, Vector{1, 2}, 10));
}

TEST(Ndcg, ByHand) {
  // The relevant document is second of two: 1/log₂3 of the best.
  EXPECT_DOUBLE_EQ(*metrics::ndcg(Vector{1, 0}, Vector{0, 1}, 10), 1 / std::log2(3.0));
  // Tied: the mean of both orders.
  EXPECT_DOUBLE_EQ(*metrics::ndcg(Vector{1, 0}, Vector{1, 1}, 10), (1 + 1 / std::log2(3.0)) / 2);
  EXPECT_DOUBLE_EQ(*metrics::ndcg(Vector{1, 0}, Vector{1, 1}, 1), 0.5);
}

TEST(Means, LeaveOutWhatHasNoValue) {
  const Vector truth{1, 0, 0, 0, 0, 2}, predicted{0, 1, 3, 4, 1, 5};
  const std::vector<std::int64_t> queries{0, 2, 4, 6};
  const auto ndcg = metrics::mean_ndcg(truth, predicted, queries, 10);
  EXPECT_DOUBLE_EQ(ndcg.mean, (1 / std::log2(3.0) + 1) / 2);
  EXPECT_EQ(ndcg.counted, 2u);
  EXPECT_EQ(ndcg.left_out, 1u);
  const auto tau = metrics::mean_kendall_tau(truth, predicted, queries);
  EXPECT_DOUBLE_EQ(tau.mean, 0);
  EXPECT_EQ(tau.left_out, 1u);
  EXPECT_DOUBLE_EQ(metrics::mean_spearman(truth, predicted, queries).mean, 0);
}

}  // namespace
}  // namespace fenchel::test
