// SPDX-License-Identifier: Apache-2.0
// L-BFGS and FISTA as machines: told one evaluation after another, put away in the middle of anything, and on
// functions that are hard to search along.
#include <gtest/gtest.h>

#include "fenchel/solvers/fista_minimizer.hpp"
#include "solvers/lbfgs_minimizer.hpp"
#include "solvers/valley.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

TEST(LbfgsMachine, StepsSatisfyTheStrongWolfeConditions) {
  Workspace memory;
  Vector start(30, 0.0);
  LbfgsMachine machine({.tolerance = 1e-9, .smooth = true}, start, memory);
  machine.tell(valley(machine.trial(), machine.trial_gradient()));
  while (!machine.done()) {
    const Vector x(machine.point().begin(), machine.point().end());
    const Vector g(machine.gradient().begin(), machine.gradient().end());
    const double value = machine.value();
    const int before = machine.iterations();
    while (!machine.done() && machine.iterations() == before) {
      machine.tell(valley(machine.trial(), machine.trial_gradient()));
    }
    if (machine.iterations() == before) break;
    const Vector moved_by = moved(Vector(machine.point().begin(), machine.point().end()), -1, x);
    const double slope = dot(g, moved_by);
    const double later = dot(Vector(machine.gradient().begin(), machine.gradient().end()), moved_by);
    EXPECT_LT(slope, 0);
    EXPECT_LE(machine.value(), value + 1e-14 * std::abs(value));
    if (slope < -1e-12) {  // below it, slopes are differences of rounded points
      EXPECT_LE(std::abs(later), 0.9 * std::abs(slope) * (1 + 1e-9));
    }
  }
  EXPECT_TRUE(machine.report().converged());
}

// Stopped after any number of evaluations and restored into a new machine: the same bits.
TEST(LbfgsMachine, ResumesAnywhere) {
  const Vector start(30, 0.0);
  for (const bool smooth : {false, true}) {
    const LbfgsMinimizer options{.tolerance = 1e-9, .memory = 4, .smooth = smooth};
    Vector expected = start;
    const Report report = options.minimize(valley, expected, thread_workspace());
    EXPECT_TRUE(report.converged());
    for (int evaluations = 0; evaluations < 60; evaluations += 1 + evaluations / 5) {
      Workspace first_memory, second_memory;
      LbfgsMachine first(options, start, first_memory);
      for (int i = 0; i < evaluations && !first.done(); ++i)
        first.tell(valley(first.trial(), first.trial_gradient()));
      LbfgsMachine second(options, Vector(30, 7.0), second_memory);
      restore_state(second, save_state(first));
      while (!second.done()) second.tell(valley(second.trial(), second.trial_gradient()));
      EXPECT_TRUE(std::ranges::equal(second.point(), expected)) << evaluations;
      EXPECT_EQ(second.iterations(), report.iterations);
    }
  }
}

TEST(LbfgsMachine, ThreadsDoNotChangeBits) {
  Vector one(40000, 0.0), two = one;
  LbfgsMinimizer options{.tolerance = 1e-8, .max_iterations = 30};
  options.minimize(valley, one, thread_workspace());
  options.threads = 2;
  options.minimize(valley, two, thread_workspace());
  EXPECT_EQ(one, two);
}

TEST(LbfgsMachine, HardSearches) {
  for (const bool smooth : {false, true}) {
    // A function that is not finite beyond a wall, from a first step far too long.
    const auto barrier = [](std::span<const double> x, std::span<double> gradient) {
      gradient[0] = x[0] >= 1 ? std::nan("") : 1 / (1 - x[0]) - 1000;
      return x[0] >= 1 ? infinity : -std::log1p(-x[0]) - 1000 * x[0];
    };
    Vector x{-5};
    EXPECT_TRUE((LbfgsMinimizer{.tolerance = 1e-7, .smooth = smooth}
                     .minimize(barrier, x, thread_workspace())
                     .converged()));
    EXPECT_NEAR(x[0], 0.999, 1e-9);
    // A step that must grow a millionfold.
    const auto slow = [](std::span<const double> at, std::span<double> gradient) {
      gradient[0] = 1e-6 * (at[0] - 1e6);
      return 0.5e-6 * (at[0] - 1e6) * (at[0] - 1e6);
    };
    x = {0};
    EXPECT_TRUE((LbfgsMinimizer{.smooth = smooth}.minimize(slow, x, thread_workspace()).converged()));
    EXPECT_NEAR(x[0], 1e6, 1e-3);
    // A function that is not finite at the start, and one without a minimum.
    const auto nowhere = [](std::span<const double>, std::span<double> gradient) {
      gradient[0] = 1;
      return infinity;
    };
    EXPECT_EQ(LbfgsMinimizer{.smooth = smooth}.minimize(nowhere, x, thread_workspace()).status,
              Status::stalled);
    const auto unbounded = [](std::span<const double> at, std::span<double> gradient) {
      gradient[0] = -1;
      return -at[0];
    };
    EXPECT_FALSE((LbfgsMinimizer{.max_iterations = 50, .smooth = smooth}
                      .minimize(unbounded, x, thread_workspace())
                      .converged()));
  }
}

TEST(FistaMachine, SolvesTheLassoAndResumesAnywhere) {
  // ½‖x − c‖² + ‖x‖₁: soft thresholding.
  Random random(3);
  const Vector c = normal_vector(random, 25, 2);
  const auto f = [&](std::span<const double> x, std::span<double> gradient) {
    double total = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double scale = 1 + static_cast<double>(j);
      gradient[j] = scale * (x[j] - c[j]);
      total += 0.5 * scale * (x[j] - c[j]) * (x[j] - c[j]);
    }
    return total;
  };
  const auto prox = [](double step, std::span<double> x) {
    for (double& entry : x) entry = entry > step ? entry - step : entry < -step ? entry + step : 0;
  };
  const Vector start(25, 0.0);
  const FistaMinimizer options{.tolerance = 1e-12};
  Workspace memory;
  FistaMachine machine(options, start, prox, memory);
  while (!machine.done()) machine.tell(f(machine.trial(), machine.trial_gradient()), prox);
  EXPECT_TRUE(machine.report().converged());
  for (std::size_t j = 0; j < 25; ++j) {
    const double level = 1 / (1 + static_cast<double>(j));
    const double expected = c[j] > level ? c[j] - level : c[j] < -level ? c[j] + level : 0;
    EXPECT_NEAR(machine.point()[j], expected, 1e-11);
  }
  for (int evaluations = 0; evaluations < 40; evaluations += 3) {
    Workspace first_memory, second_memory;
    FistaMachine first(options, start, prox, first_memory);
    for (int i = 0; i < evaluations; ++i) first.tell(f(first.trial(), first.trial_gradient()), prox);
    FistaMachine second(options, Vector(25, 1.0), prox, second_memory);
    restore_state(second, save_state(first));
    while (!second.done()) second.tell(f(second.trial(), second.trial_gradient()), prox);
    EXPECT_TRUE(std::ranges::equal(second.point(), machine.point())) << evaluations;
  }
}

}  // namespace
}  // namespace fenchel::test
