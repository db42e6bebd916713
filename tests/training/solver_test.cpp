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

// Where a refusal names other solvers, at least one of them takes the problem as it is.
void expect_followable(const std::string& reason, const Problem& problem, const TrainOptions& options) {
  const std::string start = "`solver=";
  int named = 0, willing = 0;
  for (auto at = reason.find(start); at != std::string::npos; at = reason.find(start, at + 1)) {
    const auto from = at + start.size();
    const AnySolver other(reason.substr(from, reason.find('`', from) - from));
    ++named;
    if (!other.refuses(problem, options)) ++willing;
  }
  EXPECT_TRUE(named == 0 || willing > 0) << reason;
}

// A solver trains a problem or says why not, with advice that can be followed.
void expect_trains_or_refuses(const Problem& problem, const TrainOptions& options) {
  for (const SolverEntry& entry : solver_list()) {
    SCOPED_TRACE(entry.traits.name);
    const auto reason = entry.solver.refuses(problem, options);
    if (reason) {
      EXPECT_THROW(entry.solver.start(problem, options), OptionError);
      EXPECT_FALSE(entry.solver.suits(problem, options)) << "suits what it refuses";
      expect_followable(*reason, problem, options);
      continue;
    }
    const auto algorithm = entry.solver.start(problem, options);
    const StepReport first = algorithm->step();
    EXPECT_TRUE(std::isfinite(first.objective));
    EXPECT_EQ(algorithm->parameters().size(), facts_of(problem).shape.size);
  }
  const SolverChoice choice = choose_solver(problem, options);
  EXPECT_FALSE(choice.solver.refuses(problem, options)) << choice.solver.name() << ": " << choice.reason;
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
              testing::HasSubstr("kernel models are trained by solver=dual_ascent alone"));
}

}  // namespace
}  // namespace fenchel::test
