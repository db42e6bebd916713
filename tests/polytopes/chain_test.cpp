// SPDX-License-Identifier: Apache-2.0
// Chains with shared transitions against the enumeration of all sequences, and against Sequence.
#include "fenchel/polytopes/chain.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "polytopes/chain_reference.hpp"

namespace fenchel::test {
namespace {

TEST(Chain, MatchesEnumeration) { expect_examples<Chain>(); }

TEST(Chain, MatchesEnumerationForEveryRowLength) {
  Random random(3);
  for (std::size_t m = 1; m <= 13; ++m) {
    const Chain set{.n = 3, .m = m, .boundary = m % 2 == 0};
    expect_inference(set, random_numbers(random, set.dimension(), 2), 1e-13, "m=" + std::to_string(m));
    expect_inference(set, random_numbers(random, set.dimension(), 400), 1e-12, "m=" + std::to_string(m));
  }
}

TEST(Chain, DerivativesAreDifferences) {
  expect_derivatives(Chain{.n = 30, .m = 7}, 0.5);
  expect_derivatives(Chain{.n = 12, .m = 18, .boundary = true}, 1);
  expect_derivatives(Chain{.n = 6, .m = 3, .boundary = true}, 150);  // in the log domain
}

// The same scores as edges of their own at every step.
TEST(Chain, AgreesWithSequence) {
  Random random(6);
  const Chain set{.n = 20, .m = 9, .boundary = true};
  const std::size_t m = set.m;
  for (const double scale : {1.0, 100.0}) {
    const Numbers theta = random_numbers(random, set.dimension(), scale);
    const Sequence other{.n = set.n, .m = m};
    Numbers edges(other.dimension());
    for (std::size_t t = 0; t < set.n; ++t) {
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
          double score = theta[t * m + i];
          if (t > 0) score += theta[set.n * m + j * m + i];
          if (t == 0) score += theta[set.n * m + m * m + i];
          if (t + 1 == set.n) score += theta[set.n * m + m * m + m + i];
          edges[(t * m + i) * m + j] = score;
        }
      }
    }
    Numbers mu(set.dimension());
    Numbers edge_mu(other.dimension());
    const double log_z = set.marginals(theta, mu, thread_workspace());
    EXPECT_NEAR(other.marginals(edges, edge_mu, thread_workspace()), log_z, 1e-12 * std::abs(log_z));
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        double count = 0;
        for (std::size_t t = 1; t < set.n; ++t) count += edge_mu[(t * m + i) * m + j];
        EXPECT_NEAR(mu[set.n * m + j * m + i], count, 1e-11);
      }
    }
  }
}

TEST(Chain, SamplesFollowTheDistribution) {
  Random random(2);
  const Chain set{.n = 4, .m = 3, .boundary = true};
  expect_samples(set, random_numbers(random, set.dimension(), 1), 1);
  expect_samples(set, with_masks(random, random_numbers(random, set.dimension(), 1), 0.1), 2);
}

// The tags O, B, I with O → I forbidden: masks of transitions stay in the linear domain and still count
// exactly 0.
TEST(Chain, ForbiddenTransitions) {
  Random random(9);
  const Chain set{.n = 40, .m = 3};
  Numbers theta = random_numbers(random, set.dimension(), 1);
  theta[set.n * set.m + 2] = masked;
  Numbers mu(set.dimension());
  const double log_z = set.marginals(theta, mu, thread_workspace());
  EXPECT_TRUE(std::isfinite(log_z));
  EXPECT_EQ(mu[set.n * set.m + 2], 0);
  EXPECT_NO_THROW(set.check_point("mu", mu));
  theta[set.n * set.m + 2] = -1e3;  // as good as forbidden, but in the log domain
  Numbers limit(set.dimension());
  EXPECT_NEAR(set.marginals(theta, limit, thread_workspace()), log_z, 1e-12 * std::abs(log_z));
  EXPECT_LE(largest_difference(mu, limit), 1e-12);
}

TEST(Chain, Vertices) {
  const Chain set{.n = 4, .m = 2, .boundary = true};
  for (const Tags& tags : all_tags(set.n, set.m)) {
    const Structure y = set.structure(tags);
    Numbers vertex = vector_of(set, tags);
    EXPECT_EQ(dense(set, y), vertex);
    Structure same;
    assign(vertex, same);
    EXPECT_EQ(y, same);
    EXPECT_EQ(set.tags(y), tags);
    EXPECT_TRUE(set.is_vertex(vertex));
    EXPECT_NO_THROW(set.check_point("y", vertex));
    for (std::size_t k = 0; k < vertex.size(); ++k) {
      Numbers moved = vertex;
      moved[k] += 1;
      EXPECT_FALSE(set.is_vertex(moved)) << k;
      EXPECT_THROW(set.check_point("y", moved), std::invalid_argument) << k;
    }
  }
  Numbers middle(set.dimension());
  for (const Tags& tags : {Tags{0, 0, 1, 1}, Tags{1, 0, 0, 1}}) {
    const Numbers y = vector_of(set, tags);
    for (std::size_t k = 0; k < y.size(); ++k) middle[k] += y[k] / 2;
  }
  EXPECT_FALSE(set.is_vertex(middle));
  EXPECT_NO_THROW(set.check_point("mu", middle));
}

TEST(Chain, HammingCostCountsStates) {
  const Chain set{.n = 4, .m = 3, .boundary = true};
  const Tags tags{0, 2, 1, 1};
  const Numbers y = vector_of(set, tags);
  Numbers cost(set.dimension());
  set.hamming_cost(y, cost);
  for (const Tags& other : all_tags(set.n, set.m)) {
    const Numbers z = vector_of(set, other);
    double difference = 0;
    for (std::size_t k = 0; k < z.size(); ++k) difference += cost[k] * (z[k] - y[k]);
    int steps = 0;
    for (std::size_t t = 0; t < set.n; ++t) steps += tags[t] != other[t] ? 1 : 0;
    EXPECT_EQ(difference, 2 * steps);
  }
}

TEST(Chain, RefusesWhatIsNoSequence) {
  EXPECT_THROW((Chain{.n = 0, .m = 2}.check()), std::invalid_argument);
  EXPECT_THROW((Chain{.n = 2, .m = 0}.check()), std::invalid_argument);
  EXPECT_THROW((Chain{.n = 2, .m = 70000}.check()), std::invalid_argument);
  EXPECT_THROW((Chain{.n = ~std::size_t{0}, .m = 2, .boundary = true}.check()), std::invalid_argument);
  const Chain set{.n = 3, .m = 2};
  EXPECT_THROW(set.structure(Tags{0, 1}), std::invalid_argument);
  EXPECT_THROW(set.structure(Tags{0, 1, 2}), std::invalid_argument);
  Structure y = set.structure(Tags{0, 1, 1});
  y.indices.back() -= 1;
  EXPECT_THROW(set.tags(y), std::invalid_argument);
  y.indices.resize(2);
  EXPECT_THROW(set.tags(y), std::invalid_argument);
}

}  // namespace
}  // namespace fenchel::test
