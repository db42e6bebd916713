// SPDX-License-Identifier: Apache-2.0
// Potentials of rows and columns solve their system: dense, sparse, wide, tall, in several parts, badly
// scaled.
#include "solvers/bipartite_laplacian.hpp"

#include <string>

#include "solvers/plan_reference.hpp"

namespace fenchel::test::plans {
namespace {

/// Weights of a given density, each raised to a power so that they spread over many orders of magnitude.
Numbers random_weights(Random& random, std::size_t size, double density, double power) {
  Numbers weights(size);
  for (double& weight : weights) weight = random.uniform() < density ? std::pow(random.uniform(), power) : 0;
  return weights;
}

TEST(BipartiteLaplacian, SolvesConsistentSystems) {
  Random random(1);
  Workspace scratch;
  const std::size_t shapes[][2] = {{1, 1}, {4, 4}, {9, 5}, {5, 9}, {40, 30}, {30, 40}};
  for (const auto& shape : shapes) {
    const std::size_t rows = shape[0];
    const std::size_t columns = shape[1];
    for (const double density : {1.0, 0.5, 0.08}) {
      const Workspace::Frame frame(scratch);
      const Numbers weights = random_weights(random, rows * columns, density, 3);
      const Numbers alpha = random_scores(random, rows, 1);
      const Numbers beta = random_scores(random, columns, 1);
      Numbers rho(rows);
      Numbers gamma(columns);
      const auto flow = [&](std::size_t k, const Numbers& x, const Numbers& y) {
        return weights[k] * (x[k / columns] + y[k % columns]);
      };
      for (std::size_t k = 0; k < weights.size(); ++k) {
        rho[k / columns] += flow(k, alpha, beta);
        gamma[k % columns] += flow(k, alpha, beta);
      }
      Numbers alpha_found(rows);
      Numbers beta_found(columns);
      const BipartiteLaplacian laplacian({weights.data(), rows, columns}, smallest_ridge, scratch);
      laplacian.solve(rho, gamma, alpha_found, beta_found);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        EXPECT_NEAR(flow(k, alpha_found, beta_found), flow(k, alpha, beta), 1e-10) << rows << ' ' << density;
      }
    }
  }
}

TEST(BipartiteLaplacian, TangentPartsKeepAllSums) {
  Random random(2);
  Workspace scratch;
  for (const double power : {1.0, 10.0, 100.0}) {  // 100: most weights underflow against the largest
    const std::size_t rows = 12;
    const std::size_t columns = 15;
    const Numbers weights = random_weights(random, rows * columns, 0.7, power);
    const Numbers v = random_scores(random, rows * columns, 1);
    Numbers out(v.size());
    tangent_part({weights.data(), rows, columns}, v, out, scratch);
    Numbers row_sums(rows);
    Numbers column_sums(columns);
    for (std::size_t k = 0; k < out.size(); ++k) {
      EXPECT_TRUE(std::isfinite(out[k]));
      row_sums[k / columns] += out[k];
      column_sums[k % columns] += out[k];
    }
    EXPECT_LE(largest_finite(row_sums), 1e-12);
    EXPECT_LE(largest_finite(column_sums), 1e-12);
  }
}

}  // namespace
}  // namespace fenchel::test::plans
