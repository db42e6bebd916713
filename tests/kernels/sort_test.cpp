// SPDX-License-Identifier: Apache-2.0
// Every way of sorting against std::stable_sort.
#include "kernels/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "fenchel/core/random.hpp"
#include "kernels/reference.hpp"

namespace fenchel::test {
namespace {

void expect_sorted_here(const std::vector<double>& values) {
  std::vector<std::uint32_t> expected(values.size());
  std::iota(expected.begin(), expected.end(), 0U);
  std::ranges::stable_sort(expected, [&](auto a, auto b) { return values[a] > values[b]; });
  std::vector<std::uint32_t> order(values.size());
  std::vector<double> sorted(values.size());
  kernels::argsort_descending(values, order, sorted, thread_workspace());
  ASSERT_EQ(order, expected);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(sorted[i], values[order[i]]);
}

// On every instruction set, the one without vectors included.
void expect_sorted(const std::vector<double>& values) {
  for_each_target([&](const std::string& target) {
    SCOPED_TRACE(target);
    expect_sorted_here(values);
  });
}

std::vector<double> make(std::size_t n, std::uint64_t seed, const std::function<double(Random&)>& draw) {
  Random random(seed);
  std::vector<double> values(n);
  for (double& value : values) value = draw(random);
  return values;
}

const std::vector<std::size_t> sizes{0, 1, 2, 3, 17, 39, 40, 41, 64, 127, 128, 1000, 4097, 33000};

TEST(Sort, Spread) {
  for (const std::size_t n : sizes) {
    expect_sorted(make(n, n, [](Random& random) { return random.normal(); }));
    expect_sorted(make(n, n, [](Random& random) { return 1e6 + random.uniform(); }));
  }
}

TEST(Sort, BeyondTheLongestCount) {
  expect_sorted(make((std::size_t{1} << 20) + 5, 1, [](Random& random) { return random.normal(); }));
}

TEST(Sort, Ties) {
  for (const std::size_t n : sizes) {
    expect_sorted(std::vector<double>(n, 3.5));
    expect_sorted(make(n, n, [](Random& random) { return static_cast<double>(random.below(3)); }));
    expect_sorted(make(n, n, [](Random& random) { return random.below(2) == 0 ? 0.0 : -0.0; }));
  }
}

TEST(Sort, InOrderAndInReverse) {
  for (const std::size_t n : sizes) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), -5.0);
    expect_sorted(values);
    std::ranges::reverse(values);
    expect_sorted(values);
  }
}

// Far outliers put the rest on one place: the keys of 64 bits are needed.
TEST(Sort, HeavyTails) {
  for (const std::size_t n : sizes) {
    expect_sorted(
        make(n, n, [](Random& random) { return std::exp(200 * random.normal()) * random.normal(); }));
    auto values = make(n, n, [](Random& random) { return random.normal(); });
    if (n > 0) values[n / 2] = 1e300;
    expect_sorted(values);
  }
}

// Two clusters whose members differ in their last bits: the keys of 128 bits are needed.
TEST(Sort, LastBits) {
  for (const std::size_t n : sizes) {
    expect_sorted(make(n, n, [](Random& random) {
      return (random.below(2) == 0 ? -1.0 : 1.0) +
             std::numeric_limits<double>::epsilon() * std::floor(64 * random.uniform());
    }));
  }
}

TEST(Sort, ExtremeValues) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<double> strange{-infinity, infinity, 1.7e308, -1.7e308, 0.0, -0.0, tiny, -tiny, 1, -1};
  for (const std::size_t n : sizes) {
    expect_sorted(make(n, n, [&](Random& random) { return strange[random.below(strange.size())]; }));
    expect_sorted(
        make(n, n, [&](Random& random) { return random.below(3) == 0 ? -infinity : random.normal(); }));
    expect_sorted(make(n, n, [&](Random& random) { return tiny * static_cast<double>(random.below(1000)); }));
  }
}

}  // namespace
}  // namespace fenchel::test
