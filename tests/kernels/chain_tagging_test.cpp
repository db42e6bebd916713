// SPDX-License-Identifier: Apache-2.0
#include "kernels/chain_tagging.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/chain.hpp"

namespace fenchel::kernels {
namespace {

struct Edges {
  TaggingEdges edges;

  Edges(const std::vector<double>& transitions, std::size_t m) : edges(m) {
    prepare_edges(transitions, edges);
  }
};

std::vector<double> random_scores(std::size_t count, double scale, Random& random) {
  std::vector<double> out(count);
  for (double& x : out) x = scale * (2 * random.uniform() - 1);
  return out;
}

/// Sizes around the widths of vectors and of the pieces that rows are cut into.
class ChainTagging : public testing::TestWithParam<std::size_t> {};

TEST_P(ChainTagging, AgreesWithThePolytope) {
  const std::size_t m = GetParam();
  Random random(m);
  Workspace scratch;
  for (const std::size_t n : {1, 2, 7}) {
    for (const double scale : {0.0, 0.1, 3.0, 20.0}) {
      const Chain chain{n, m};
      const auto scores = random_scores(chain.dimension(), scale, random);
      const Edges e({scores.begin() + static_cast<std::ptrdiff_t>(n * m), scores.end()}, m);
      const std::size_t width = e.edges.width;
      std::vector<double> theta(n * width, 0.0);
      for (std::size_t t = 0; t < n; ++t) std::copy_n(scores.data() + t * m, m, theta.data() + t * width);
      std::vector<std::int32_t> tags(n);
      Structure best;
      const double top = chain.map(scores, best, scratch);
      EXPECT_NEAR(tagging_best(e.edges, theta, tags, scratch), top, 1e-12 * (1 + std::abs(top)));
      const std::vector<int> as_int(tags.begin(), tags.end());
      EXPECT_NEAR(dot(chain.structure(as_int), scores), top, 1e-12 * (1 + std::abs(top)));
      std::vector<double> mu(chain.dimension());
      std::vector<double> counts(m * width, 0.0);
      const double expected = chain.marginals(scores, mu, scratch);
      const auto log_partition = tagging_marginals(e.edges, theta, counts, scratch);
      ASSERT_TRUE(log_partition);
      EXPECT_NEAR(*log_partition, expected, 1e-12 * (1 + std::abs(expected)));
      for (std::size_t t = 0; t < n; ++t) {
        for (std::size_t i = 0; i < m; ++i) EXPECT_NEAR(theta[t * width + i], mu[t * m + i], 1e-12);
        for (std::size_t i = m; i < width; ++i) EXPECT_EQ(theta[t * width + i], 0);
      }
      for (std::size_t j = 0; j < m; ++j) {
        for (std::size_t i = 0; i < m; ++i) {
          EXPECT_NEAR(counts[j * width + i] * e.edges.forward[j * width + i], mu[n * m + j * m + i], 1e-12);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ChainTagging, testing::Values(1, 2, 3, 4, 5, 8, 9, 13, 22, 24, 31, 50));

TEST(ChainTagging, SaysWhereTheLinearDomainEnds) {
  const Edges e({0, 1, 2, 3}, 2);
  Workspace scratch;
  std::vector<double> theta(2 * e.edges.width, 0.0);
  theta[0] = 1e3;
  std::vector<double> counts(2 * e.edges.width, 5.0);
  EXPECT_FALSE(tagging_marginals(e.edges, theta, counts, scratch));
  for (const double count : counts) EXPECT_EQ(count, 5);
}

TEST(ChainTagging, Ties) {
  const Edges e(std::vector<double>(9, 0.0), 3);
  Workspace scratch;
  const std::vector<double> theta(4 * e.edges.width, 0.0);
  std::vector<std::int32_t> tags(4, -1);
  tagging_best(e.edges, theta, tags, scratch);
  EXPECT_EQ(tags, (std::vector<std::int32_t>{0, 0, 0, 0}));
}

TEST(ChainTagging, FeaturesAndTheirTranspose) {
  Random random(4);
  for (const std::size_t m : {3, 22, 31}) {
    for (const bool scaled : {false, true}) {
      const std::size_t width = tagging_width(m);
      const std::vector<std::int64_t> row_offsets{0, 2, 2, 3};
      const std::vector<std::uint32_t> rows{1, 1, 0};
      const std::vector<std::int64_t> single_offsets{0, 1, 3, 3};
      const std::vector<SingleFeature> singles{{0, 1}, {1, 2}, {1, 2}};
      const std::vector<float> values{0.5F, 2, -1};
      TokenFeatures features{width, row_offsets, rows, {}, single_offsets, singles, {}};
      if (scaled) features.row_values = features.single_values = values;
      const auto x = [&](std::size_t k) { return scaled ? static_cast<double>(values[k]) : 1.0; };
      const auto row_weights = random_scores(2 * width, 1, random);
      const auto single_weights = random_scores(2, 1, random);
      std::vector<double> theta(3 * width);
      token_scores(features, {0, 3}, row_weights, single_weights, theta);
      std::vector<double> expected(3 * width, 0.0);
      for (std::size_t i = 0; i < width; ++i) {
        expected[i] = (x(0) + x(1)) * row_weights[width + i];
        expected[2 * width + i] = x(2) * row_weights[i];
      }
      expected[1] += x(0) * single_weights[0];
      expected[width + 2] += (x(1) + x(2)) * single_weights[1];
      for (std::size_t k = 0; k < theta.size(); ++k) EXPECT_NEAR(theta[k], expected[k], 1e-14);
      // ⟨A w, r⟩ = ⟨w, Aᵀ r⟩.
      const auto r = random_scores(3 * width, 1, random);
      std::vector<double> row_gradient(2 * width, 0.0);
      std::vector<double> single_gradient(2, 0.0);
      add_token_gradients(features, {0, 3}, r, row_gradient, single_gradient);
      double left = 0;
      double right = 0;
      for (std::size_t k = 0; k < theta.size(); ++k) left += theta[k] * r[k];
      for (std::size_t k = 0; k < row_gradient.size(); ++k) right += row_gradient[k] * row_weights[k];
      for (std::size_t k = 0; k < 2; ++k) right += single_gradient[k] * single_weights[k];
      EXPECT_NEAR(left, right, 1e-12);
    }
  }
}

}  // namespace
}  // namespace fenchel::kernels
