// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/projective_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "fenchel/core/numeric.hpp"
#include "messages.hpp"

namespace fenchel::test {
namespace {

using Vector = std::vector<double>;
using Heads = std::vector<int>;

constexpr double scales[] = {0.05, 1, 8, 1e3};

// By definition: every word reaches the root, no two arcs cross, the root stands before the first word.
bool is_projective_tree(const Heads& heads, bool single_root) {
  const int n = static_cast<int>(heads.size());
  for (int m = 0; m < n; ++m) {
    int word = m;
    for (int step = 0; step <= n && word >= 0; ++step) word = heads[static_cast<std::size_t>(word)];
    if (word >= 0) return false;
  }
  for (int m = 0; m < n; ++m) {
    for (int k = 0; k < n; ++k) {
      const auto [a, b] = std::minmax({heads[static_cast<std::size_t>(m)], m});
      const auto [c, d] = std::minmax({heads[static_cast<std::size_t>(k)], k});
      if (a < c && c < b && b < d) return false;
    }
  }
  return !single_root || std::ranges::count(heads, -1) == 1;
}

Structure tree_of(const Heads& heads) {
  const std::size_t n = heads.size();
  Structure y;
  for (std::size_t m = 0; m < n; ++m) {
    y.indices.push_back(
        static_cast<std::uint32_t>((heads[m] < 0 ? m : static_cast<std::size_t>(heads[m])) * n + m));
  }
  std::ranges::sort(y.indices);
  return y;
}

// Calls visit(heads) for every vector of heads, trees or not.
void every_head_vector(std::size_t n, const std::function<void(const Heads&)>& visit) {
  Heads heads(n, -1);
  while (true) {
    bool loops = false;
    for (std::size_t m = 0; m < n; ++m) loops = loops || heads[m] == static_cast<int>(m);
    if (!loops) visit(heads);
    std::size_t m = 0;
    while (m < n && ++heads[m] == static_cast<int>(n)) heads[m++] = -1;
    if (m == n) return;
  }
}

const std::vector<Structure>& every_tree(const ProjectiveTree& set) {
  static std::map<std::pair<std::size_t, bool>, std::vector<Structure>> cache;
  const auto inserted = cache.try_emplace({set.n, set.single_root});
  std::vector<Structure>& trees = inserted.first->second;
  if (inserted.second) {
    every_head_vector(set.n, [&](const Heads& heads) {
      if (is_projective_tree(heads, set.single_root)) trees.push_back(tree_of(heads));
    });
  }
  return trees;
}

struct Exact {
  double best = -infinity;
  double log_partition = -infinity;
  Vector probabilities;
  Vector mu;

  Exact(const ProjectiveTree& set, const Vector& theta) : mu(set.dimension()) {
    const auto& all = every_tree(set);
    for (const Structure& y : all) best = std::max(best, dot(y, theta));
    if (best == -infinity) return;
    double sum = 0;
    for (const Structure& y : all) sum += std::exp(dot(y, theta) - best);
    log_partition = best + std::log(sum);
    for (const Structure& y : all) {
      probabilities.push_back(std::exp(dot(y, theta) - best) / sum);
      add(y, probabilities.back(), mu);
    }
  }
};

// Cov[Y] v by definition.
Vector covariance_times(const ProjectiveTree& set, const Exact& exact, const Vector& v) {
  double mean = 0;
  for (std::size_t i = 0; i < v.size(); ++i) mean += exact.mu[i] * v[i];
  Vector out(v.size());
  const auto& all = every_tree(set);
  for (std::size_t i = 0; i < all.size(); ++i) {
    add(all[i], exact.probabilities[i] * (dot(all[i], v) - mean), out);
  }
  return out;
}

Vector random_scores(Random& random, std::size_t size, double scale, double masked = 0) {
  Vector theta(size);
  for (double& score : theta) score = random.uniform() < masked ? -infinity : scale * random.normal();
  return theta;
}

double largest_difference(const Vector& a, const Vector& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

std::vector<ProjectiveTree> sets(std::size_t largest) {
  std::vector<ProjectiveTree> all;
  for (std::size_t n = 1; n <= largest; ++n) {
    for (const bool single_root : {false, true}) all.push_back({n, single_root});
  }
  return all;
}

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

// A further word that only its left neighbour can govern changes nothing for the others. That it would be
// their best head by far, in trees that cannot be, takes the sums out of the plain range.
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
      // The same bits alone and in company.
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

TEST(ProjectiveTree, SampleFrequencies) {
  Random random(8);
  for (const double lure : {0.0, 3000.0}) {  // plain and logarithmic sums
    for (const bool single_root : {false, true}) {
      const ProjectiveTree set{4, single_root};
      Vector theta = random_scores(random, set.dimension(), 1, 0.1);
      // Words 0 and 1 would each like the other as head, which cannot be: the range grows, the odds do not.
      theta[1 * 4 + 0] += lure;
      theta[0 * 4 + 1] += lure;
      const Exact exact(set, theta);
      ASSERT_GT(exact.best, -infinity);
      constexpr std::size_t count = 20000;
      std::vector<Structure> draws(count);
      Workspace scratch;
      set.sample(theta, random, draws, scratch);
      const auto& all = every_tree(set);
      std::map<std::vector<std::uint32_t>, double> seen;
      for (const Structure& y : draws) seen[y.indices] += 1;
      double statistic = 0;
      double rest_expected = 0;
      double rest_seen = 0;
      double cells = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double expected = exact.probabilities[i] * count;
        const double observed = seen[all[i].indices];
        if (expected == 0) {
          EXPECT_EQ(observed, 0);
        } else if (expected < 8) {
          rest_expected += expected;
          rest_seen += observed;
        } else {
          statistic += (observed - expected) * (observed - expected) / expected;
          ++cells;
        }
      }
      if (rest_expected > 0) {
        statistic += (rest_seen - rest_expected) * (rest_seen - rest_expected) / rest_expected;
      }
      EXPECT_EQ(seen.size(), all.size());  // nothing but trees was drawn
      const boost::math::chi_squared distribution(std::max(1.0, cells));
      EXPECT_GT(boost::math::cdf(boost::math::complement(distribution, statistic)), 1e-4);
    }
  }
}

TEST(ProjectiveTree, KBest) {
  Random random(9);
  Workspace scratch;
  for (const ProjectiveTree& set : sets(4)) {
    for (const double scale : {0.0, 0.05, 1.0, 8.0, 1e3}) {
      for (const std::size_t k : {1, 4, 20, 60}) {
        const Vector theta = random_scores(random, set.dimension(), scale, scale == 8 ? 0.2 : 0);
        Vector scores;
        for (const Structure& y : every_tree(set)) {
          if (dot(y, theta) > -infinity) scores.push_back(dot(y, theta));
        }
        std::ranges::sort(scores, std::greater<>());
        std::vector<Structure> found;
        set.k_best(theta, k, found, scratch);
        ASSERT_EQ(found.size(), std::min(k, scores.size()));
        std::set<std::vector<std::uint32_t>> distinct;
        for (std::size_t i = 0; i < found.size(); ++i) {
          EXPECT_NEAR(dot(found[i], theta), scores[i], 1e-13 * (1 + std::abs(scores[i])));
          EXPECT_NE(std::ranges::find(every_tree(set), found[i]), every_tree(set).end());
          distinct.insert(found[i].indices);
        }
        EXPECT_EQ(distinct.size(), found.size());
      }
    }
  }
}

TEST(ProjectiveTree, HeadsAndStructures) {
  for (const ProjectiveTree& set : sets(5)) {
    std::size_t accepted = 0;
    every_head_vector(set.n, [&](const Heads& heads) {
      Structure y;
      const std::string message = message_of([&] { y = set.structure(heads); });
      EXPECT_EQ(message.empty(), is_projective_tree(heads, set.single_root)) << message;
      if (!message.empty()) return;
      ++accepted;
      EXPECT_EQ(y, tree_of(heads));
      EXPECT_EQ(set.heads(y), heads);
    });
    EXPECT_EQ(accepted, every_tree(set).size());
  }
}

TEST(ProjectiveTree, Messages) {
  using testing::HasSubstr;
  const ProjectiveTree set{3};
  auto refused = [&](const Heads& heads) { return message_of([&] { set.structure(heads); }); };
  EXPECT_THAT(refused({-1, 0}), HasSubstr("heads"));
  EXPECT_THAT(refused({-1, 5, 0}), HasSubstr("heads[1] is 5; expected another word in [0, 2], or -1"));
  EXPECT_THAT(refused({-1, 1, 0}), HasSubstr("heads[1] is 1"));
  EXPECT_THAT(refused({1, 0, -1}), HasSubstr("cycle"));
  EXPECT_THAT(refused({2, -1, -1}), HasSubstr("cross"));
  EXPECT_THAT(message_of([] {
                ProjectiveTree{2, true}.structure(Heads{-1, -1});
              }),
              HasSubstr("2 words under the root; expected 1"));
  EXPECT_THAT(message_of([&] { set.heads({{0, 1}, {}}); }), HasSubstr("word 2 no head"));
  EXPECT_THAT(message_of([&] { set.heads({{0, 3, 5}, {}}); }), HasSubstr("word 0 two heads"));
  EXPECT_THAT(message_of([&] { set.heads({{0, 1, 9}, {}}); }), HasSubstr("entry 9"));
  EXPECT_THAT(message_of([] { ProjectiveTree{0}.check(); }), HasSubstr("n is 0"));
  EXPECT_THAT(message_of([] { ProjectiveTree{70000}.check(); }), HasSubstr("n is 70000"));
  for (const ProjectiveTree& example : ProjectiveTree::examples()) EXPECT_NO_THROW(example.check());
}

TEST(ProjectiveTree, CheckPoint) {
  using testing::HasSubstr;
  const ProjectiveTree set{2, true};
  EXPECT_NO_THROW(set.check_point("mu", Vector{0.5, 0.5, 0.5, 0.5}));
  EXPECT_THAT(message_of([&] {
                set.check_point("mu", Vector{1, 0, 0, 1});
              }),
              HasSubstr("the diagonal of mu sums to 2; expected 1"));
  EXPECT_THAT(message_of([&] {
                set.check_point("mu", Vector{1, 0.5, 0, 0});
              }),
              HasSubstr("column 1 of mu sums to 0.5; expected 1"));
  EXPECT_THAT(message_of([&] { set.check_point("mu", Vector{2, 1, -1, 0}); }), HasSubstr("mu[0] is 2"));
}

// Scores whose sums overflow have no exact answer; the oracles still return.
TEST(ProjectiveTree, HugeScoresEnd) {
  Workspace scratch;
  Random random(10);
  for (const bool single_root : {false, true}) {
    const ProjectiveTree set{7, single_root};
    Vector theta(set.dimension());
    for (double& score : theta) score = random.uniform() < 0.5 ? 1e308 : -1e308;
    Structure y;
    set.map(theta, y, scratch);
    Vector mu(theta.size());
    set.marginals(theta, mu, scratch);
    std::vector<Structure> found;
    set.k_best(theta, 3, found, scratch);
    EXPECT_EQ(y.size(), set.n);
  }
}

}  // namespace
}  // namespace fenchel::test
