// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/soft_rank.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/permutahedron.hpp"
#include "messages.hpp"

namespace fenchel::test {
namespace {

using Numbers = std::vector<double>;

Numbers rank(const Numbers& theta, const SoftSortOptions& options) {
  Numbers out(theta.size());
  soft_rank(theta, out, options);
  return out;
}

Numbers sort(const Numbers& theta, const SoftSortOptions& options) {
  Numbers out(theta.size());
  soft_sort(theta, out, options);
  return out;
}

std::vector<SoftSortOptions> every_option(const Numbers& strengths) {
  std::vector<SoftSortOptions> all;
  for (const double strength : strengths) {
    for (const bool kl : {false, true}) {
      for (const bool descending : {false, true}) all.push_back({strength, kl, descending});
    }
  }
  return all;
}

void expect_near(const Numbers& got, const Numbers& expected, double tolerance) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << i;
  }
}

// As the strength vanishes, ranks and sorting themselves.
TEST(SoftRank, HardLimits) {
  const Numbers theta{2.5, -1, 7, 0.5};
  for (const bool kl : {false, true}) {
    EXPECT_EQ(rank(theta, {1e-3, kl, false}), (Numbers{3, 1, 4, 2}));
    EXPECT_EQ(rank(theta, {1e-3, kl, true}), (Numbers{2, 4, 1, 3}));
    EXPECT_EQ(sort(theta, {1e-3, kl, false}), (Numbers{-1, 0.5, 2.5, 7}));
    EXPECT_EQ(sort(theta, {1e-3, kl, true}), (Numbers{7, 2.5, 0.5, -1}));
  }
}

// As it grows, the means: of the ranks, and of the values (their log-mean-exp for Kullback-Leibler).
TEST(SoftRank, SoftLimits) {
  const Numbers theta{2.5, -1, 7, 0.5};
  expect_near(rank(theta, {1e9, false, false}), Numbers(4, 2.5), 1e-8);
  expect_near(rank(theta, {1e9, true, true}), Numbers(4, 2.5), 1e-8);
  expect_near(sort(theta, {1e9, false, true}), Numbers(4, 2.25), 1e-8);
  double sum = 0;
  for (const double value : theta) sum += std::exp(-value) / 4;
  expect_near(sort(theta, {1e9, true, false}), Numbers(4, -std::log(sum)), 1e-8);
}

TEST(SoftRank, IsAProjection) {
  Random random(1);
  for (const std::size_t n : {1UL, 2UL, 7UL, 100UL}) {
    Numbers theta(n);
    for (double& value : theta) value = 5 * random.normal();
    const Permutahedron ranks = Permutahedron::ranking(n);
    for (const SoftSortOptions& options : every_option({0.01, 0.3, 2, 100})) {
      Numbers scores(n);
      for (std::size_t i = 0; i < n; ++i)
        scores[i] = (options.descending ? -1 : 1) * theta[i] / options.strength;
      Numbers expected(n);
      options.kl ? ranks.project_kl(scores, expected, thread_workspace())
                 : ranks.project(scores, expected, thread_workspace());
      expect_near(rank(theta, options), expected, 1e-13);

      Permutahedron values{theta};
      for (double& value : values.w) value *= options.descending ? 1 : -1;
      for (double& value : values.w) value = options.kl ? std::exp(value) : value;
      for (std::size_t i = 0; i < n; ++i) scores[i] = static_cast<double>(n - i) / options.strength;
      options.kl ? values.project_kl(scores, expected, thread_workspace())
                 : values.project(scores, expected, thread_workspace());
      for (double& value : expected) value = options.kl ? std::log(value) : value;
      for (double& value : expected) value *= options.descending ? 1 : -1;
      expect_near(sort(theta, options), expected, 1e-12);
    }
  }
}

// What fast-soft-sort gives for the same calls (its `l2` and `kl`).
TEST(SoftRank, AgreesWithFastSoftSort) {
  const Numbers theta{5, 1, 2, 2.5};
  expect_near(rank(theta, {0.7, false, false}), {4, 1, 2.142857142857143, 2.857142857142857}, 1e-14);
  expect_near(rank(theta, {2, false, false}), {3.6875, 1.6875, 2.1875, 2.4375}, 1e-14);
  expect_near(rank(theta, {2, false, true}), {1.3125, 3.3125, 2.8125, 2.5625}, 1e-14);
  expect_near(rank(theta, {2, true, false}), {4, 1.2589909560957893, 2.075725168934219, 2.665283874969993},
              1e-14);
  expect_near(rank(theta, {2, true, true}), {1, 4, 2.8108825044289905, 2.1891174955710095}, 1e-14);
  expect_near(sort(theta, {0.7, false, false}), {1, 2, 3.035714285714286, 4.464285714285714}, 1e-14);
  expect_near(sort(theta, {2, false, true}), {3.375, 2.875, 2.375, 1.875}, 1e-14);
  expect_near(sort(theta, {0.7, true, false}), {1, 2, 2.635940183493356, 4.064511612064784}, 1e-14);
  expect_near(sort(theta, {0.7, true, true}), {4.863754555724623, 3.435183127153194, 2.0066116985817657, 1},
              1e-14);
}

TEST(SoftRank, VectorJacobianProducts) {
  Random random(2);
  const double h = 1e-6;
  for (const std::size_t n : {1UL, 4UL, 12UL}) {
    for (const SoftSortOptions& options : every_option({0.2, 1, 5})) {
      Numbers theta(n);
      Numbers u(n);
      for (double& value : theta) value = 3 * random.normal();
      for (double& value : u) value = random.normal();
      Numbers ranked(n);
      Numbers sorted(n);
      soft_rank_vjp(theta, u, ranked, options);
      soft_sort_vjp(theta, u, sorted, options);
      for (std::size_t j = 0; j < n; ++j) {
        Numbers up = theta;
        Numbers down = theta;
        up[j] += h;
        down[j] -= h;
        const auto slope = [&](const auto& function) {
          const Numbers above = function(up, options);
          const Numbers below = function(down, options);
          double sum = 0;
          for (std::size_t i = 0; i < n; ++i) sum += u[i] * (above[i] - below[i]) / (2 * h);
          return sum;
        };
        EXPECT_NEAR(ranked[j], slope(rank), 1e-6 * (1 + std::abs(ranked[j])) / options.strength);
        EXPECT_NEAR(sorted[j], slope(sort), 1e-6 * (1 + std::abs(sorted[j])));
      }
    }
  }
}

// ⟨u, J v⟩ = ⟨Jᵀ u, v⟩ with Jᵀ u as checked above.
TEST(SoftRank, JacobianVectorProducts) {
  Random random(3);
  for (const std::size_t n : {0UL, 1UL, 4UL, 12UL}) {
    for (const SoftSortOptions& options : every_option({0.2, 1, 5})) {
      Numbers theta(n);
      Numbers u(n);
      Numbers v(n);
      for (double& value : theta) value = 3 * random.normal();
      for (double& value : u) value = random.normal();
      for (double& value : v) value = random.normal();
      Numbers forward(n);
      Numbers backward(n);
      soft_sort_jvp(theta, v, forward, options);
      soft_sort_vjp(theta, u, backward, options);
      const double along = std::inner_product(u.begin(), u.end(), forward.begin(), 0.0);
      EXPECT_NEAR(along, std::inner_product(v.begin(), v.end(), backward.begin(), 0.0), 1e-12);
    }
  }
}

// Values whose exponentials are far out of range.
TEST(SoftRank, LargeValues) {
  const Numbers theta{1e6, -1e6, 2e6};
  const Numbers pooled = sort(theta, {1, true, true});
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(pooled[i], 2e6 - static_cast<double>(i) - std::log1p(std::exp(-1) + std::exp(-2)), 1e-9);
  EXPECT_EQ(sort(theta, {1e-7, true, true}), (Numbers{2e6, 1e6, -1e6}));
  EXPECT_EQ(rank(theta, {1, true, false}), (Numbers{2, 1, 3}));
  Numbers out(3);
  soft_sort_vjp(theta, Numbers{1, 2, 3}, out, {1e-7, true, true});
  EXPECT_EQ(out, (Numbers{2, 3, 1}));
}

TEST(SoftRank, BadInput) {
  EXPECT_THAT(message_of([] {
                rank({1, 2}, {.strength = 0});
              }),
              testing::HasSubstr("strength is 0; expected a number >= 1e-300"));
  EXPECT_THAT(message_of([] { sort({1, std::nan("")}, {}); }), testing::HasSubstr("theta[1] is nan"));
  Numbers out(1);
  EXPECT_THAT(message_of([&] {
                soft_rank(Numbers{1, 2}, out);
              }),
              testing::HasSubstr("out has 1 entry; expected 2"));
  EXPECT_TRUE(rank({}, {}).empty());
}

// Other generators: ranks of which Σ is right, between those of their neighbours α, with exact derivatives.
TEST(SoftRank, OtherGenerators) {
  Random random(21);
  Numbers theta(7), u(7), product(7);
  for (double& entry : theta) entry = 3 * random.normal();
  for (double& entry : u) entry = random.normal();
  for (const std::string_view name : {"tsallis:alpha=0.5", "tsallis:alpha=1.5", "tsallis:alpha=3", "burg"}) {
    for (const bool descending : {false, true}) {
      SoftSortOptions options = SoftSortOptions::named(name);
      options.strength = 0.8;
      options.descending = descending;
      const Numbers ranks = rank(theta, options);
      EXPECT_NEAR(std::accumulate(ranks.begin(), ranks.end(), 0.0), 28, 1e-12) << name;
      soft_rank_vjp(theta, u, product, options);
      constexpr double h = 1e-6;
      Numbers above = theta, below = theta;
      for (std::size_t i = 0; i < 7; ++i) above[i] += h * u[i], below[i] -= h * u[i];
      const Numbers high = rank(above, options), low = rank(below, options);
      for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(product[i], (high[i] - low[i]) / (2 * h), 1e-6) << name;
    }
  }
  expect_near(rank(theta, SoftSortOptions::named("tsallis:alpha=2")), rank(theta, {}), 1e-15);
  expect_near(rank(theta, SoftSortOptions::named("tsallis:alpha=1")), rank(theta, {.kl = true}), 1e-15);
}

TEST(SoftRank, GeneratorsThatDoNotSuit) {
  EXPECT_THAT(message_of([] { SoftSortOptions::named("l1"); }), testing::HasSubstr("regularization is 'l1'"));
  EXPECT_THAT(message_of([] {
                rank({1, 2}, SoftSortOptions::named("fermi_dirac"));
              }),
              testing::HasSubstr("ranks have entries from 1 to 2; fermi_dirac is finite on [0, 1] only"));
  EXPECT_THAT(message_of([] {
                sort({1, 2}, SoftSortOptions::named("burg"));
              }),
              testing::HasSubstr("expected l2 or kl"));
}

}  // namespace
}  // namespace fenchel::test
