// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/subgradient.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/dual_ascent.hpp"
#include "fenchel/training/linear_examples.hpp"
#include "training/small_problems.hpp"

namespace fenchel {
namespace {

using test::expect_resumes;
using test::objective_of;
using test::run_to_end;
using test::small_data;
using test::SmallData;
using testing::HasSubstr;

LinearProblem<double> problem_of(const SmallData& data, const AnyRegularizer& omega) {
  return {.x = data.dense,
          .y = data.labels,
          .outputs = data.targets.cols(),
          .omega = omega,
          .cost = zero_one_cost(),
          .intercept = Intercept::penalised};
}

TrainOptions options_of(const Penalty& penalty, int passes) {
  TrainOptions options;
  options.penalty = penalty;
  options.tolerance = 0;
  options.max_iterations = passes;
  options.threads = 1;
  return options;
}

// What 400 passes of averaged steps can be asked for.
constexpr double accuracy = 3e-3;

TEST(Subgradient, NearsTheOptimumOfDualAscentAndBoundsIt) {
  const SmallData data = small_data(60, 5, 3, 1);
  for (const Penalty& penalty : {Penalty(L2(2)), Penalty(ElasticNet(2, 0.7))}) {
    const LinearProblem<double> problem = problem_of(data, Argmax{});
    const auto algorithm = make_subgradient(make_linear_examples(problem), options_of(penalty, 400));
    const Standing standing = run_to_end(*algorithm);
    EXPECT_NEAR(standing.objective, objective_of(problem, penalty, algorithm->parameters()), 1e-9);
    TrainOptions exact = options_of(penalty, 3000);
    exact.tolerance = 1e-8;
    const auto ascent = make_dual_ascent(problem, exact);
    const Standing optimum = run_to_end(*ascent);
    EXPECT_NEAR(standing.objective, optimum.objective, accuracy * optimum.objective);
    EXPECT_LE(*standing.dual, optimum.objective);
    EXPECT_GE(*standing.dual, 0.9 * optimum.objective);
    EXPECT_EQ(algorithm->report().status, Status::max_iterations);
  }
}

TEST(Subgradient, FreeInterceptSmoothLossAndNoL2) {
  const SmallData data = small_data(60, 4, 3, 2);
  LinearProblem<double> problem = problem_of(data, Tsallis{1.5});
  problem.intercept = Intercept::free;
  problem.cost = {};
  for (const Penalty& penalty : {Penalty(L2(2)), Penalty(L1(3)), Penalty(GroupLasso(3))}) {
    const auto algorithm = make_subgradient(make_linear_examples(problem), options_of(penalty, 400));
    const Standing standing = run_to_end(*algorithm);
    EXPECT_FALSE(standing.gap.has_value());
    EXPECT_NEAR(standing.objective, objective_of(problem, penalty, algorithm->parameters()), 1e-9);
    TrainOptions exact = options_of(penalty, 5000);
    exact.tolerance = 1e-8;
    exact.solver = "fista";
    EXPECT_NEAR(standing.objective, train(problem, exact).standing.objective, accuracy * standing.objective);
  }
}

TEST(Subgradient, AveragedPerceptronSeparatesAndAverages) {
  // Two points on a line and one example a step: W after step t, averaged by hand.
  const Matrix<double> x(2, 1, {1, -1});
  const std::vector<std::int32_t> labels{1, 0};
  const LinearProblem<double> problem{
      .x = x, .y = labels, .outputs = 2, .omega = Argmax{}, .intercept = Intercept::none};
  TrainOptions options = options_of(NoPenalty{}, 1);
  options.solver = "subgradient:step=1,schedule=constant";
  const auto algorithm = make_subgradient(make_linear_examples(problem), options);
  const Standing standing = algorithm->step();
  // At W = 0 both classes tie and class 0 is predicted: only the first example is ever wrong. Its one step
  // makes W = (−1, 1), for both iterates if it came first, else for the second alone.
  const double w = algorithm->parameters()[1];
  EXPECT_TRUE(w == 1 || w == 0.5) << w;
  EXPECT_EQ(algorithm->parameters()[0], -w);
  EXPECT_EQ(standing.objective, 0);
}

TEST(Subgradient, StopsWhenPassesChangeLittle) {
  const SmallData data = small_data(60, 5, 3, 3);
  TrainOptions options = options_of(L2(2), 1000);
  options.tolerance = 1e-3;
  const LinearProblem<double> problem = problem_of(data, Argmax{});
  const auto algorithm = make_subgradient(make_linear_examples(problem), options);
  EXPECT_LE(run_to_end(*algorithm).residual, 1e-3);
  EXPECT_TRUE(algorithm->report().converged());
  EXPECT_LT(algorithm->report().iterations, 300);
}

TEST(Subgradient, ResumesWithTheSameBits) {
  const SmallData data = small_data(30, 5, 3, 4);
  LinearProblem<double> problem = problem_of(data, Argmax{});
  for (const Intercept intercept : {Intercept::free, Intercept::penalised}) {
    problem.intercept = intercept;
    expect_resumes(
        [&] { return make_subgradient(make_linear_examples(problem), options_of(ElasticNet(1, 0.5), 100)); },
        3, 4);
  }
}

TEST(Subgradient, Refusals) {
  const SmallData data = small_data(10, 3, 3, 5);
  const LinearProblem<double> problem = problem_of(data, Argmax{});
  const auto refusal = [&](const std::string& solver) {
    TrainOptions options = options_of(NoPenalty{}, 1);
    options.solver = solver;
    try {
      make_subgradient(make_linear_examples(problem), options);
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
