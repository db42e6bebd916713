// SPDX-License-Identifier: Apache-2.0
// Every solver of the list reaches the common optimum of what it takes, as far as its duality gap says, and
// resumes with the same bits.
#include <gtest/gtest.h>

#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/solver.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel::test {
namespace {

constexpr double tolerance = 1e-4;

class SolverAgreement : public testing::TestWithParam<std::string> {
 protected:
  const SmallData data = small_data(40, 6, 3, 2);
  const TrainOptions options{.penalty = L2(1), .tolerance = tolerance, .max_iterations = 20000, .threads = 1};

  AnySolver solver() const { return AnySolver(GetParam()); }
  LinearProblem<double> problem(const AnyRegularizer& omega) const {
    return {.x = data.sparse,
            .y = MatrixView<const double>(data.targets.view()),
            .outputs = 3,
            .loss = omega,
            .intercept = Intercept::none};
  }
};

TEST_P(SolverAgreement, ReachTheOptimumOfWhatTheyTake) {
  for (const AnyRegularizer& omega : std::vector<AnyRegularizer>{Shannon{}, Tsallis{2}, Argmax{}}) {
    const LinearProblem<double> of = problem(omega);
    if (solver().refuses(of, options)) continue;
    const auto algorithm = solver().start(of, options);
    EXPECT_EQ(algorithm->name(), GetParam());
    const StepReport end = run_to_end(*algorithm);
    EXPECT_NEAR(objective_of(of, options.penalty, algorithm->parameters()), end.objective,
                1e-9 * (1 + end.objective));
    // The best that any solver of the list reaches.
    double least = infinity;
    for (const SolverEntry& entry : solver_list()) {
      if (entry.solver.refuses(of, options)) continue;
      const auto other = entry.solver.start(of, options);
      least = std::min(least, run_to_end(*other).objective);
    }
    // The duality gap bounds the distance; without one, to converge is to hardly move.
    const double distance = end.objective - least;
    if (end.gap) {
      EXPECT_LE(distance, *end.gap + 1e-9 * least) << omega.spec().name;
    } else if (algorithm->report().converged()) {
      EXPECT_LE(distance, 100 * tolerance * least) << omega.spec().name;
    }
  }
}

TEST_P(SolverAgreement, ResumeWithTheSameBits) {
  const TrainOptions endless{.penalty = L2(1), .tolerance = 0, .threads = 1};
  const LinearProblem<double> of = problem(Shannon{});
  if (solver().refuses(of, endless)) GTEST_SKIP() << *solver().refuses(of, endless);
  for (const int before : {0, 1, 4}) expect_resumes([&] { return solver().start(of, endless); }, before, 3);
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const SolverEntry& entry : solver_list()) result.emplace_back(entry.traits.name);
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, SolverAgreement, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace fenchel::test
