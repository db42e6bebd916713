// SPDX-License-Identifier: Apache-2.0
// Choosing an algorithm, refusing what cannot work, and the training loop.
#include "fenchel/training/train.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fenchel/training/linear_examples.hpp"
#include "fenchel/training/linear_objective.hpp"
#include "training/linear_data.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

std::string choice(const AnyRegularizer& omega, const LinearShape& shape, const Penalty& penalty) {
  const LinearData<double> data(omega, shape);
  const SolverChoice chosen = choose_solver(*data.problem, {.penalty = penalty});
  EXPECT_FALSE(chosen.reason.empty());
  return chosen.solver;
}

TEST(ChooseSolver, FollowsLossPenaltyAndShape) {
  const LinearShape free{}, penalised{.intercept = Intercept::penalised};
  const LinearShape wide{.examples = 10, .features = 80, .sparse = true, .intercept = Intercept::none};
  EXPECT_EQ(choice(Shannon{}, free, L2(1)), "lbfgs");
  EXPECT_EQ(choice(Shannon{}, penalised, L2(1)), "lbfgs");
  EXPECT_EQ(choice(Shannon{}, free, NoPenalty()), "lbfgs");
  EXPECT_EQ(choice(Shannon{}, free, L1(1)), "fista");
  EXPECT_EQ(choice(Tsallis{2}, free, GroupLasso(1)), "fista");
  EXPECT_EQ(choice(Shannon{}, wide, L2(1)), "dual_ascent");
  const LinearShape tall{.examples = 80, .features = 10, .sparse = true, .intercept = Intercept::none};
  EXPECT_EQ(choice(Shannon{}, tall, L2(1)), "lbfgs");
  EXPECT_EQ(choice(Tsallis{2}, tall, L2(1)), "dual_ascent");
  EXPECT_EQ(choice(Tsallis{2}, tall, L2(1e-3)), "lbfgs");  // the dual would take many passes
  EXPECT_EQ(choice(Argmax{}, penalised, L2(1)), "dual_ascent");
  EXPECT_EQ(choice(Argmax{}, free, L2(1)), "subgradient");
  EXPECT_EQ(choice(Argmax{}, penalised, L1(1)), "subgradient");
  const LinearData<double> data(Shannon{}, free);
  const SolverChoice asked = choose_solver(*data.problem, {.solver = "fista"});
  EXPECT_EQ(asked.solver, "fista");
  EXPECT_EQ(asked.reason, "as asked");
  EXPECT_EQ(choose_solver(ParameterShape{6, 6, 2}, true, {}).solver, "lbfgs");
  EXPECT_EQ(choose_solver(ParameterShape{6, 6, 2}, true, {.penalty = L1(1)}).solver, "fista");
  EXPECT_EQ(choose_solver(ParameterShape{6, 6, 2}, false, {}).solver, "frank_wolfe");
  EXPECT_EQ(choose_solver(ParameterShape{6, 4, 2}, false, {}).solver, "subgradient");
}

std::string complaint(const AnyRegularizer& omega, const TrainOptions& options) {
  const LinearData<double> data(omega, {});
  try {
    make_algorithm(*data.problem, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(MakeAlgorithm, RefusesWithAdvice) {
  EXPECT_THAT(complaint(Argmax{}, {.solver = "lbfgs"}), HasSubstr("has kinks; choose dual_ascent"));
  EXPECT_THAT(complaint(Shannon{}, {.penalty = L1(1), .solver = "lbfgs"}), HasSubstr("choose fista"));
  EXPECT_THAT(complaint(Shannon{}, {.solver = "newton"}),
              HasSubstr("solver is 'newton'; expected auto, lbfgs"));
  EXPECT_THAT(complaint(Shannon{}, {.solver = "lbfgs:memory=0"}), HasSubstr("memory"));
  EXPECT_THAT(complaint(Shannon{}, {.solver = "lbfgs:pairs=3"}), HasSubstr("no parameter 'pairs'"));
  EXPECT_THAT(complaint(Shannon{}, {.tolerance = -1}), HasSubstr("tolerance"));
  EXPECT_THAT(complaint(Shannon{}, {.penalty = L2(-1)}), HasSubstr("penalty.l2"));
  EXPECT_THAT(complaint(Shannon{}, {.solver = "dual_ascent"}), HasSubstr("intercept"));
}

TEST(Train, RunsToItsCriterionOrUntilStopped) {
  const LinearData<double> data(Tsallis{1.5}, {});
  int steps = 0;
  TrainOptions options{.penalty = L2(0.5), .tolerance = 1e-8, .threads = 1};
  options.observer = [&](const Standing& standing, const Algorithm& algorithm) {
    EXPECT_EQ(algorithm.parameters().size(), data.problem->shape().size);
    EXPECT_GT(standing.objective, 0);
    return ++steps < 4;
  };
  const TrainResult stopped = train(*data.problem, options);
  EXPECT_EQ(steps, 4);
  EXPECT_FALSE(stopped.report.converged());
  options.observer = {};
  const TrainResult result = train(*data.problem, options);
  EXPECT_TRUE(result.report.converged());
  EXPECT_LE(result.standing.residual, 1e-8);
  EXPECT_EQ(result.choice.solver, "lbfgs");
  EXPECT_LT(result.standing.objective, stopped.standing.objective);
  // The same model as an objective of any other kind.
  const TrainResult other = train(make_linear_objective(*data.problem, 1), nullptr, true, options);
  EXPECT_EQ(other.parameters, result.parameters);
  EXPECT_THROW(train(nullptr, make_linear_examples(*data.problem), true, options), std::invalid_argument);
  EXPECT_THROW(train(nullptr, nullptr, true, options), std::invalid_argument);
}

TEST(Train, FloatAndDoubleFeaturesAgree) {
  for (const bool sparse : {false, true}) {
    const LinearData<float> single(Shannon{}, {.sparse = sparse});
    const LinearData<double> precise(Shannon{}, {.sparse = sparse});
    const TrainOptions options{.tolerance = 1e-9, .threads = 1};
    const TrainResult a = train(*single.problem, options), b = train(*precise.problem, options);
    EXPECT_NEAR(a.standing.objective, b.standing.objective, 1e-5 * b.standing.objective);
    EXPECT_LE(max_difference(a.parameters, b.parameters), 1e-3);
  }
}

}  // namespace
}  // namespace fenchel::test
