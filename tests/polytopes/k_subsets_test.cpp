// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/k_subsets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fenchel/polytopes/permutahedron.hpp"
#include "messages.hpp"
#include "polytopes/enumeration.hpp"
#include "polytopes/golden_sets.hpp"

namespace fenchel::test {
namespace {

using namespace enumeration;

Vertices subsets(std::size_t d, std::size_t k) {
  Numbers y(d);
  std::fill_n(y.end() - static_cast<std::ptrdiff_t>(k), k, 1.0);
  Vertices all;
  do all.push_back(y);
  while (std::next_permutation(y.begin(), y.end()));
  return all;
}

TEST(KSubsets, MatchesEnumeration) {
  for (const KSubsets& set : KSubsets::examples()) expect_everything(set, subsets(set.d, set.k));
  for (std::size_t k = 1; k <= 8; ++k) expect_everything(KSubsets{8, k}, subsets(8, k));
}

TEST(KSubsets, Masks) {
  const Numbers v{1, -2, 0.5, 3, 1, 0.25};
  for (const std::size_t k : {1UL, 2UL, 4UL}) {
    const KSubsets set{6, k};
    for (const Numbers& theta :
         {Numbers{1, masked, 0.5, masked, 1, -2}, Numbers{masked, 4, -1, 900, -900, 2}}) {
      expect_map(set, subsets(6, k), theta);
      expect_marginals(set, subsets(6, k), theta, v);
      expect_projection(set, subsets(6, k), theta);
      expect_kl_projection(set, subsets(6, k), theta);
      expect_k_best(set, subsets(6, k), theta);
      expect_samples(set, subsets(6, k), theta, k);
    }
  }
  const KSubsets set{4, 2};
  const Numbers none{masked, 1, masked, masked};
  Numbers out(4);
  expect_map(set, subsets(4, 2), none);
  expect_k_best(set, subsets(4, 2), none);
  EXPECT_EQ(set.marginals(none, out, thread_workspace()), masked);
  EXPECT_EQ(set.log_partition(none, thread_workspace()), masked);
  EXPECT_EQ(set.project(none, out, thread_workspace()).residual, -masked);
  EXPECT_EQ(set.project_kl(none, out, thread_workspace()).residual, -masked);
}

TEST(KSubsets, Samples) {
  Random random(2);
  for (const std::size_t k : {1UL, 2UL, 5UL, 6UL}) {
    for (const double scale : {0.0, 1.0, 3.0}) {
      expect_samples(KSubsets{6, k}, subsets(6, k), random_scores(random, 6, scale), k);
    }
  }
}

// All scores equal: every marginal is k/d and Z counts the subsets, also where that number is beyond doubles.
TEST(KSubsets, CountsSubsets) {
  for (const auto& [d, k] : {std::pair{2000UL, 700UL}, std::pair{2000UL, 1500UL}, std::pair{50UL, 49UL}}) {
    Numbers mu(d);
    const double shift = 3.5;
    const double log_z = KSubsets{d, k}.marginals(Numbers(d, shift), mu, thread_workspace());
    const auto n = static_cast<double>(d), m = static_cast<double>(k);
    const double expected = std::lgamma(n + 1) - std::lgamma(m + 1) - std::lgamma(n - m + 1) + m * shift;
    EXPECT_NEAR(log_z, expected, 1e-12 * expected);
    for (const double entry : mu) EXPECT_NEAR(entry, m / n, 1e-12);
  }
}

TEST(KSubsets, LargeMarginalsAreDerivatives) {
  Random random(5);
  for (const double scale : {0.5, 5.0, 100.0}) {
    const KSubsets set{300, 120};
    const Numbers theta = random_scores(random, 300, scale);
    const Numbers v = random_scores(random, 300, 1);
    Numbers mu(300), up(300), down(300), covariance(300);
    const double log_z = set.marginals(theta, mu, thread_workspace());
    EXPECT_NO_THROW(set.check_point("mu", mu));
    EXPECT_NEAR(set.log_partition(theta, thread_workspace()), log_z, 1e-12 * std::abs(log_z));
    set.marginals_jvp(theta, mu, v, covariance, thread_workspace());
    const double h = 1e-5;
    const double above = set.marginals(moved(theta, h, v), up, thread_workspace());
    const double below = set.marginals(moved(theta, -h, v), down, thread_workspace());
    EXPECT_NEAR((above - below) / (2 * h), product(mu, v), 1e-5 * (1 + scale));
    for (std::size_t i = 0; i < 300; ++i) EXPECT_NEAR(covariance[i], (up[i] - down[i]) / (2 * h), 1e-7);
  }
}

// The same polytope as a permutahedron, by other algorithms.
TEST(KSubsets, LargeProjectionsAgreeWithThePermutahedron) {
  Random random(6);
  for (const std::size_t k : {1UL, 13UL, 250UL, 499UL, 500UL}) {
    const KSubsets set{500, k};
    Permutahedron same{Numbers(500)};
    std::fill_n(same.w.begin(), k, 1.0);
    for (const double scale : {0.01, 1.0, 5.0, 300.0}) {
      const Numbers theta = random_scores(random, 500, scale);
      expect_close(project(set, theta), project(same, theta), 1e-12, "Euclidean");
      expect_close(project_kl(set, theta), project_kl(same, theta), 1e-12, "Kullback-Leibler");
    }
  }
}

TEST(KSubsets, BadInput) {
  EXPECT_THAT(message_of([] {
                (KSubsets{3, 4}.check());
              }),
              testing::HasSubstr("k is 4; expected a number in 1..3"));
  EXPECT_THAT(message_of([] { (KSubsets{3, 0}.check()); }), testing::HasSubstr("k is 0"));
  EXPECT_THAT(message_of([] { (KSubsets{0, 0}.check()); }), testing::HasSubstr("d is 0"));
  EXPECT_THAT(message_of([] {
                (KSubsets{3, 2}.check_point("y", Numbers{1, 0, 0}));
              }),
              testing::HasSubstr("expected 2"));
}

TEST(KSubsets, GoldenValues) {
  int checked = 0;
  for (const GoldenSet& golden : golden_over("k_subsets")) {
    const KSubsets& set = *golden.set.get_if<KSubsets>();
    if (golden.op == "conjugate") {
      if (golden.omega != "marginal") continue;
      EXPECT_NEAR(set.log_partition(golden.theta, thread_workspace()), golden.expect[0], 1e-12) << golden.id;
      ++checked;
      continue;
    }
    Numbers mu(golden.theta.size());
    if (golden.omega == "sparsemap") mu = project(set, golden.theta);
    if (golden.omega == "marginal") set.marginals(golden.theta, mu, thread_workspace());
    if (golden.omega == "map") {
      Structure y;
      set.map(golden.theta, y, thread_workspace());
      mu = dense(y, golden.theta.size());
    }
    expect_close(mu, golden.expect, 1e-12, golden.id);
    ++checked;
  }
  EXPECT_GT(checked, 5);
}

}  // namespace
}  // namespace fenchel::test
