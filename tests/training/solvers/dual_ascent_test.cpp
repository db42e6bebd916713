// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/dual_ascent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/all.hpp"
#include "messages.hpp"
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
  return test::labelled_problem(data, omega, Intercept::none);
}

TrainOptions options_of(const Penalty& penalty, double tolerance = 1e-10) {
  return test::single_threaded(penalty, tolerance, 3000);
}

// The same problem by L-BFGS or FISTA.
double primal_optimum(const LinearProblem<double>& problem, TrainOptions options) {
  options.solver = options.penalty.smooth() ? "lbfgs" : "fista";
  options.tolerance = 1e-11;
  options.max_iterations = 20000;
  return train(problem, options).last_step.objective;
}

// Checks that the gap closes, that the objective is what it says, and that the primal agrees.
void expect_optimal(const LinearProblem<double>& problem, const TrainOptions& options) {
  const auto algorithm = DualAscent{}.start(problem, options);
  const StepReport last_step = run_to_end(*algorithm);
  EXPECT_LE(last_step.residual, 1e-9);
  EXPECT_LE(*last_step.gap, 1e-9 * last_step.objective);
  EXPECT_TRUE(algorithm->report().converged());
  const double objective = objective_of(problem, options.penalty, algorithm->parameters());
  EXPECT_NEAR(last_step.objective, objective, 1e-11 * (1 + objective));
  EXPECT_NEAR(last_step.objective, primal_optimum(problem, options), 1e-8 * last_step.objective);
}

class StronglyConvex : public testing::TestWithParam<AnyRegularizer> {};

TEST_P(StronglyConvex, GapClosesAndPrimalAgrees) {
  const SmallData data = small_data(40, 7, 4, 1);
  LinearProblem<double> problem = problem_of(data, GetParam());
  for (const Penalty& penalty :
       {Penalty(L2(0.7)), Penalty(ElasticNet(1, 0.8)), Penalty{.l2 = 0.5, .l1 = 0.2, .group = 0.7}}) {
    expect_optimal(problem, options_of(penalty));
  }
}

TEST_P(StronglyConvex, ProportionsWeightsInterceptAndDenseRows) {
  const SmallData data = small_data(30, 6, 3, 2);
  LinearProblem<double> problem = problem_of(data, GetParam());
  problem.x = data.dense;
  problem.y = data.targets.view();
  problem.weights = data.weights;
  problem.intercept = Intercept::penalised;
  expect_optimal(problem, options_of(L2(0.3)));
}

TEST_P(StronglyConvex, CentredFeatures) {
  const SmallData data = small_data(30, 6, 3, 3);
  LinearProblem<double> problem = problem_of(data, GetParam());
  problem.center = data.center;
  problem.intercept = Intercept::penalised;
  expect_optimal(problem, options_of(L2(0.5)));
  problem.x = data.dense;
  expect_optimal(problem, options_of(L2(0.5)));
}

INSTANTIATE_TEST_SUITE_P(All, StronglyConvex,
                         testing::Values(AnyRegularizer(Shannon{}), AnyRegularizer(Tsallis{1.5}),
                                         AnyRegularizer(Tsallis{2}), AnyRegularizer(SquaredNorm{1.5}),
                                         AnyRegularizer(Squared{}), AnyRegularizer(Sigmoid{}),
                                         AnyRegularizer(SparseSigmoid{}),
                                         AnyRegularizer(OneVsAll{Tsallis{1.5}}), AnyRegularizer(Relu{}),
                                         AnyRegularizer(Temperature{Tsallis{2}, 0.5})),
                         [](const auto& info) { return "omega" + std::to_string(info.index); });

// The hinge dual by projected gradient steps on all μ at once: no coordinates, no sparse updates.
double hinge_dual(const LinearProblem<double>& problem, double l2) {
  const std::size_t n = problem.examples(), k = problem.outputs, p = problem.features();
  const auto rows = problem.x.dense_rows();
  std::vector<double> mu(n * k, 0.0), v(p * k), best(k);
  for (std::size_t i = 0; i < n; ++i) mu[i * k + static_cast<std::size_t>(problem.y.label(i))] = 1;
  std::vector<double> extrapolated = mu, last = mu;
  double norm = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (const double x : rows.row(i)) norm += x * x;
  }
  double momentum = 1, dual = 0;
  for (int t = 0; t < 20000; ++t) {
    std::fill(v.begin(), v.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < k; ++c) {
        const double change =
            (static_cast<std::size_t>(problem.y.label(i)) == c ? 1 : 0) - extrapolated[i * k + c];
        for (std::size_t j = 0; j < p; ++j) v[j * k + c] += change * rows.row(i)[j];
      }
    }
    dual = 0;
    for (const double entry : v) dual -= entry * entry / (2 * l2);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < k; ++c) {
        const double cost = static_cast<std::size_t>(problem.y.label(i)) == c ? 0 : 1;
        dual += cost * extrapolated[i * k + c];
        double slope = cost;
        for (std::size_t j = 0; j < p; ++j) slope += v[j * k + c] * rows.row(i)[j] / l2;
        best[c] = extrapolated[i * k + c] + slope * l2 / norm;
      }
      // The projection by bisection on the threshold.
      double low = *std::ranges::min_element(best) - 1, high = *std::ranges::max_element(best);
      for (int s = 0; s < 80; ++s) {
        const double middle = 0.5 * (low + high);
        double sum = 0;
        for (const double entry : best) sum += std::max(entry - middle, 0.0);
        (sum > 1 ? low : high) = middle;
      }
      for (std::size_t c = 0; c < k; ++c) mu[i * k + c] = std::max(best[c] - low, 0.0);
    }
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    for (std::size_t e = 0; e < mu.size(); ++e)
      extrapolated[e] = mu[e] + (momentum - 1) / next * (mu[e] - last[e]);
    last = mu;
    momentum = next;
  }
  return dual;
}

TEST(DualAscent, HingeReachesTheOptimumOfTheQuadraticProgram) {
  const SmallData data = small_data(15, 4, 3, 4);
  LinearProblem<double> problem = problem_of(data, Argmax{});
  problem.x = data.dense;
  problem.loss = problem.loss.with_cost(zero_one_cost());
  const auto algorithm = DualAscent{}.start(problem, options_of(L2(0.4), 1e-9));
  const StepReport last_step = run_to_end(*algorithm);
  EXPECT_TRUE(algorithm->report().converged());
  EXPECT_NEAR(last_step.objective, objective_of(problem, L2(0.4), algorithm->parameters()), 1e-10);
  EXPECT_NEAR(last_step.objective, hinge_dual(problem, 0.4), 1e-6 * last_step.objective);
}

TEST(DualAscent, CostsOfEveryKindAndWeights) {
  const SmallData data = small_data(40, 6, 3, 5);
  for (const Cost& cost : {zero_one_cost(), Cost(std::vector<double>{0.5, 0, 1}),
                           Cost(std::vector<std::vector<double>>{{0, 1, 2}, {0.5, 0, 1}, {3, 1, 0}})}) {
    LinearProblem<double> problem = problem_of(data, Argmax{});
    problem.loss = problem.loss.with_cost(cost);
    problem.weights = data.weights;
    const auto hinge = DualAscent{}.start(problem, options_of(L2(0.5), 1e-8));
    const StepReport last_step = run_to_end(*hinge);
    EXPECT_TRUE(hinge->report().converged());
    EXPECT_NEAR(last_step.objective, objective_of(problem, L2(0.5), hinge->parameters()), 1e-10);
    problem.loss = Tsallis{1.5};
    expect_optimal(problem, options_of(L2(0.5)));
    problem.loss = Sigmoid{};
    expect_optimal(problem, options_of(L2(0.5)));
  }
}

// Updates of single examples undo each other here; steps on faces of the simplices do not.
TEST(DualAscent, WeakPenaltiesTakeFewRounds) {
  constexpr int rounds = 150;
  const SmallData data = small_data(120, 5, 3, 21);
  for (const AnyRegularizer& omega :
       {AnyRegularizer(Argmax{}), AnyRegularizer(Tsallis{2}), AnyRegularizer(Temperature{Tsallis{2}, 0.1})}) {
    for (const bool centred : {false, true}) {
      LinearProblem<double> problem = problem_of(data, omega);
      problem.loss = problem.loss.with_cost(zero_one_cost());
      problem.weights = data.weights;
      problem.intercept = Intercept::penalised;
      if (centred) problem.center = data.center;
      TrainOptions options = options_of(L2(0.01), 1e-7);
      options.max_iterations = rounds;
      const auto algorithm = DualAscent{}.start(problem, options);
      const StepReport last_step = run_to_end(*algorithm);
      SCOPED_TRACE(to_json(omega.spec()) + (centred ? " centred" : ""));
      EXPECT_TRUE(algorithm->report().converged()) << algorithm->report().residual;
      const double objective = objective_of(problem, options.penalty, algorithm->parameters());
      EXPECT_NEAR(last_step.objective, objective, 1e-10 * objective);
      expect_resumes([&] { return DualAscent{}.start(problem, options_of(L2(0.01), 0)); }, 5, 4);
    }
  }
}

TEST(DualAscent, CostThatDependsOnProportions) {
  const SmallData data = small_data(20, 4, 3, 6);
  LinearProblem<double> problem = problem_of(data, Tsallis{2});
  problem.y = data.targets.view();
  problem.loss = problem.loss.with_cost(zero_one_cost());
  expect_optimal(problem, options_of(L2(0.5)));
}

TEST(DualAscent, PerceptronWithoutCostStaysAtZero) {
  const SmallData data = small_data(10, 3, 3, 7);
  const LinearProblem<double> problem = problem_of(data, Argmax{});
  const auto algorithm = DualAscent{}.start(problem, options_of(L2(1)));
  const StepReport last_step = run_to_end(*algorithm);
  EXPECT_EQ(last_step.objective, 0);
  EXPECT_TRUE(algorithm->report().converged());
}

TEST(DualAscent, OneClassNoFeaturesNoExamples) {
  SmallData data = small_data(6, 3, 1, 8);
  LinearProblem<double> problem = problem_of(data, Shannon{});
  auto algorithm = DualAscent{}.start(problem, options_of(L2(1)));
  EXPECT_EQ(run_to_end(*algorithm).objective, 0);

  data = small_data(6, 3, 3, 8);
  std::fill(data.labels.begin(), data.labels.end(), 1);  // a single class
  problem = problem_of(data, Tsallis{1.5});
  expect_optimal(problem, options_of(L2(1)));

  const CsrMatrix<double> empty_rows{.cols = 3, .offsets = std::vector<std::int64_t>(7, 0)};
  problem.x = empty_rows;
  algorithm = DualAscent{}.start(problem, options_of(L2(1)));
  const StepReport last_step = run_to_end(*algorithm);
  EXPECT_LE(*last_step.gap, 1e-12);
  for (const double entry : algorithm->parameters()) EXPECT_EQ(entry, 0);
}

TEST(DualAscent, SingleFeaturesInFloat) {
  const SmallData data = small_data(30, 5, 3, 9);
  Matrix<float> x(30, 5);
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t j = 0; j < 5; ++j) x(i, j) = static_cast<float>(data.dense(i, j));
  }
  Matrix<double> rounded(30, 5);
  std::ranges::copy(x.entries(), rounded.entries().begin());
  LinearProblem<double> wide = problem_of(data, Tsallis{2});
  wide.x = rounded;
  const LinearProblem<float> narrow{
      .x = x, .y = data.labels, .outputs = 3, .loss = Tsallis{2}, .intercept = Intercept::none};
  const auto a = DualAscent{}.start(wide, options_of(L2(1)));
  const auto b = DualAscent{}.start(narrow, options_of(L2(1)));
  EXPECT_EQ(run_to_end(*a).objective, run_to_end(*b).objective);
}

TEST(DualAscent, ResumesWithTheSameBits) {
  const SmallData data = small_data(40, 6, 9, 10);
  for (const AnyRegularizer& omega :
       {AnyRegularizer(Argmax{}), AnyRegularizer(Shannon{}), AnyRegularizer(SparseSigmoid{})}) {
    LinearProblem<double> problem = problem_of(data, omega);
    problem.loss = problem.loss.with_cost(zero_one_cost());
    problem.center = data.center;
    expect_resumes([&] { return DualAscent{}.start(problem, options_of(L2(0.1), 0)); }, 3, 4);
  }
}

TEST(DualAscent, SameBitsForAnyNumberOfThreadsAndBothOrdersAgree) {
  const SmallData data = small_data(400, 130, 10, 11);
  for (const AnyRegularizer& omega : {AnyRegularizer(Sigmoid{}), AnyRegularizer(Tsallis{1.5})}) {
    const LinearProblem<double> problem = problem_of(data, omega);
    TrainOptions options = options_of(L2(20), 1e-6);
    const auto one = DualAscent{}.start(problem, options);
    const double objective = run_to_end(*one).objective;
    options.threads = 2;  // enough work for them to be used
    const auto two = DualAscent{}.start(problem, options);
    EXPECT_EQ(run_to_end(*two).objective, objective);
    EXPECT_TRUE(std::ranges::equal(one->parameters(), two->parameters()));
    const auto cyclic = DualAscent{.order = "cyclic"}.start(problem, options);
    EXPECT_NEAR(run_to_end(*cyclic).objective, objective, 1e-6 * objective);
  }
}

TEST(DualAscent, WarmStartFromTheOptimumIsDoneAtOnce) {
  const SmallData data = small_data(40, 6, 3, 12);
  const LinearProblem<double> problem = problem_of(data, Tsallis{1.5});
  TrainOptions options = options_of(L2(1), 1e-13);
  const auto cold = DualAscent{}.start(problem, options);
  const double objective = run_to_end(*cold).objective;
  const std::vector<double> start(cold->parameters().begin(), cold->parameters().end());
  options.start = start;
  options.tolerance = 1e-9;
  const auto warm = DualAscent{}.start(problem, options);
  EXPECT_NEAR(run_to_end(*warm).objective, objective, 1e-8 * objective);
  EXPECT_LE(warm->report().iterations, 1);
  EXPECT_GT(cold->report().iterations, 2);
}

TEST(DualAscent, OutOfIterationsIsSaid) {
  const SmallData data = small_data(40, 6, 3, 13);
  const LinearProblem<double> problem = problem_of(data, Shannon{});
  TrainOptions options = options_of(L2(0.001), 1e-12);
  options.max_iterations = 1;
  const auto algorithm = DualAscent{}.start(problem, options);
  EXPECT_TRUE(algorithm->step().done);
  EXPECT_EQ(algorithm->report().status, Status::max_iterations);
}

std::string refusal(const LinearProblem<double>& problem, const TrainOptions& options) {
  try {
    DualAscent{}.start(problem, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DualAscent, Refusals) {
  const SmallData data = small_data(10, 3, 3, 14);
  LinearProblem<double> problem = problem_of(data, Shannon{});
  problem.intercept = Intercept::free;
  EXPECT_THAT(refusal(problem, options_of(L2(1))),
              testing::AllOf(HasSubstr("intercept=penalised"), HasSubstr("solver=lbfgs")));
  problem.intercept = Intercept::none;
  EXPECT_THAT(refusal(problem, options_of(L1(1))), HasSubstr("l2 is 0"));
  problem.center = data.center;
  EXPECT_THAT(refusal(problem, options_of(ElasticNet(1, 1))), HasSubstr("centred"));
  problem.center = {};
  problem.loss = Renyi{2};
  EXPECT_THAT(refusal(problem, options_of(L2(1))), HasSubstr("not convex"));
  problem.loss = Shannon{};
  const auto message = [](const char* text) { return test::message_of([&] { AnySolver{text}; }); };
  EXPECT_THAT(message("dual_ascent:order=backwards"), HasSubstr("expected random or cyclic"));
  EXPECT_THAT(message("dual_ascent:speed=3"), HasSubstr("no parameter 'speed'"));
}

}  // namespace
}  // namespace fenchel
