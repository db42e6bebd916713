// SPDX-License-Identifier: Apache-2.0
// The passes over plans against plain loops, for every instruction set and shape.
#include "kernels/sinkhorn.hpp"

#include <gtest/gtest.h>

#include "kernels/reference.hpp"
#include "kernels/transport_projection.hpp"
#include "solvers/plan_reference.hpp"

namespace fenchel::test::plans {
namespace {

constexpr std::size_t shapes[][2] = {{1, 1}, {3, 2}, {4, 8}, {5, 7}, {9, 17}, {13, 33}};

TEST(PlanKernels, SweepRescalesRowsAndSumsColumns) {
  for_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    Random random(1);
    for (const auto& shape : shapes) {
      const std::size_t n = shape[0];
      const std::size_t m = shape[1];
      Numbers kernel(n * m);
      for (double& entry : kernel) entry = random.uniform();
      Numbers a = random_sums(random, n, 2, true);
      const Numbers v = random_sums(random, m, 1);
      Numbers u(n, 0.5);
      Numbers w(m, 99.0);
      Numbers expected(m);
      double violation = 0;
      Numbers scales(n);
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < m; ++j) sum += kernel[i * m + j] * v[j];
        violation += std::abs(0.5 * sum - a[i]);
        scales[i] = a[i] / sum;
        for (std::size_t j = 0; j < m; ++j) expected[j] += scales[i] * kernel[i * m + j];
      }
      EXPECT_NEAR(kernels::sinkhorn_sweep({kernel.data(), n, m}, {a, v, u, w}), violation, 1e-13);
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(u[i], scales[i], 1e-13);
      for (std::size_t j = 0; j < m; ++j) EXPECT_NEAR(w[j], expected[j], 1e-13);
      Numbers plan(n * m);
      kernels::scale_plan({kernel.data(), n, m}, u, v, {plan.data(), n, m});
      for (std::size_t k = 0; k < n * m; ++k) EXPECT_NEAR(plan[k], kernel[k] * u[k / m] * v[k % m], 1e-15);
    }
  });
}

TEST(PlanKernels, ExponentialAndClippedPlans) {
  for_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    Random random(2);
    for (const auto& shape : shapes) {
      const std::size_t n = shape[0];
      const std::size_t m = shape[1];
      Numbers scores = random_scores(random, n * m, 20);
      scores[0] = masked;
      const Numbers alpha = random_scores(random, n, 3);
      const Numbers beta = random_scores(random, m, 3);
      Numbers plan(n * m);
      Numbers rows(n);
      Numbers columns(m);
      for (const bool exponential : {true, false}) {
        const auto form = exponential ? kernels::exponential_plan : kernels::clipped_plan;
        form({scores.data(), n, m}, {alpha, beta, rows, columns}, {plan.data(), n, m});
        Numbers row_sums(n);
        Numbers column_sums(m);
        for (std::size_t k = 0; k < n * m; ++k) {
          const double z = scores[k] + (alpha[k / m] + beta[k % m]);
          const double entry = exponential ? std::exp(z) : std::max(z, 0.0);
          EXPECT_NEAR(plan[k], entry, 1e-14 * (1 + entry) * (1 + std::abs(z > masked ? z : 0)));
          row_sums[k / m] += plan[k];
          column_sums[k % m] += plan[k];
        }
        EXPECT_EQ(plan[0], 0);
        for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(rows[i], row_sums[i], 1e-13 * (1 + row_sums[i]));
        for (std::size_t j = 0; j < m; ++j)
          EXPECT_NEAR(columns[j], column_sums[j], 1e-13 * (1 + column_sums[j]));
      }
    }
  });
}

TEST(PlanKernels, ShiftsReachTheirSum) {
  for_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    Random random(3);
    for (std::size_t n = 1; n < 40; ++n) {
      Numbers row = random_scores(random, n, n % 3 == 0 ? 100 : 1);
      const Numbers beta = random_scores(random, n, 1);
      if (n > 1) row[1] = masked;
      for (const double guess : {-1e3, 0.0, 1e3}) {
        const double alpha = kernels::shift_for_sum(row, beta, 0.7, guess);
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += std::max(row[j] + beta[j] + alpha, 0.0);
        EXPECT_NEAR(sum, 0.7, 1e-12);
      }
    }
  });
}

}  // namespace
}  // namespace fenchel::test::plans
