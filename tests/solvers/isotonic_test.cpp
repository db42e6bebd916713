// SPDX-License-Identifier: Apache-2.0
#include "solvers/isotonic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fenchel/core/random.hpp"
#include "messages.hpp"

namespace fenchel::test {
namespace {

using Numbers = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

Numbers normal(Random& random, std::size_t n, double scale) {
  Numbers values(n);
  for (double& value : values) value = scale * random.normal();
  return values;
}

// The minimax formula, straight from the definition: v_i = min over j ≤ i of max over k ≥ i of the value of
// block j…k.
template <class Value>
Numbers minimax(std::size_t n, Value value) {
  std::vector<Numbers> values(n, Numbers(n));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = j; k < n; ++k) values[j][k] = value(j, k);
  }
  Numbers v(n, infinity);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      v[i] = std::min(v[i],
                      *std::max_element(values[j].begin() + static_cast<std::ptrdiff_t>(i), values[j].end()));
    }
  }
  return v;
}

Numbers expected_means(const Numbers& y, const Numbers& weights) {
  return minimax(y.size(), [&](std::size_t j, std::size_t k) {
    double sum = 0;
    double total = 0;
    for (std::size_t i = j; i <= k; ++i) {
      sum += weights[i] * y[i];
      total += weights[i];
    }
    return sum / total;
  });
}

double log_sum(const Numbers& x, std::size_t j, std::size_t k) {
  const double top = *std::max_element(x.begin() + static_cast<std::ptrdiff_t>(j),
                                       x.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  if (top == -infinity) return top;
  double sum = 0;
  for (std::size_t i = j; i <= k; ++i) sum += std::exp(x[i] - top);
  return top + std::log(sum);
}

void expect_near(const Numbers& got, const Numbers& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected[i]) continue;  // infinities
    ASSERT_NEAR(got[i], expected[i], tolerance) << "entry " << i << " of " << got.size();
  }
}

const std::vector<std::size_t> sizes{0, 1, 2, 3, 10, 63, 64, 67, 90};

TEST(Isotonic, RegressionIsTheMinimax) {
  Random random(1);
  for (const std::size_t n : sizes) {
    for (const double slope : {-1.0, -0.05, 0.0, 0.05, 1.0}) {
      Numbers y = normal(random, n, 1);
      for (std::size_t i = 0; i < n; ++i) y[i] += slope * static_cast<double>(i);
      Numbers v(n);
      isotonic_regression(y, v);
      expect_near(v, expected_means(y, Numbers(n, 1.0)), 1e-12 * (1 + static_cast<double>(n)));
    }
  }
}

TEST(Isotonic, WeightedRegression) {
  Random random(2);
  for (const std::size_t n : sizes) {
    const Numbers y = normal(random, n, 1);
    Numbers weights(n);
    for (double& weight : weights) weight = random.exponential() + 1e-3;
    Numbers v(n);
    isotonic_regression(y, v, weights);
    expect_near(v, expected_means(y, weights), 1e-12);
    isotonic_regression(y, v, Numbers(n, 2.5));
    expect_near(v, expected_means(y, Numbers(n, 1.0)), 1e-12);
  }
}

// For long sequences: v descends, is constant on blocks, which have the mean of y, and no prefix of a block
// has a larger mean than the block (else it should have been cut there).
TEST(Isotonic, LongRegression) {
  Random random(3);
  Workspace& scratch = thread_workspace();
  for (const std::size_t n : {1000UL, 1001UL, 99999UL}) {
    for (const double slope : {-0.3, -1e-4, 0.0, 1e-4, 0.3}) {
      Numbers y = normal(random, n, 1);
      for (std::size_t i = 0; i < n; ++i) y[i] += slope * static_cast<double>(i);
      Numbers v(n);
      std::vector<std::uint32_t> ends(n);
      const std::size_t count = isotonic_regression(y, v, ends, scratch);
      std::vector<std::uint32_t> alone(n);
      ASSERT_EQ(isotonic_blocks(y, {}, alone, scratch), count);
      EXPECT_TRUE(
          std::equal(alone.begin(), alone.begin() + static_cast<std::ptrdiff_t>(count), ends.begin()));
      ASSERT_EQ(ends[count - 1], n);
      std::size_t first = 0;
      for (std::size_t b = 0; b < count; ++b) {
        ASSERT_TRUE(b == 0 || v[first] <= v[first - 1]);
        double sum = 0;
        for (std::size_t i = first; i < ends[b]; ++i) {
          ASSERT_EQ(v[i], v[first]);
          sum += y[i] - v[i];
          ASSERT_LE(sum, 1e-9 * static_cast<double>(n)) << "the block should be cut after " << i;
        }
        ASSERT_NEAR(sum, 0, 1e-9 * static_cast<double>(n));
        first = ends[b];
      }
    }
  }
}

TEST(Isotonic, InPlaceAndInOrder) {
  Numbers y{5, 4, 4, 1};
  isotonic_regression(y, y);
  EXPECT_EQ(y, (Numbers{5, 4, 4, 1}));
  Numbers reversed{1, 2, 3};
  isotonic_regression(reversed, reversed);
  EXPECT_EQ(reversed, (Numbers{2, 2, 2}));
}

TEST(Isotonic, KlIsTheMinimax) {
  Random random(4);
  for (const std::size_t n : sizes) {
    for (const double scale : {0.1, 1.0, 300.0}) {
      const Numbers s = normal(random, n, scale);
      Numbers u = normal(random, n, scale);
      std::ranges::sort(u, std::greater<>());
      if (n > 5) std::fill(u.end() - 3, u.end(), -infinity);  // no weight at the end
      Numbers v(n);
      isotonic_kl(s, u, v);
      const Numbers expected =
          minimax(n, [&](std::size_t j, std::size_t k) { return log_sum(s, j, k) - log_sum(u, j, k); });
      expect_near(v, expected, 1e-12 * (1 + scale));
      Numbers weights(n);
      for (std::size_t i = 0; i < n; ++i) weights[i] = std::exp(u[i]);
      std::vector<std::uint32_t> ends(n);
      std::vector<std::uint32_t> same(n);
      const std::size_t count = isotonic_kl_blocks(s, weights, ends, thread_workspace());
      if (scale > 100) continue;  // the weights themselves are out of range
      EXPECT_EQ(isotonic_log_kl_blocks(s, u, same, thread_workspace()), count);
      EXPECT_TRUE(std::equal(same.begin(), same.begin() + static_cast<std::ptrdiff_t>(count), ends.begin()));
    }
  }
}

// Gaps of 1e5 are far beyond the exponential's range; the values are still differences of logarithms.
TEST(Isotonic, KlOfAnySpread) {
  Numbers v(3);
  // 0 + 1e6 after 1e5 − 0 ascends: log(e^{1e5} + 1) − log(1 + e^{−1e6}) for both.
  isotonic_kl(Numbers{1e5, 0, -3e6}, Numbers{0, -1e6, -1e6}, v);
  EXPECT_EQ(v, (Numbers{1e5, 1e5, -2e6}));
  isotonic_kl(Numbers{0, 1e5}, Numbers{0, 0}, std::span(v).first(2));
  EXPECT_NEAR(v[0], 1e5 - std::log(2), 1e-10);
  EXPECT_EQ(v[0], v[1]);
  isotonic_kl(Numbers{1e5, 0}, Numbers{0, 0}, std::span(v).first(2));
  EXPECT_EQ(v[0], 1e5);
  EXPECT_EQ(v[1], 0);
  isotonic_kl(Numbers{1, 2}, Numbers{-infinity, -infinity}, std::span(v).first(2));
  EXPECT_EQ(v[0], infinity);
  EXPECT_EQ(v[1], infinity);
}

TEST(Isotonic, BadInput) {
  Numbers v(2);
  EXPECT_THAT(message_of([&] { isotonic_regression(Numbers{1}, v); }),
              testing::HasSubstr("v has 2 entries; expected 1"));
  EXPECT_THAT(message_of([&] {
                isotonic_regression(Numbers{1, infinity}, v);
              }),
              testing::HasSubstr("y[1] is inf"));
  EXPECT_THAT(message_of([&] {
                isotonic_regression(Numbers{1, 2}, v, Numbers{1, 0});
              }),
              testing::HasSubstr("weights[1] is 0; expected a number > 0"));
  EXPECT_THAT(message_of([&] {
                isotonic_kl(Numbers{1, 2}, Numbers{1, std::nan("")}, v);
              }),
              testing::HasSubstr("log_weights[1] is nan"));
}

}  // namespace
}  // namespace fenchel::test
