// SPDX-License-Identifier: Apache-2.0
// FISTA, L-BFGS and the interior-point method on problems whose solutions are known.
#include <gtest/gtest.h>

#include "fenchel/polytopes/projections.hpp"
#include "fenchel/solvers/fista_minimizer.hpp"
#include "solvers/interior_point.hpp"
#include "solvers/lbfgs_minimizer.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

TEST(FistaMinimizer, ProjectsOntoTheSimplex) {
  Random random(1);
  const Vector target = normal_vector(random, 30);
  const Vector weight = [&] {
    Vector w(30);
    for (double& entry : w) entry = std::exp(3 * random.normal());  // badly conditioned
    return w;
  }();
  const auto f = [&](std::span<const double> x, std::span<double> gradient) {
    double total = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      total += 0.5 * weight[j] * (x[j] - target[j]) * (x[j] - target[j]);
      gradient[j] = weight[j] * (x[j] - target[j]);
    }
    return total;
  };
  const auto project = [](std::span<double> point) { project_simplex(point); };
  Vector x(30, 0.0);
  const Report report = FistaMinimizer{.tolerance = 1e-10}.minimize(f, project, x, thread_workspace());
  EXPECT_TRUE(report.converged());
  Vector gradient(30);
  f(x, gradient);
  const double level = *std::ranges::min_element(gradient);
  for (std::size_t j = 0; j < 30; ++j) {
    if (x[j] > 0) {
      EXPECT_NEAR(gradient[j], level, 1e-6);
    }
  }
}

TEST(FistaMinimizer, MonitorStopsAndBudgetIsKept) {
  const auto f = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = x[0] * 1e-3;
    return 0.5e-3 * x[0] * x[0];
  };
  const auto nothing = [](std::span<double>) {};
  Vector x{1};
  EXPECT_EQ((FistaMinimizer{.tolerance = 1e-300, .max_iterations = 5}
                 .minimize(f, nothing, x, thread_workspace())
                 .status),
            Status::max_iterations);
  x[0] = 1;
  int seen = 0;
  const auto monitor = [&](std::span<const double>) { return ++seen == 3; };
  EXPECT_EQ(
      (FistaMinimizer{.tolerance = 1e-300}.minimize(f, nothing, x, thread_workspace(), monitor).iterations),
      3);
}

TEST(LbfgsMinimizer, Rosenbrock) {
  const auto f = [](std::span<const double> x, std::span<double> gradient) {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    gradient[0] = -2 * a - 400 * x[0] * b;
    gradient[1] = 200 * b;
    return a * a + 100 * b * b;
  };
  Vector x{-1.2, 1};
  const Report report = LbfgsMinimizer{.tolerance = 1e-10}.minimize(f, x, thread_workspace());
  EXPECT_TRUE(report.converged());
  EXPECT_NEAR(x[0], 1, 1e-9);
  EXPECT_NEAR(x[1], 1, 1e-9);
}

TEST(LbfgsMinimizer, KinksAndConstantsEnd) {
  Vector x{3, -2};
  const auto kink = [](std::span<const double> at, std::span<double> gradient) {
    gradient[0] = at[0] > 0 ? 1 : -1;
    gradient[1] = at[1] > 0 ? 2 : -2;
    return std::abs(at[0]) + 2 * std::abs(at[1]);
  };
  LbfgsMinimizer{}.minimize(kink, x, thread_workspace());
  EXPECT_NEAR(x[0], 0, 1e-4);
  EXPECT_NEAR(x[1], 0, 1e-4);
  const auto flat = [](std::span<const double>, std::span<double> gradient) {
    std::ranges::fill(gradient, 0.0);
    return 1.0;
  };
  EXPECT_EQ(LbfgsMinimizer{}.minimize(flat, x, thread_workspace()).iterations, 0);
}

// min ⟨c, x⟩ over the simplex, and a quadratic over it.
TEST(InteriorPoint, LinearAndQuadraticOverTheSimplex) {
  const std::size_t d = 6;
  Random random(4);
  for (const double curvature : {0.0, 1.0}) {
    for (const double spread : {1e-6, 1e-3, 1.0, 100.0}) {
      const Vector theta = normal_vector(random, d, spread);
      const auto objective = [&](std::span<const double> x, std::span<double> gradient,
                                 std::span<double> hessian) {
        std::ranges::fill(hessian, 0.0);
        for (std::size_t j = 0; j < d; ++j) {
          gradient[j] = curvature * x[j] - theta[j];
          hessian[j * d + j] = curvature;
        }
      };
      ConvexProgram program{objective, Vector(d * d, 0.0), Vector(d, 0.0), Vector(d, 1.0)};
      for (std::size_t j = 0; j < d; ++j) program.inequality[j * d + j] = -1;
      Vector x(d, 1.0 / d), multipliers(d);
      const Report report = InteriorPoint{}.minimize(program, x, multipliers);
      EXPECT_TRUE(report.converged()) << curvature << " " << spread;
      const Vector expected = curvature == 0 ? predict(Argmax{}, theta) : predict(Tsallis{2}, theta);
      EXPECT_NEAR(sum_of_entries(x), 1, 1e-12);
      const Vector gap = moved(expected, -1, x);
      EXPECT_LE(std::abs(dot(theta, gap)), 1e-11 * (1 + spread)) << curvature << " " << spread;
      if (curvature > 0) {
        EXPECT_LE(max_abs(gap), 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace fenchel::test
