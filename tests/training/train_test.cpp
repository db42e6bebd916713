// SPDX-License-Identifier: Apache-2.0
// Choosing an algorithm, refusing what cannot work, and the training loop.
#include "fenchel/training/train.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages.hpp"
#include "training/problems/linear_objective.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

std::string choice(const AnyRegularizer& omega, const LinearShape& shape, const Penalty& penalty) {
  const LinearData<double> data(omega, shape);
  const SolverChoice chosen = choose_solver(*data.problem, {.penalty = penalty});
  EXPECT_FALSE(chosen.reason.empty());
  return std::string(chosen.solver.name());
}

TEST(ChooseSolver, FollowsLossPenaltyAndShape) {
  const LinearShape free{}, penalised{.intercept = Intercept::penalised};
  const LinearShape wide{.examples = 10, .features = 80, .sparse = true, .intercept = Intercept::none};
  EXPECT_EQ(choice(Shannon{}, free, L2(1)), "lbfgs");
  EXPECT_EQ(choice(Shannon{}, penalised, L2(1)), "lbfgs");
  EXPECT_EQ(choice(Shannon{}, free, NoPenalty()), "lbfgs");
  EXPECT_EQ(choice(Shannon{}, free, L1(1)), "owlqn");
  EXPECT_EQ(choice(Shannon{}, free, ElasticNet(1, 1)), "owlqn");
  EXPECT_EQ(choice(Tsallis{2}, free, GroupLasso(1)), "fista");
  EXPECT_EQ(choice(Shannon{}, {.outputs = 2}, L1(1)), "prox_newton");
  EXPECT_EQ(choice(Tsallis{2}, {.outputs = 2}, GroupLasso(1)), "prox_newton");
  EXPECT_EQ(choice(Squared{}, {.outputs = 1, .labels = false}, ElasticNet(1, 1)), "prox_newton");
  EXPECT_EQ(choice(Tsallis{2}, {.sparse = true}, GroupLasso(1)), "prox_newton");
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
  EXPECT_EQ(asked.solver.name(), "fista");
  EXPECT_EQ(asked.reason, "as asked");
  // A model of one's own, of which only the shape is known.
  const LinearData<double> bound(Shannon{}, penalised);
  const OwnProblem smooth{.objective = make_objective(*bound.problem)};
  EXPECT_EQ(choose_solver(smooth, {}).solver.name(), "lbfgs");
  EXPECT_EQ(choose_solver(smooth, {.penalty = L1(1)}).solver.name(), "owlqn");
  const OwnProblem kinks{.examples = make_examples(*bound.problem), .smooth = false};
  EXPECT_EQ(choose_solver(kinks, {}).solver.name(), "frank_wolfe");
  const OwnProblem coupled{.examples = make_examples(*data.problem), .smooth = false};
  EXPECT_EQ(choose_solver(coupled, {}).solver.name(), "subgradient");
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
  EXPECT_THAT(complaint(Argmax{}, {.solver = "lbfgs"}), HasSubstr("has kinks; choose solver=dual_ascent"));
  EXPECT_THAT(complaint(Shannon{}, {.penalty = L1(1), .solver = "lbfgs"}), HasSubstr("choose solver=owlqn"));
  const auto message = [](const char* text) { return message_of([&] { AnySolver{text}; }); };
  EXPECT_THAT(message("newton"), HasSubstr("solver is 'newton'; expected auto, dual_ascent"));
  EXPECT_THAT(message("lbfg"), HasSubstr("did you mean 'lbfgs'?"));
  EXPECT_THAT(message("lbfgs:memory=0"), HasSubstr("memory"));
  EXPECT_THAT(message("lbfgs:pairs=3"), HasSubstr("no parameter 'pairs'"));
  EXPECT_THAT(message("auto:memory=3"), HasSubstr("auto"));
  EXPECT_THAT(complaint(Shannon{}, {.tolerance = -1}), HasSubstr("tolerance"));
  EXPECT_THAT(complaint(Shannon{}, {.penalty = L2(-1)}), HasSubstr("penalty.l2"));
  EXPECT_THAT(complaint(Shannon{}, {.solver = "dual_ascent"}), HasSubstr("intercept"));
}

TEST(Train, RunsToItsCriterionOrUntilStopped) {
  const LinearData<double> data(Tsallis{1.5}, {});
  int steps = 0;
  TrainOptions options{.penalty = L2(0.5), .tolerance = 1e-8, .threads = 1};
  const Observer observer = [&](const StepReport& last_step, const Algorithm& algorithm) {
    EXPECT_EQ(algorithm.parameters().size(), data.problem->shape().size);
    EXPECT_GT(last_step.objective, 0);
    return ++steps < 4;
  };
  const TrainResult stopped = train(*data.problem, options, observer);
  EXPECT_EQ(steps, 4);
  EXPECT_FALSE(stopped.report.converged());
  const TrainResult result = train(*data.problem, options);
  EXPECT_TRUE(result.report.converged());
  EXPECT_LE(result.last_step.residual, 1e-8);
  EXPECT_EQ(result.choice.solver.name(), "lbfgs");
  EXPECT_LT(result.last_step.objective, stopped.last_step.objective);
  // The same model as an objective of any other kind.
  const TrainResult other = train(OwnProblem{.objective = make_objective(*data.problem, 1)}, options);
  EXPECT_EQ(other.parameters, result.parameters);
  EXPECT_THROW(train(OwnProblem{.examples = make_examples(*data.problem)}, options), std::invalid_argument);
  EXPECT_THROW(train(OwnProblem{}, options), std::invalid_argument);
}

TEST(Train, FloatAndDoubleFeaturesAgree) {
  for (const bool sparse : {false, true}) {
    const LinearData<float> single(Shannon{}, {.sparse = sparse});
    const LinearData<double> precise(Shannon{}, {.sparse = sparse});
    const TrainOptions options{.tolerance = 1e-9, .threads = 1};
    const TrainResult a = train(*single.problem, options), b = train(*precise.problem, options);
    EXPECT_NEAR(a.last_step.objective, b.last_step.objective, 1e-5 * b.last_step.objective);
    EXPECT_LE(max_difference(a.parameters, b.parameters), 1e-3);
  }
}

}  // namespace
}  // namespace fenchel::test
