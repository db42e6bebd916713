// SPDX-License-Identifier: Apache-2.0
// L-BFGS within orthants as a machine: solutions that are known, what every step promises, searches that are
// hard, and states put away in the middle of anything.
#include "solvers/orthant_lbfgs.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "solvers/valley.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using Smooth = std::function<double(std::span<const double>, std::span<double>)>;

Vector copy(std::span<const double> of) { return {of.begin(), of.end()}; }

void tell_once(OrthantMachine& machine, const Smooth& f) {
  machine.tell(f(machine.trial(), machine.trial_gradient()));
}
void finish(OrthantMachine& machine, const Smooth& f) {
  while (!machine.done()) tell_once(machine, f);
}

double with_l1(double value, const OrthantLbfgs& options, std::span<const double> x) {
  for (std::size_t j = 0; j < options.penalised; ++j) value += options.l1 * std::abs(x[j]);
  return value;
}

// f(x) = ½ Σ s_j (x_j − c_j)² with s_j = 1 + j.
struct Bowls {
  Vector c;

  static double curvature(std::size_t j) { return 1 + static_cast<double>(j); }
  double operator()(std::span<const double> x, std::span<double> gradient) const {
    double total = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      gradient[j] = curvature(j) * (x[j] - c[j]);
      total += 0.5 * gradient[j] * (x[j] - c[j]);
    }
    return total;
  }
  // Soft thresholding at l1/s_j where there is a penalty.
  Vector solution(const OrthantLbfgs& options) const {
    Vector x = c;
    for (std::size_t j = 0; j < options.penalised; ++j) {
      const double level = options.l1 / curvature(j);
      x[j] = c[j] > level ? c[j] - level : c[j] < -level ? c[j] + level : 0;
    }
    return x;
  }
};

// Options for 30 variables, of which the last five are free.
const OrthantLbfgs in_the_valley{.l1 = 0.7, .penalised = 25, .memory = 4};

TEST(OrthantMachine, SoftThresholdsBowls) {
  Random random(3);
  const Bowls bowls{normal_vector(random, 25, 2)};
  Vector inverse(25);
  for (std::size_t j = 0; j < 25; ++j) inverse[j] = 1 / Bowls::curvature(j);
  for (const std::size_t penalised : {std::size_t{0}, std::size_t{20}, std::size_t{25}}) {
    for (const Vector& curvature : {Vector(), inverse}) {
      for (const double start : {0.0, 3.0, -1e3}) {
        const OrthantLbfgs options{.l1 = 1.5, .penalised = penalised, .inverse_curvature = curvature};
        OrthantMachine machine(options, Vector(25, start));
        finish(machine, bowls);
        EXPECT_EQ(machine.report().status, Status::stalled);  // it goes on while it can
        const Vector expected = bowls.solution(options);
        for (std::size_t j = 0; j < 25; ++j) {
          EXPECT_NEAR(machine.point()[j], expected[j], 1e-7) << j << " from " << start;
          if (expected[j] == 0) {
            EXPECT_EQ(machine.point()[j], 0) << j << " from " << start;
          }
        }
      }
    }
  }
}

// Each step descends by a share of what the slope promises, and no trial leaves the orthant of its point.
TEST(OrthantMachine, DescendsWithinOrthants) {
  for (const double start : {0.0, 2.0, -2.0}) {
    OrthantMachine machine(in_the_valley, Vector(30, start));
    tell_once(machine, valley);
    int crossings = 0;
    while (!machine.done()) {
      const Vector x = copy(machine.point()), g = copy(machine.gradient()), trial = copy(machine.trial());
      const double before = with_l1(machine.value(), in_the_valley, x);
      for (std::size_t j = 0; j < in_the_valley.penalised; ++j) {
        EXPECT_GE(trial[j] * x[j], 0);
        if (x[j] == 0) {  // it goes down, or stays where l1 outweighs the slope
          EXPECT_LE(trial[j] * g[j], 0);
          EXPECT_TRUE(trial[j] == 0 || std::abs(g[j]) > in_the_valley.l1);
        } else {
          crossings += trial[j] == 0;
        }
      }
      tell_once(machine, valley);
      EXPECT_LE(with_l1(machine.value(), in_the_valley, machine.point()), before * (1 + 1e-15));
    }
    EXPECT_EQ(machine.report().status, Status::stalled);
    if (start != 0) {
      EXPECT_GT(crossings, 0);
    }
    // The least slope of f + l1 ‖x‖₁ is none.
    for (std::size_t j = 0; j < 30; ++j) {
      const double x = machine.point()[j], g = machine.gradient()[j];
      const double l1 = j < in_the_valley.penalised ? in_the_valley.l1 : 0;
      const double slope = x != 0 ? g + std::copysign(l1, x) : g - std::clamp(g, -l1, l1);
      EXPECT_NEAR(slope, 0, 1e-5) << j << " from " << start;
    }
  }
}

// Numbers that binary fractions are, so that the slope is 0 to the last bit.
TEST(OrthantMachine, StallsAtTheOptimum) {
  const Bowls bowls{{4, -0.5, 0.25, 8}};
  const OrthantLbfgs options{.l1 = 1, .penalised = 3};
  const Vector best{3, 0, 0, 8};
  EXPECT_EQ(bowls.solution(options), best);
  OrthantMachine machine(options, best);
  tell_once(machine, bowls);
  EXPECT_TRUE(machine.done());
  EXPECT_EQ(machine.report().status, Status::stalled);
  EXPECT_EQ(machine.iterations(), 0);
  EXPECT_EQ(copy(machine.point()), best);
}

TEST(OrthantMachine, HardSearches) {
  // Not finite beyond a wall, from a first step far too long: −log(1 − x) − 1000 x + |x|.
  const auto barrier = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = x[0] >= 1 ? std::nan("") : 1 / (1 - x[0]) - 1000;
    return x[0] >= 1 ? std::numeric_limits<double>::infinity() : -std::log1p(-x[0]) - 1000 * x[0];
  };
  OrthantMachine walled({.l1 = 1, .penalised = 1}, Vector{-5});
  finish(walled, barrier);
  EXPECT_NEAR(walled.point()[0], 1 - 1.0 / 999, 1e-6);
  // Not finite at the start.
  OrthantMachine nowhere({.l1 = 1, .penalised = 1}, Vector{2});
  tell_once(nowhere, barrier);
  EXPECT_TRUE(nowhere.done());
  EXPECT_EQ(nowhere.report().status, Status::stalled);
  // Without a minimum.
  const auto slide = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = -2;
    return -2 * x[0];
  };
  OrthantMachine sliding({.l1 = 1, .penalised = 1, .max_iterations = 50}, Vector{0});
  finish(sliding, slide);
  EXPECT_EQ(sliding.report().status, Status::max_iterations);
  EXPECT_EQ(sliding.iterations(), 50);
}

// Stopped after any number of evaluations and restored into a new machine: the same bits.
TEST(OrthantMachine, ResumesAnywhere) {
  const Vector start(30, -2.0);
  OrthantMachine whole(in_the_valley, start);
  finish(whole, valley);
  int evaluations = 0;
  for (OrthantMachine first(in_the_valley, start); !first.done(); ++evaluations) {
    OrthantMachine second(in_the_valley, Vector(30, 7.0));
    restore_state(second, save_state(first));
    EXPECT_TRUE(std::ranges::equal(second.trial(), first.trial())) << evaluations;
    finish(second, valley);
    EXPECT_TRUE(std::ranges::equal(second.point(), whole.point())) << evaluations;
    EXPECT_EQ(second.iterations(), whole.iterations()) << evaluations;
    tell_once(first, valley);
  }
  EXPECT_GT(evaluations, whole.iterations()) << "no search took two steps: the test shows less than it could";
}

// How far it goes is a matter of the options that it goes on with.
TEST(OrthantMachine, ResumesWithMoreOrFewerIterations) {
  OrthantLbfgs options = in_the_valley;
  OrthantMachine whole(options, Vector(30, -2.0));
  finish(whole, valley);
  for (const int few : {0, 1, 7}) {
    options.max_iterations = few;
    OrthantMachine first(options, Vector(30, -2.0));
    finish(first, valley);
    EXPECT_EQ(first.report().status, Status::max_iterations);
    EXPECT_EQ(first.iterations(), few);
    OrthantMachine second(in_the_valley, Vector(30, 7.0));
    restore_state(second, save_state(first));
    finish(second, valley);
    EXPECT_TRUE(std::ranges::equal(second.point(), whole.point())) << few;
  }
  options.max_iterations = 10;
  OrthantMachine first(options, Vector(30, -2.0));
  while (first.iterations() < 9) tell_once(first, valley);
  options.max_iterations = 5;
  OrthantMachine second(options, Vector(30, 7.0));
  restore_state(second, save_state(first));
  EXPECT_TRUE(second.done());
  EXPECT_EQ(second.report().status, Status::max_iterations);
  EXPECT_EQ(second.iterations(), 9);
}

// Entries that no machine has written together.
TEST(OrthantMachine, RefusesStatesThatContradictThemselves) {
  OrthantMachine machine(in_the_valley, Vector(30, -2.0));
  while (machine.iterations() < 6) tell_once(machine, valley);
  const State good = save_state(machine);
  const auto refuses = [&](const std::string& name, const auto& value) {
    State forged = good;
    forged.set(name, std::vector{value});
    OrthantMachine other(in_the_valley, Vector(30, 0.0));
    EXPECT_THROW(restore_state(other, forged), std::invalid_argument) << name << " " << value;
  };
  using Whole = std::int64_t;
  using Size = std::uint64_t;
  refuses("status", static_cast<Size>(Status::stalled));    // that has not stopped
  refuses("status", static_cast<Size>(Status::converged));  // nobody says so here
  refuses("fresh", Whole{1});                               // with pairs
  refuses("started", Whole{0});                             // after iterations
  refuses("count", Size{5});                                // of a memory of 4
  refuses("next", Size{7});                                 // pairs in 6 iterations
  refuses("trials", Whole{1000});
  refuses("idle", Whole{7});  // of 6 iterations
  refuses("lowest_slope", -1.0);
  refuses("iterations", Whole{std::numeric_limits<int>::max()});
  refuses("value", std::nan(""));
  refuses("value", -std::numeric_limits<double>::infinity());
}

TEST(OrthantMachine, ThreadsDoNotChangeBits) {
  OrthantLbfgs options{.l1 = 0.3, .penalised = 39000, .max_iterations = 20};
  OrthantMachine one(options, Vector(40000, 0.1));
  finish(one, valley);
  options.threads = 2;
  OrthantMachine two(options, Vector(40000, 0.1));
  finish(two, valley);
  EXPECT_TRUE(std::ranges::equal(one.point(), two.point()));
}

}  // namespace
}  // namespace fenchel::test
