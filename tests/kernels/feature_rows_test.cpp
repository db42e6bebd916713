// SPDX-License-Identifier: Apache-2.0
#include "kernels/feature_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fenchel/core/random.hpp"

namespace fenchel {
namespace {

template <class T>
void expect_products(std::size_t features, std::size_t width, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> x(features), values;
  std::vector<std::int32_t> indices;
  for (std::size_t j = 0; j < features; ++j) {
    x[j] = random.uniform() < 0.4 ? T{0} : static_cast<T>(random.normal());
    if (x[j] == 0) continue;
    indices.push_back(static_cast<std::int32_t>(j));
    values.push_back(x[j]);
  }
  std::vector<double> w(features * width), theta(width), r(width);
  for (double& entry : w) entry = random.normal();
  for (double& entry : theta) entry = random.normal();
  for (double& entry : r) entry = random.normal();
  std::vector<double> expected = theta, outer = w;
  for (std::size_t j = 0; j < features; ++j) {
    for (std::size_t k = 0; k < width; ++k) {
      expected[k] += static_cast<double>(x[j]) * w[j * width + k];
      outer[j * width + k] += static_cast<double>(x[j]) * r[k];
    }
  }
  std::vector<double> dense = theta, sparse = theta;
  kernels::add_scores(std::span<const T>(x), w.data(), dense);
  kernels::add_scores(indices, std::span<const T>(values), w.data(), sparse);
  for (std::size_t k = 0; k < width; ++k) {
    EXPECT_NEAR(dense[k], expected[k], 1e-12);
    EXPECT_NEAR(sparse[k], expected[k], 1e-12);
  }
  std::vector<double> dense_outer = w, sparse_outer = w;
  kernels::add_outer(std::span<const T>(x), r, dense_outer.data());
  kernels::add_outer(indices, std::span<const T>(values), r, sparse_outer.data());
  for (std::size_t e = 0; e < w.size(); ++e) {
    EXPECT_NEAR(dense_outer[e], outer[e], 1e-14);
    EXPECT_EQ(sparse_outer[e], dense_outer[e]);
  }
}

TEST(FeatureRows, ProductsOfEveryWidth) {
  for (std::size_t width = 1; width <= 40; ++width) {
    for (const std::size_t features : {0, 1, 5, 23}) {
      expect_products<double>(features, width, width);
      expect_products<float>(features, width, width);
    }
  }
}

TEST(FeatureRows, LargestAndEntriesAbove) {
  Random random(1);
  for (std::size_t size = 1; size <= 40; ++size) {
    std::vector<double> row(size);
    for (double& entry : row) entry = random.normal();
    EXPECT_EQ(kernels::largest(row), *std::ranges::max_element(row));
    std::vector<std::int32_t> indices(size), expected;
    for (const double bound : {-3.0, 0.0, 0.7, row[size / 2]}) {
      expected.clear();
      for (std::size_t k = 0; k < size; ++k) {
        if (row[k] > bound) expected.push_back(static_cast<std::int32_t>(k));
      }
      const std::size_t count = kernels::entries_above(row, bound, indices.data());
      EXPECT_TRUE(std::ranges::equal(std::span(indices).first(count), expected));
    }
  }
}

}  // namespace
}  // namespace fenchel
