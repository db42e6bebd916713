// SPDX-License-Identifier: Apache-2.0
// Every solver of the list reaches the common optimum of what it takes, as far as its duality gap says, and
// resumes with the same bits.
#include <gtest/gtest.h>

#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/all.hpp"
#include "fenchel/training/train.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel::test {
namespace {

constexpr double tolerance = 1e-4;
constexpr double tight = 1e-10;  // of the reference

const std::vector<std::pair<std::string, Penalty>> penalties{
    {"l2", L2(1)}, {"l1", L1(1)}, {"elastic net", ElasticNet(1, 0.5)}};

TrainOptions options_of(const Penalty& penalty, double until) {
  return {.penalty = penalty, .tolerance = until, .max_iterations = 20000, .threads = 1};
}

class SolverAgreement : public testing::TestWithParam<std::string> {
 protected:
  const SmallData data = small_data(40, 6, 3, 2);

  AnySolver solver() const { return AnySolver(GetParam()); }
  LinearProblem<double> problem(const AnyRegularizer& omega) const {
    return {.x = data.sparse,
            .y = MatrixView<const double>(data.targets.view()),
            .outputs = 3,
            .loss = omega,
            .intercept = Intercept::none};
  }
  // That of FISTA, far beyond the tolerance, where the loss is smooth; else the best that any solver of the
  // list reaches.
  static double optimum(const LinearProblem<double>& of, const Penalty& penalty) {
    if (!Fista{}.refuses(of, options_of(penalty, tight))) {
      return run_to_end(*Fista{}.start(of, options_of(penalty, tight))).objective;
    }
    double least = infinity;
    for (const SolverEntry& entry : solver_list()) {
      if (entry.solver.refuses(of, options_of(penalty, tolerance))) continue;
      const auto other = entry.solver.start(of, options_of(penalty, tolerance));
      least = std::min(least, run_to_end(*other).objective);
    }
    return least;
  }
};

TEST_P(SolverAgreement, NoIterationsLeaveTheStart) {
  for (const auto& [name, penalty] : penalties) {
    for (const AnyRegularizer& omega :
         std::vector<AnyRegularizer>{Shannon{}, Tsallis{2}, Argmax{}, Sigmoid{}}) {
      TrainOptions options = options_of(penalty, tolerance);
      options.max_iterations = 0;
      const LinearProblem<double> of = problem(omega);
      if (solver().refuses(of, options)) continue;
      SCOPED_TRACE(omega.spec().name + " " + name);
      options.solver = solver();
      const TrainResult result = train(of, options);
      EXPECT_EQ(max_abs(result.parameters), 0);
      EXPECT_EQ(result.report.iterations, 0);
      EXPECT_EQ(result.report.status, result.last_step.gap == 0 ? Status::converged : Status::max_iterations);
      EXPECT_TRUE(result.last_step.done);
      Matrix<double> theta(40, 3);
      double loss = 0;
      for (std::size_t i = 0; i < 40; ++i) loss += of.loss.value(theta.row(i), data.targets.row(i));
      EXPECT_NEAR(result.last_step.objective, loss, 1e-12 * loss);
    }
  }
}

TEST_P(SolverAgreement, ReachTheOptimumOfWhatTheyTake) {
  for (const auto& [name, penalty] : penalties) {
    const TrainOptions options = options_of(penalty, tolerance);
    for (const AnyRegularizer& omega : std::vector<AnyRegularizer>{Shannon{}, Tsallis{2}, Argmax{}}) {
      const LinearProblem<double> of = problem(omega);
      if (solver().refuses(of, options)) continue;
      SCOPED_TRACE(omega.spec().name + " " + name);
      const auto algorithm = solver().start(of, options);
      EXPECT_EQ(algorithm->name(), GetParam());
      const StepReport end = run_to_end(*algorithm);
      EXPECT_NEAR(objective_of(of, penalty, algorithm->parameters()), end.objective,
                  1e-9 * (1 + end.objective));
      // The duality gap bounds the distance; without one, to converge is to hardly move.
      const double least = optimum(of, penalty), distance = end.objective - least;
      EXPECT_GE(distance, -1e-8 * least);
      if (end.gap) {
        EXPECT_LE(distance, *end.gap + 1e-9 * least);
      } else if (algorithm->report().converged()) {
        EXPECT_LE(distance, 100 * tolerance * least);
      }
    }
  }
}

TEST_P(SolverAgreement, ResumeWithTheSameBits) {
  int tried = 0;
  for (const auto& [name, penalty] : penalties) {
    const TrainOptions endless = options_of(penalty, 0);
    const LinearProblem<double> of = problem(Shannon{});
    if (solver().refuses(of, endless)) continue;
    ++tried;
    SCOPED_TRACE(name);
    for (const int before : {0, 1, 4}) expect_resumes([&] { return solver().start(of, endless); }, before, 3);
  }
  if (tried == 0) GTEST_SKIP() << "not for smooth losses";
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
