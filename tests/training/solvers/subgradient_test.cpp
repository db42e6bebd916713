// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/subgradient.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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
  LinearProblem<double> problem =
      test::labelled_problem(data, {omega, zero_one_cost()}, Intercept::penalised);
  problem.x = data.dense;
  return problem;
}

TrainOptions options_of(const Penalty& penalty, int passes) {
  return test::single_threaded(penalty, 0, passes);
}

// As much as 400 passes of averaged steps can achieve.
constexpr double accuracy = 3e-3;

TEST(Subgradient, NearsTheOptimumOfDualAscentAndBoundsIt) {
  const SmallData data = small_data(60, 5, 3, 1);
  for (const Penalty& penalty : {Penalty(L2(2)), Penalty(ElasticNet(2, 0.7))}) {
    const LinearProblem<double> problem = problem_of(data, Argmax{});
    const auto algorithm = Subgradient{}.start(problem, options_of(penalty, 400));
    const StepReport last_step = run_to_end(*algorithm);
    EXPECT_NEAR(last_step.objective, objective_of(problem, penalty, algorithm->parameters()), 1e-9);
    TrainOptions exact = options_of(penalty, 3000);
    exact.tolerance = 1e-8;
    const auto ascent = DualAscent{}.start(problem, exact);
    const StepReport optimum = run_to_end(*ascent);
    EXPECT_NEAR(last_step.objective, optimum.objective, accuracy * optimum.objective);
    EXPECT_LE(*last_step.dual, optimum.objective);
    EXPECT_GE(*last_step.dual, 0.9 * optimum.objective);
    EXPECT_EQ(algorithm->report().status, Status::max_iterations);
  }
}

TEST(Subgradient, FreeInterceptSmoothLossAndNoL2) {
  const SmallData data = small_data(60, 4, 3, 2);
  LinearProblem<double> problem = problem_of(data, Tsallis{1.5});
  problem.intercept = Intercept::free;
  problem.loss = problem.loss.with_cost({});
  for (const Penalty& penalty : {Penalty(L2(2)), Penalty(L1(3)), Penalty(GroupLasso(3))}) {
    const auto algorithm = Subgradient{}.start(problem, options_of(penalty, 400));
    const StepReport last_step = run_to_end(*algorithm);
    EXPECT_FALSE(last_step.gap.has_value());
    EXPECT_NEAR(last_step.objective, objective_of(problem, penalty, algorithm->parameters()), 1e-9);
    TrainOptions exact = options_of(penalty, 5000);
    exact.tolerance = 1e-8;
    exact.solver = "fista";
    EXPECT_NEAR(last_step.objective, train(problem, exact).last_step.objective,
                accuracy * last_step.objective);
  }
}

TEST(Subgradient, AveragedPerceptronSeparatesAndAverages) {
  // Two points on a line and one example per step: W after step t, averaged by hand.
  const Matrix<double> x(2, 1, {1, -1});
  const std::vector<std::int32_t> labels{1, 0};
  const LinearProblem<double> problem{
      .x = x, .y = labels, .outputs = 2, .loss = Argmax{}, .intercept = Intercept::none};
  TrainOptions options = options_of(NoPenalty{}, 1);
  const auto algorithm = Subgradient{.step = 1, .schedule = "constant"}.start(problem, options);
  const StepReport last_step = algorithm->step();
  // At W = 0 both classes tie and class 0 is predicted: only the first example is ever wrong. Its one step
  // makes W = (−1, 1), for both iterates if it came first, else for the second alone.
  const double w = algorithm->parameters()[1];
  EXPECT_TRUE(w == 1 || w == 0.5) << w;
  EXPECT_EQ(algorithm->parameters()[0], -w);
  EXPECT_EQ(last_step.objective, 0);
}

TEST(Subgradient, StopsWhenPassesChangeLittle) {
  const SmallData data = small_data(60, 5, 3, 3);
  TrainOptions options = options_of(L2(2), 1000);
  options.tolerance = 1e-3;
  const LinearProblem<double> problem = problem_of(data, Argmax{});
  const auto algorithm = Subgradient{}.start(problem, options);
  const StepReport last_step = run_to_end(*algorithm);
  EXPECT_LE(last_step.residual, 1e-3);
  EXPECT_LT(algorithm->report().iterations, 300);
  // Little change proves nothing: without a small gap it is not called converged.
  EXPECT_GT(*last_step.gap, 1e-3 * last_step.objective);
  EXPECT_EQ(algorithm->report().status, Status::stalled);
}

TEST(Subgradient, ResumesWithTheSameBits) {
  const SmallData data = small_data(30, 5, 3, 4);
  LinearProblem<double> problem = problem_of(data, Argmax{});
  for (const Intercept intercept : {Intercept::free, Intercept::penalised}) {
    problem.intercept = intercept;
    expect_resumes([&] { return Subgradient{}.start(problem, options_of(ElasticNet(1, 0.5), 100)); }, 3, 4);
  }
}

TEST(Subgradient, Refusals) {
  const SmallData data = small_data(10, 3, 3, 5);
  const LinearProblem<double> problem = problem_of(data, Argmax{});
  const auto refusal = [&](const std::string& solver) {
    try {
      TrainOptions options = options_of(NoPenalty{}, 1);
      options.solver = solver;
      make_algorithm(problem, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal("subgradient:schedule=inverse"), HasSubstr("needs l2 > 0"));
  EXPECT_THAT(refusal("subgradient:schedule=slow"), HasSubstr("expected auto"));
  EXPECT_THAT(refusal("subgradient:step=-1"), HasSubstr("step"));
}

}  // namespace
}  // namespace fenchel
