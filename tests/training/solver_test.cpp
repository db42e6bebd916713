// SPDX-License-Identifier: Apache-2.0
// Every solver of the list: its text and back, and what it does with problems of every kind.
#include "fenchel/training/solver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fenchel/core/option_error.hpp"
#include "fenchel/training/train.hpp"
#include "messages.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel::test {
namespace {

TEST(SolverList, NamesAreUniqueAndTextsGoBothWays) {
  std::set<std::string_view> names;
  for (const SolverEntry& entry : solver_list()) {
    EXPECT_TRUE(names.insert(entry.traits.name).second) << entry.traits.name;
    EXPECT_FALSE(entry.traits.about.empty()) << entry.traits.name;
    const AnySolver again(to_json(entry.solver.spec()));
    EXPECT_EQ(again.name(), entry.traits.name);
    EXPECT_EQ(to_json(again.spec()), to_json(entry.solver.spec()));
  }
  EXPECT_TRUE(AnySolver().automatic());
  EXPECT_TRUE(AnySolver("auto").automatic());
}

// A solver trains a problem, or says why not and names the one that `auto` chooses, which does.
void expect_trains_or_refuses(const Problem& problem, const TrainOptions& options) {
  const SolverChoice choice = choose_solver(problem, options);
  EXPECT_FALSE(choice.solver.refuses(problem, options)) << choice.solver.name() << ": " << choice.reason;
  for (const SolverEntry& entry : solver_list()) {
    SCOPED_TRACE(entry.traits.name);
    if (const auto refusal = entry.solver.refuses(problem, options)) {
      EXPECT_FALSE(entry.solver.suits(problem, options)) << "suits what it refuses";
      EXPECT_THAT(message_of([&] { entry.solver.start(problem, options); }),
                  testing::AllOf(testing::HasSubstr("choose "),
                                 testing::EndsWith("solver=" + std::string(choice.solver.name()))));
      continue;
    }
    const auto algorithm = entry.solver.start(problem, options);
    const StepReport first = algorithm->step();
    EXPECT_TRUE(std::isfinite(first.objective));
    EXPECT_EQ(algorithm->parameters().size(), facts_of(problem).shape.size);
  }
}

TEST(SolverList, EveryKindOfProblem) {
  const std::vector<Penalty> penalties{L2(0.5), L1(0.5), ElasticNet(1, 0.5), GroupLasso(0.5), NoPenalty()};
  for (const AnyRegularizer& omega :
       std::vector<AnyRegularizer>{Shannon{}, Tsallis{2}, Argmax{}, Renyi{2}, Sigmoid{}}) {
    for (const Intercept intercept : {Intercept::free, Intercept::penalised, Intercept::none}) {
      for (const Penalty& penalty : penalties) {
        const LinearData<double> data(omega, {.intercept = intercept});
        expect_trains_or_refuses(*data.problem, {.penalty = penalty, .max_iterations = 2, .threads = 1});
      }
    }
  }
  const TaggerData sentences = random_tagging({.sentences = 5}, 3);
  const TaggerFeatures features = tagger_features(sentences);
  for (const char* loss : {"crf", "sparsemap", "hinge"}) {
    const ChainProblem problem{sentences, features, TaggingLoss{features.labels}(loss)};
    for (const Penalty& penalty : penalties) {
      expect_trains_or_refuses(problem, {.penalty = penalty, .max_iterations = 2, .threads = 1});
    }
  }
  const LinearData<double> rows(Shannon{}, {});
  const KernelProblem<double> kernel{
      .x = rows.problem->x, .y = rows.problem->y, .outputs = rows.problem->outputs, .loss = Shannon{}};
  expect_trains_or_refuses(kernel, {.penalty = L2(1), .max_iterations = 2, .threads = 1});
  EXPECT_THAT(message_of([&] { make_algorithm(kernel, {.solver = "lbfgs"}); }),
              testing::HasSubstr("which kernel models do not have; choose solver=dual_ascent"));
}

}  // namespace
}  // namespace fenchel::test
