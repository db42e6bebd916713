// SPDX-License-Identifier: Apache-2.0
// Entropic plans: exact sums, entries of the form exp((θ + α + β)/ε), for any regularisation, masks and
// zeros.
#include "solvers/sinkhorn.hpp"

#include <string>

#include "solvers/plan_reference.hpp"

namespace fenchel::test::plans {
namespace {

/// How far θ/ε − log μ is from a sum of a row's and a column's potential, over the rectangles of positive
/// entries.
double potential_error(const Numbers& theta, const Numbers& mu, std::size_t columns, double epsilon) {
  const auto gradient = [&](std::size_t i, std::size_t j) {
    return theta[i * columns + j] / epsilon - std::log(mu[i * columns + j]);
  };
  double worst = 0;
  for (std::size_t i = 1; i < mu.size() / columns; ++i) {
    for (std::size_t j = 1; j < columns; ++j) {
      const double product = mu[0] * mu[i * columns + j] * mu[j] * mu[i * columns];
      if (!(product > 0)) continue;
      worst = std::max(worst, std::abs(gradient(0, 0) + gradient(i, j) - gradient(0, j) - gradient(i, 0)));
    }
  }
  return worst;
}

TEST(Sinkhorn, SumsAndFormOfThePlan) {
  Random random(1);
  Workspace scratch;
  for (const std::size_t rows : {1U, 2U, 7U, 30U}) {
    for (const std::size_t columns : {1U, 3U, 30U, 45U}) {
      for (const double scale : {0.05, 1.0, 8.0}) {
        const Numbers a = random_sums(random, rows, 3);
        const Numbers b = random_sums(random, columns, 3);
        const Numbers theta = random_scores(random, rows * columns, scale);
        Numbers mu(theta.size());
        const Report report = Sinkhorn{.tolerance = 1e-12}.solve(theta, a, b, mu, scratch);
        EXPECT_TRUE(report.converged()) << rows << ' ' << columns << ' ' << scale << ' ' << report.residual;
        EXPECT_LE(violation(mu, a, b), 2e-12 * 3);
        EXPECT_LE(potential_error(theta, mu, columns, 1), 1e-12 * (1 + 8 * scale));
      }
    }
  }
}

// The spread of θ/ε reaches 1e7: neither overflow nor a wrong vertex, and the optimum of the linear problem
// appears.
TEST(Sinkhorn, SmallRegularisation) {
  Random random(2);
  Workspace scratch;
  for (const double epsilon : {1e-2, 1e-3, 1e-4, 1e-6}) {
    for (const std::size_t columns : {20U, 33U}) {
      const Numbers a = columns == 20 ? Numbers(20, 1.0) : random_sums(random, 20, 20);
      const Numbers b(columns, 20 / static_cast<double>(columns));
      Numbers theta(20 * columns);
      for (double& entry : theta) entry = random.uniform();
      Numbers mu(theta.size());
      const Report report = Sinkhorn{.epsilon = epsilon, .tolerance = 1e-12}.solve(theta, a, b, mu, scratch);
      EXPECT_TRUE(report.converged()) << epsilon << ' ' << report.residual;
      EXPECT_LE(violation(mu, a, b), 2e-12 * 20);
      EXPECT_LE(potential_error(theta, mu, columns, epsilon), 1e-11 / epsilon);
      Numbers gradient(theta);
      for (std::size_t k = 0; k < mu.size(); ++k) gradient[k] -= epsilon * std::log(std::max(mu[k], 1e-300));
      EXPECT_LE(linear_gap(gradient, mu, a, b), 1e-9);
      EXPECT_LE(linear_gap(theta, mu, a, b), 20 * epsilon * std::log(20.0 * static_cast<double>(columns)));
    }
  }
}

TEST(Sinkhorn, MasksAndEntriesNoPlanCanUse) {
  Workspace scratch;
  // Only the diagonal is possible, though the corner is not masked; it would shrink like 1/k under plain
  // sweeps.
  Numbers mu(4);
  EXPECT_TRUE(
      Sinkhorn{}.solve(Numbers{1, 2, masked, 3}, Numbers{1, 1}, Numbers{1, 1}, mu, scratch).converged());
  EXPECT_EQ(mu[1], 0);
  EXPECT_NEAR(mu[0], 1, 1e-14);
  Random random(3);
  for (int run = 0; run < 6; ++run) {
    const Numbers a = random_sums(random, 12, 2, run % 2 == 1);
    const Numbers b = random_sums(random, 9, 2, run % 3 == 1);
    Numbers theta = random_scores(random, 12 * 9, run < 3 ? 1 : 50);
    for (std::size_t k = 0; k < theta.size(); ++k) {
      if (k % 9 != 0 && k / 9 != 0 && random.uniform() < 0.4) theta[k] = masked;
    }
    Numbers plan(theta.size());
    const Report report = Sinkhorn{.tolerance = 1e-12}.solve(theta, a, b, plan, scratch);
    EXPECT_TRUE(report.converged()) << report.residual;
    EXPECT_LE(violation(plan, a, b), 4e-12);
    EXPECT_LE(linear_gap(entropic_gradient(theta, plan), plan, a, b), 1e-9);
    for (std::size_t k = 0; k < theta.size(); ++k) {
      if (theta[k] == masked || a[k / 9] == 0 || b[k % 9] == 0) {
        EXPECT_EQ(plan[k], 0);
      }
    }
  }
}

TEST(Sinkhorn, MasksThatLeaveNoPlanAreReported) {
  Workspace scratch;
  Numbers mu(9);
  const Numbers ones(3, 1.0);
  // Two rows share one column; no row and no column is empty.
  const Numbers theta{1, masked, masked, 2, masked, masked, 3, 4, 5};
  const Report report = Sinkhorn{}.solve(theta, ones, ones, mu, scratch);
  EXPECT_EQ(report.status, Status::stalled);
  EXPECT_EQ(report.residual, -masked);
  EXPECT_EQ(Sinkhorn{}.solve(Numbers(9, masked), ones, ones, mu, scratch).residual, -masked);
}

TEST(Sinkhorn, RunsOutOfIterationsHonestly) {
  Random random(4);
  Workspace scratch;
  const Numbers ones(10, 1.0);
  Numbers mu(100);
  const Report report = Sinkhorn{.tolerance = 1e-12, .max_iterations = 3}.solve(random_scores(random, 100, 5),
                                                                                ones, ones, mu, scratch);
  EXPECT_EQ(report.status, Status::max_iterations);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_GT(report.residual, 1e-12);
}

TEST(Sinkhorn, ShiftsOfRowsAndColumnsChangeNothing) {
  Random random(5);
  Workspace scratch;
  const Numbers a = random_sums(random, 8, 1);
  const Numbers b = random_sums(random, 6, 1);
  const Numbers theta = random_scores(random, 48, 2);
  Numbers shifted(theta);
  for (std::size_t k = 0; k < shifted.size(); ++k) {
    shifted[k] += 1048576 * static_cast<double>(k / 6) - 2097152 * static_cast<double>(k % 6);
  }
  Numbers plain(48);
  Numbers moved(48);
  Sinkhorn{.tolerance = 1e-13}.solve(theta, a, b, plain, scratch);
  Sinkhorn{.tolerance = 1e-13}.solve(shifted, a, b, moved, scratch);
  for (std::size_t k = 0; k < 48; ++k) EXPECT_NEAR(plain[k], moved[k], 1e-9);  // θ + shift keeps 1e-10
}

}  // namespace
}  // namespace fenchel::test::plans
