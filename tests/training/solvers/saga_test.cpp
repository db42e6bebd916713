// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/saga.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/all.hpp"
#include "training/problems_fixture.hpp"
#include "training/solvers/missed_steps.hpp"

namespace fenchel {
namespace {

using test::expect_resumes;
using test::objective_of;
using test::run_to_end;
using test::small_data;
using test::SmallData;
using testing::HasSubstr;

LinearProblem<double> problem_of(const SmallData& data, const AnyRegularizer& omega) {
  return test::labelled_problem(data, omega, Intercept::free);
}

TrainOptions options_of(const Penalty& penalty, double tolerance = 1e-10) {
  return test::single_threaded(penalty, tolerance, 20000);
}

void expect_optimal(const LinearProblem<double>& problem, TrainOptions options) {
  const auto algorithm = Saga{}.start(problem, options);
  const StepReport last_step = run_to_end(*algorithm);
  EXPECT_TRUE(algorithm->report().converged()) << last_step.residual;
  const double objective = objective_of(problem, options.penalty, algorithm->parameters());
  EXPECT_NEAR(last_step.objective, objective, 1e-11 * (1 + objective));
  options.solver = options.penalty.smooth() ? "lbfgs" : "fista";
  options.tolerance = 1e-11;
  EXPECT_NEAR(objective, train(problem, options).last_step.objective, 1e-8 * objective);
}

TEST(Saga, AgreesWithThePrimalForEveryPenaltyAndIntercept) {
  const SmallData data = small_data(30, 6, 3, 1);
  for (const AnyRegularizer& omega : {AnyRegularizer(Shannon{}), AnyRegularizer(Tsallis{2})}) {
    LinearProblem<double> problem = problem_of(data, omega);
    for (const Intercept intercept : {Intercept::free, Intercept::penalised, Intercept::none}) {
      problem.intercept = intercept;
      for (const Penalty& penalty :
           {Penalty(L2(2)), Penalty(ElasticNet(2, 1)), Penalty{.l2 = 1, .l1 = 0.5, .group = 1}}) {
        problem.x = data.sparse;
        expect_optimal(problem, options_of(penalty));
        problem.x = data.dense;
        expect_optimal(problem, options_of(penalty));
      }
    }
  }
}

TEST(Saga, WithoutL2TheGradientMappingTellsWhenToStop) {
  const SmallData data = small_data(40, 4, 3, 2);
  const LinearProblem<double> problem = problem_of(data, Shannon{});
  for (const Penalty& penalty : {Penalty(L1(2)), Penalty(GroupLasso(2))}) {
    const auto algorithm = Saga{}.start(problem, options_of(penalty, 1e-8));
    const StepReport last_step = run_to_end(*algorithm);
    EXPECT_FALSE(last_step.gap.has_value());
    EXPECT_TRUE(algorithm->report().converged());
    TrainOptions fista = options_of(penalty, 1e-9);
    fista.solver = "fista";
    EXPECT_NEAR(last_step.objective, train(problem, fista).last_step.objective, 1e-7 * last_step.objective);
  }
}

TEST(Saga, WeightsCostsProportionsAndCentredDenseRows) {
  const SmallData data = small_data(30, 5, 3, 3);
  LinearProblem<double> problem = problem_of(data, Tsallis{1.5});
  problem.weights = data.weights;
  problem.loss = problem.loss.with_cost(zero_one_cost());
  expect_optimal(problem, options_of(L2(1)));
  problem.y = data.targets.view();
  problem.x = data.dense;
  problem.center = data.center;
  expect_optimal(problem, options_of(L2(1)));
}

TEST(Saga, ResumesWithTheSameBits) {
  const SmallData data = small_data(30, 6, 3, 4);
  const LinearProblem<double> problem = problem_of(data, Shannon{});
  expect_resumes([&] { return Saga{}.start(problem, options_of(ElasticNet(1, 0.5), 0)); }, 3, 4);
}

TEST(Saga, Refusals) {
  const SmallData data = small_data(10, 3, 3, 5);
  LinearProblem<double> problem = problem_of(data, Argmax{});
  const auto refusal = [&] {
    try {
      Saga{}.start(problem, options_of(L2(1)));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("argmax has kinks"), HasSubstr("solver=dual_ascent")));
  problem.loss = Shannon{};
  problem.center = data.center;
  EXPECT_THAT(refusal(), HasSubstr("centred"));
}

TEST(MissedSteps, AreTheStepsOneByOne) {
  Random random(6);
  for (const Penalty& penalty : {Penalty{}, Penalty(L2(20)), Penalty(L1(3)), Penalty{.l2 = 20, .l1 = 3},
                                 Penalty{.l2 = 20, .l1 = 1, .group = 2}}) {
    const double step = 0.05;
    const MissedSteps missed(penalty, step, 50);
    const Penalty share{.l2 = penalty.l2 / 50, .l1 = penalty.l1 / 50, .group = penalty.group / 50};
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<double> w(3), a(3);
      for (double& entry : w) entry = random.uniform() < 0.2 ? 0 : 0.1 * random.normal();
      for (double& entry : a) entry = 0.1 * random.normal();
      const auto m = 1 + random.below(50);
      std::vector<double> expected = w;
      for (std::uint64_t t = 0; t < m; ++t) {
        for (std::size_t k = 0; k < 3; ++k) expected[k] -= step * a[k];
        share.full_prox(step, 3, expected);
      }
      missed.apply(m, a, w);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(w[k], expected[k], 1e-14);
    }
  }
}

}  // namespace
}  // namespace fenchel
