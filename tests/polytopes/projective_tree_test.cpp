// SPDX-License-Identifier: Apache-2.0
// Projective trees: the best one and sums over all, against enumeration and on long sentences.
#include "fenchel/polytopes/projective_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "polytopes/projective_tree_reference.hpp"

namespace fenchel::test {
namespace {

using namespace projective;

constexpr double scales[] = {0.05, 1, 8, 1e3};

void expect_sums(const ProjectiveTree& set, const Vector& theta, Random& random) {
  Workspace scratch;
  const Exact exact(set, theta);
  Vector mu(set.dimension());
  const double size = 1 + std::abs(exact.best);
  const double log_partition = set.marginals(theta, mu, scratch);
  EXPECT_EQ(set.log_partition(theta, scratch), log_partition);
  if (exact.best == -infinity) {
    EXPECT_EQ(log_partition, -infinity);
    return;
  }
  EXPECT_NEAR(log_partition, exact.log_partition, 1e-14 * size);
  EXPECT_LT(largest_difference(mu, exact.mu), 1e-13);
  for (std::size_t i = 0; i < mu.size(); ++i) {
    if (theta[i] == -infinity) {
      EXPECT_EQ(mu[i], 0);
    }
  }
  const Vector v = random_scores(random, mu.size(), 1);
  Vector product(mu.size());
  set.marginals_jvp(theta, mu, v, product, scratch);
  EXPECT_LT(largest_difference(product, covariance_times(set, exact, v)), 1e-12);
}

TEST(ProjectiveTree, BestTree) {
  Random random(1);
  for (const ProjectiveTree& set : sets(6)) {
    for (const double scale : scales) {
      for (const double masked : {0.0, 0.4}) {
        Workspace scratch;
        const Vector theta = random_scores(random, set.dimension(), scale, masked);
        const Exact exact(set, theta);
        Structure y{{9, 9}, {0.5, 2}};
        const double score = set.map(theta, y, scratch);
        if (exact.best == -infinity) {
          EXPECT_EQ(score, -infinity);
          continue;
        }
        EXPECT_NEAR(score, exact.best, 1e-14 * (1 + std::abs(exact.best)));
        EXPECT_EQ(score, dot(y, theta));
        EXPECT_NE(std::ranges::find(every_tree(set), y), every_tree(set).end());
      }
    }
  }
}

TEST(ProjectiveTree, SumsOverAllTrees) {
  Random random(2);
  for (const ProjectiveTree& set : sets(6)) {
    for (const double scale : scales) {
      for (const double masked : {0.0, 0.4, 0.7}) {
        expect_sums(set, random_scores(random, set.dimension(), scale, masked), random);
      }
    }
    expect_sums(set, Vector(set.dimension(), 1e6), random);
    expect_sums(set, Vector(set.dimension(), -infinity), random);
  }
}

// Scores of ±500: the plain sums are far out of range, so that this is the logarithmic form's test.
TEST(ProjectiveTree, ExtremeSpreads) {
  Random random(3);
  for (const ProjectiveTree& set : sets(5)) {
    for (int seed = 0; seed < 4; ++seed) {
      Vector theta(set.dimension());
      for (double& score : theta) {
        score = 1e6 + 500 * (static_cast<double>(random.below(3)) - 1) + random.normal();
        if (random.uniform() < 0.2) score = -infinity;
      }
      Workspace scratch;
      const Exact exact(set, theta);
      Vector mu(theta.size());
      const double log_partition = set.marginals(theta, mu, scratch);
      if (exact.best == -infinity) {
        EXPECT_EQ(log_partition, -infinity);
        continue;
      }
      EXPECT_NEAR(log_partition / exact.log_partition, 1, 1e-14);
      EXPECT_LT(largest_difference(mu, exact.mu), 1e-9);  // the enumeration's own rounding at sums of 5e6
    }
  }
}

// The best arc into every word comes from the next one: the trees that are left score far below the column
// maxima.
TEST(ProjectiveTree, BestArcsFormCycles) {
  const ProjectiveTree set{4};
  Random random(4);
  Vector theta = random_scores(random, 16, 1);
  for (std::size_t m = 0; m < 4; ++m) theta[(m % 2 == 0 ? m + 1 : m - 1) * 4 + m] += 900;
  expect_sums(set, theta, random);
}

TEST(ProjectiveTree, NumberOfTrees) {
  Workspace scratch;
  double count = 1;  // binom(3n, n)/(2n + 1)
  for (std::size_t n = 1; n <= 400; ++n) {
    const auto k = static_cast<double>(n);
    if (n > 1) count += std::log(3 * (3 * k - 1) * (3 * k - 2) / (2 * k * (2 * k + 1)));
    if (n == 1) count = 0;
    if (n > 8 && n % 98 != 0 && n != 400) continue;
    const ProjectiveTree set{n};
    EXPECT_NEAR(set.log_partition(Vector(n * n), scratch), count, 1e-12 * (1 + count)) << n;
  }
  EXPECT_EQ(every_tree({3}).size(), 12U);
  EXPECT_EQ(every_tree({4}).size(), 55U);
  for (const ProjectiveTree& set : sets(6)) {
    EXPECT_NEAR(std::exp(set.log_partition(Vector(set.dimension()), scratch)),
                static_cast<double>(every_tree(set).size()), 1e-9);
  }
}

TEST(ProjectiveTree, LongSentences) {
  Workspace scratch;
  Random random(5);
  for (const double scale : {1.0, 500.0}) {
    for (const bool single_root : {false, true}) {
      const ProjectiveTree set{120, single_root};
      Vector theta = random_scores(random, set.dimension(), scale);
      Vector mu(theta.size());
      const double log_partition = set.marginals(theta, mu, scratch);
      for (std::size_t m = 0; m < set.n; ++m) {
        double sum = 0;
        for (std::size_t h = 0; h < set.n; ++h) sum += mu[h * set.n + m];
        EXPECT_NEAR(sum, 1, 1e-12);
      }
      Structure y;
      const double best = set.map(theta, y, scratch);
      EXPECT_EQ(set.structure(set.heads(y)), y);
      EXPECT_GE(log_partition, best - 1e-12 * best);
      // log Z changes by μ along every arc.
      const std::size_t arc = y.indices[50];
      const double step = 1e-3;
      theta[arc] += step;
      const double above = set.log_partition(theta, scratch);
      theta[arc] -= 2 * step;
      const double below = set.log_partition(theta, scratch);
      EXPECT_NEAR((above - below) / (2 * step), mu[arc], 1e-6);
    }
  }
}

// A further word that only its left neighbour can govern changes nothing for the others. It would be
// their best head by far, but in no tree, which takes the sums out of the plain range.
TEST(ProjectiveTree, PlainAndLogarithmicSumsAgree) {
  Workspace scratch;
  Random random(6);
  for (const bool single_root : {false, true}) {
    const ProjectiveTree small{30, single_root};
    const ProjectiveTree large{31, single_root};
    const Vector theta = random_scores(random, small.dimension(), 2);
    Vector wider(large.dimension(), -infinity);
    for (std::size_t i = 0; i < theta.size(); ++i) wider[i / 30 * 31 + i % 30] = theta[i];
    wider[29 * 31 + 30] = -1;
    wider[30 * 31 + 29] = 3000;
    Vector mu(small.dimension());
    Vector mu_wide(large.dimension());
    const double first = small.marginals(theta, mu, scratch);
    const double second = large.marginals(wider, mu_wide, scratch);
    EXPECT_NEAR(second, first - 1, 1e-11);
    double difference = 0;
    for (std::size_t h = 0; h < 30; ++h) {
      for (std::size_t m = 0; m < 30; ++m) {
        difference = std::max(difference, std::abs(mu[h * 30 + m] - mu_wide[h * 31 + m]));
      }
    }
    EXPECT_LT(difference, 1e-12);
    Vector v = random_scores(random, mu.size(), 1);
    Vector v_wide(mu_wide.size());
    for (std::size_t i = 0; i < v.size(); ++i) v_wide[i / 30 * 31 + i % 30] = v[i];
    Vector product(v.size());
    Vector product_wide(v_wide.size());
    small.marginals_jvp(theta, mu, v, product, scratch);
    large.marginals_jvp(wider, mu_wide, v_wide, product_wide, scratch);
    for (std::size_t i = 0; i < v.size(); ++i) {
      EXPECT_NEAR(product[i], product_wide[i / 30 * 31 + i % 30], 1e-11);
    }
  }
}

// Rows of a block: plain, out of the plain range, masked everywhere; a last group that is not full; long
// sentences.
TEST(ProjectiveTree, BlocksOfSentences) {
  Workspace scratch;
  Random random(11);
  for (const std::size_t n : {1, 2, 5, 13, 160}) {
    for (const bool single_root : {false, true}) {
      const ProjectiveTree set{n, single_root};
      constexpr std::size_t rows = 7;
      const std::size_t d = set.dimension();
      Vector theta = random_scores(random, rows * d, 2, 0.1);
      std::fill_n(theta.begin() + static_cast<std::ptrdiff_t>(d), d, -infinity);
      for (std::size_t i = 2 * d; i < 3 * d; ++i) theta[i] *= 500;
      for (std::size_t m = 0; m < n; ++m) theta[3 * d + m * n] = -infinity;  // a word without a head
      for (std::size_t i = 4 * d; i < 5 * d; ++i) theta[i] += 1e6;
      Vector mu(rows * d);
      Vector log_partitions(rows);
      set.marginals_block({theta.data(), rows, d}, {mu.data(), rows, d}, log_partitions, scratch);
      for (std::size_t i = 0; i < rows; ++i) {
        const auto row = std::span(theta).subspan(i * d, d);
        Vector expected(d);
        const double log_partition = set.marginals(row, expected, scratch);
        if (log_partition == -infinity) {
          EXPECT_EQ(log_partitions[i], -infinity);
          continue;
        }
        EXPECT_NEAR(log_partitions[i], log_partition, 1e-14 * (1 + std::abs(log_partition)));
        const auto found = std::span(mu).subspan(i * d, d);
        EXPECT_LT(largest_difference(Vector(found.begin(), found.end()), expected), 1e-13);
      }
      // The same bits alone and in a block.
      Vector alone(d);
      double log_partition = 0;
      set.marginals_block({theta.data() + 5 * d, 1, d}, {alone.data(), 1, d}, {&log_partition, 1}, scratch);
      EXPECT_EQ(log_partition, log_partitions[5]);
      if (log_partition > -infinity) {
        EXPECT_TRUE(std::ranges::equal(alone, std::span(mu).subspan(5 * d, d)));
      }
    }
  }
}

TEST(ProjectiveTree, DerivativesAreFiniteDifferences) {
  Workspace scratch;
  Random random(7);
  const double step = 1e-5;
  for (const ProjectiveTree set : {ProjectiveTree{9}, ProjectiveTree{9, true}}) {
    const Vector theta = random_scores(random, set.dimension(), 1);
    const Vector v = random_scores(random, set.dimension(), 1);
    Vector above = theta;
    Vector below = theta;
    for (std::size_t i = 0; i < v.size(); ++i) {
      above[i] += step * v[i];
      below[i] -= step * v[i];
    }
    Vector mu(v.size());
    Vector mu_above(v.size());
    Vector mu_below(v.size());
    Vector product(v.size());
    set.marginals(theta, mu, scratch);
    const double difference =
        set.marginals(above, mu_above, scratch) - set.marginals(below, mu_below, scratch);
    double slope = 0;
    for (std::size_t i = 0; i < v.size(); ++i) slope += mu[i] * v[i];
    EXPECT_NEAR(difference / (2 * step), slope, 1e-8);
    set.marginals_jvp(theta, mu, v, product, scratch);
    for (std::size_t i = 0; i < v.size(); ++i) {
      EXPECT_NEAR(product[i], (mu_above[i] - mu_below[i]) / (2 * step), 1e-8);
    }
  }
}

}  // namespace
}  // namespace fenchel::test
