// SPDX-License-Identifier: Apache-2.0
// The minimax bundle method: matrix games, smooth and kinked functions, one function alone, hostile ones.
#include "solvers/minimax.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/regularizers/shannon.hpp"
#include "solvers/minimax_newton.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

// f_i(x) = ⟨a_i, x⟩ + b_i with Σ p_i a_i = 0 for a p that is known: min max f = ⟨p, b⟩.
TEST(Minimax, LinearFunctions) {
  Random random(1);
  for (const std::size_t n : {1, 3, 8}) {
    const std::size_t m = n + 1;
    const Vector p = interior_point(random, m);
    std::vector<Vector> a;
    for (std::size_t i = 0; i < m; ++i) a.push_back(normal_vector(random, n));
    for (std::size_t j = 0; j < n; ++j) {
      double rest = 0;
      for (std::size_t i = 0; i < n; ++i) rest += p[i] * a[i][j];
      a[n][j] = -rest / p[n];
    }
    const Vector b = normal_vector(random, m);
    const auto f = [&](std::span<const double> x, std::span<double> values, std::span<double> gradients) {
      for (std::size_t i = 0; i < m; ++i) {
        values[i] = fenchel::dot(a[i], x) + b[i];
        std::ranges::copy(a[i], gradients.subspan(i * n).begin());
      }
    };
    Vector x(n, 0.0), weights(m);
    const auto [value, report] = Minimax{}.minimize(f, x, weights);
    EXPECT_NE(report.status, Status::max_iterations);
    EXPECT_NEAR(value, dot(p, b), 1e-9);
    EXPECT_THAT(weights, testing::Pointwise(testing::DoubleNear(1e-8), p));
  }
}

// The smallest ball around points: min_x max_i ‖x − c_i‖². At the solution x = Σ p_i c_i.
TEST(Minimax, SmallestBall) {
  Random random(2);
  for (int run = 0; run < 10; ++run) {
    const std::size_t n = 4, m = 9;
    std::vector<Vector> centres;
    for (std::size_t i = 0; i < m; ++i) centres.push_back(normal_vector(random, n));
    const auto f = [&](std::span<const double> x, std::span<double> values, std::span<double> gradients) {
      for (std::size_t i = 0; i < m; ++i) {
        values[i] = 0;
        for (std::size_t j = 0; j < n; ++j) {
          const double difference = x[j] - centres[i][j];
          values[i] += difference * difference;
          gradients[i * n + j] = 2 * difference;
        }
      }
    };
    Vector x(n, 0.0), weights(m);
    const auto [value, report] = Minimax{}.minimize(f, x, weights);
    EXPECT_TRUE(report.converged()) << to_string(report.status);
    EXPECT_NEAR(sum_of(weights), 1, 1e-12);
    double dual = -squared_norm(x);  // Σ p_i ‖c_i‖² − ‖Σ p_i c_i‖²
    for (std::size_t j = 0; j < n; ++j) {
      double mean = 0;
      for (std::size_t i = 0; i < m; ++i) mean += weights[i] * centres[i][j];
      EXPECT_NEAR(x[j], mean, 1e-6);
    }
    for (std::size_t i = 0; i < m; ++i) dual += weights[i] * squared_norm(centres[i]);
    EXPECT_NEAR(value, dual, 1e-8);
  }
}

// max_i b_i − x_i + log Σ exp x: at the solution the weights are softmax(b), down to e^{-60}.
TEST(Minimax, TinyWeights) {
  Random random(6);
  for (const std::size_t n : {3, 6, 12}) {
    Vector b = normal_vector(random, n), expected(n);
    for (double& entry : b) entry *= 15;
    Shannon{}.predict(b, expected, thread_workspace());
    const auto f = [&](std::span<const double> x, std::span<double> values, std::span<double> gradients) {
      Vector p(n);
      Shannon{}.predict(x, p, thread_workspace());
      const double log_sum = Shannon{}.conjugate(x, p);
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = b[i] + log_sum - x[i];
        std::ranges::copy(p, gradients.subspan(i * n).begin());
        gradients[i * n + i] -= 1;
      }
    };
    for (const bool newton_alone : {false, true}) {
      Vector x(n, 0.0), weights(n);
      const Minimax::Result found =
          newton_alone ? newton_minimax(f, x, weights, 1e-12) : Minimax{}.minimize(f, x, weights);
      EXPECT_TRUE(found.report.converged()) << n << ": " << found.report.residual;
      EXPECT_THAT(weights, testing::Pointwise(testing::DoubleNear(1e-10), expected));
    }
  }
}

// Newton's method alone leaves things as they are where no set of functions leads to a proof.
TEST(Minimax, NewtonRefusesKinks) {
  const auto f = [](std::span<const double> x, std::span<double> value, std::span<double> gradient) {
    value[0] = std::abs(x[0]);
    gradient[0] = x[0] < 0 ? -1 : 1;
  };
  Vector x{3}, weight{0.5};
  EXPECT_FALSE(newton_minimax(f, x, weight, 1e-12).report.converged());
  EXPECT_EQ(x[0], 3);
  EXPECT_EQ(weight[0], 0.5);
}

TEST(Minimax, OneFunctionAlone) {
  const auto smooth = [](std::span<const double> x, std::span<double> value, std::span<double> gradient) {
    value[0] = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double scale = std::pow(10.0, static_cast<double>(j)), t = x[j] - 1;
      value[0] += 0.5 * scale * t * t;
      gradient[j] = scale * t;
    }
  };
  Vector x(5, 0.0), weight(1);
  EXPECT_NEAR(Minimax{}.minimize(smooth, x, weight).value, 0, 1e-12);
  EXPECT_EQ(weight[0], 1);
  const auto kinked = [](std::span<const double> at, std::span<double> value, std::span<double> gradient) {
    value[0] = std::abs(at[0] - 2) + 3 * std::abs(at[1] + 1) + std::abs(at[0] + at[1] - 1);
    const auto sign = [](double t) { return t < 0 ? -1.0 : 1.0; };
    gradient[0] = sign(at[0] - 2) + sign(at[0] + at[1] - 1);
    gradient[1] = 3 * sign(at[1] + 1) + sign(at[0] + at[1] - 1);
  };
  Vector y{7, 5};
  EXPECT_NEAR(Minimax{}.minimize(kinked, y, weight).value, 0, 1e-9);
}

TEST(Minimax, StepsToWhereNothingIsFiniteAreShortened) {
  const auto f = [](std::span<const double> x, std::span<double> value, std::span<double> gradient) {
    value[0] = x[0] > 0 ? x[0] - std::log(x[0]) : std::numeric_limits<double>::quiet_NaN();
    gradient[0] = 1 - 1 / x[0];
  };
  Vector x{1e-3}, weight(1);
  EXPECT_NEAR(Minimax{}.minimize(f, x, weight).value, 1, 1e-9);
  x[0] = -1;
  EXPECT_EQ(Minimax{}.minimize(f, x, weight).report.status, Status::diverged);
}

// The infimum of exp(−x) is at infinity.
TEST(Minimax, InfimumAtInfinity) {
  const auto f = [](std::span<const double> x, std::span<double> value, std::span<double> gradient) {
    value[0] = std::exp(-x[0]);
    gradient[0] = -value[0];
  };
  Vector x{0}, weight(1);
  EXPECT_NEAR(Minimax{}.minimize(f, x, weight).value, 0, 1e-9);
}

}  // namespace
}  // namespace fenchel::test
