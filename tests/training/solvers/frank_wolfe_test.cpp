// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/frank_wolfe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fenchel/polytopes/k_subsets.hpp"
#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/all.hpp"
#include "fenchel/training/solvers/dual_ascent.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel {
namespace {

using test::expect_resumes;
using test::objective_of;
using test::run_to_end;
using test::small_data;
using test::SmallData;
using testing::HasSubstr;

LinearProblem<double> problem_of(const SmallData& data, const AnyRegularizer& omega) {
  return test::labelled_problem(data, {omega, zero_one_cost()}, Intercept::penalised);
}

TrainOptions options_of(double lambda, double tolerance) {
  return test::single_threaded(L2(lambda), tolerance, 20000);
}

TEST(FrankWolfe, AgreesWithDualAscent) {
  // The gap falls like 1/passes: the hinge gets no further in the time of a test.
  constexpr double tolerance = 1e-4;
  const SmallData data = small_data(40, 6, 3, 1);
  for (const AnyRegularizer& omega : {AnyRegularizer(Argmax{}), AnyRegularizer(Tsallis{1.5})}) {
    LinearProblem<double> problem = problem_of(data, omega);
    for (const bool weighted : {false, true}) {
      if (weighted) problem.weights = data.weights;
      const TrainOptions options = options_of(2, tolerance);
      const auto algorithm = FrankWolfe{}.start(problem, options);
      const StepReport last_step = run_to_end(*algorithm);
      EXPECT_TRUE(algorithm->report().converged());
      EXPECT_NEAR(last_step.objective, objective_of(problem, options.penalty, algorithm->parameters()), 1e-9);
      const auto ascent = DualAscent{}.start(problem, options_of(2, 1e-8));
      const StepReport optimum = run_to_end(*ascent);
      EXPECT_LE(*last_step.dual, optimum.objective);
      EXPECT_GE(last_step.objective, *optimum.dual);
      EXPECT_NEAR(last_step.objective, optimum.objective, tolerance * optimum.objective);
    }
  }
}

TEST(FrankWolfe, StructuresOverAPolytope) {
  const SmallData data = small_data(30, 5, 6, 2);
  Matrix<double> tags(30, 6);
  for (std::size_t i = 0; i < 30; ++i) {
    tags(i, static_cast<std::size_t>(data.labels[i])) = 1;
    tags(i, static_cast<std::size_t>(data.labels[i] + 1) % 6) = 1;
  }
  const AnyPolytope polytope = KSubsets{6, 2};
  LinearProblem<double> problem = problem_of(data, Map{polytope});
  problem.y = tags.view();
  problem.loss = problem.loss.with_cost(hamming_cost(polytope));
  const TrainOptions options = options_of(3, 1e-3);
  const auto algorithm = FrankWolfe{}.start(problem, options);
  const StepReport last_step = run_to_end(*algorithm);
  EXPECT_TRUE(algorithm->report().converged());
  const auto ascent = DualAscent{}.start(problem, options_of(3, 1e-7));
  const StepReport optimum = run_to_end(*ascent);
  EXPECT_TRUE(ascent->report().converged());
  EXPECT_NEAR(last_step.objective, optimum.objective, 1e-3 * optimum.objective);
  EXPECT_LE(*last_step.dual, optimum.objective);
}

TEST(FrankWolfe, WarmStartKeepsWhatItIsGiven) {
  const SmallData data = small_data(40, 6, 3, 3);
  const LinearProblem<double> problem = problem_of(data, Tsallis{1.5});
  TrainOptions options = options_of(2, 1e-4);
  const auto ascent = DualAscent{}.start(problem, options_of(2, 1e-11));
  run_to_end(*ascent);
  options.start = ascent->parameters();
  const auto warm = FrankWolfe{}.start(problem, options);
  run_to_end(*warm);
  EXPECT_LE(warm->report().iterations, 3);
}

TEST(FrankWolfe, ResumesWithTheSameBits) {
  const SmallData data = small_data(30, 6, 3, 4);
  const LinearProblem<double> problem = problem_of(data, Argmax{});
  expect_resumes([&] { return FrankWolfe{}.start(problem, options_of(1, 0)); }, 3, 4);
}

TEST(FrankWolfe, Refusals) {
  const SmallData data = small_data(10, 3, 3, 5);
  LinearProblem<double> problem = problem_of(data, Argmax{});
  const auto refusal = [&](const Penalty& penalty) {
    TrainOptions options;
    options.penalty = penalty;
    try {
      FrankWolfe{}.start(problem, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal(ElasticNet(1, 1)), HasSubstr("l2 penalty alone"));
  EXPECT_THAT(refusal(NoPenalty{}), HasSubstr("l2 > 0"));
  problem.intercept = Intercept::free;
  EXPECT_THAT(refusal(L2(1)), HasSubstr("intercept=penalised"));
}

}  // namespace
}  // namespace fenchel
