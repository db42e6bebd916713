// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/kernel_ascent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/dual_ascent.hpp"
#include "training/small_problems.hpp"

namespace fenchel {
namespace {

using test::expect_resumes;
using test::run_to_end;
using test::small_data;
using test::SmallData;
using testing::HasSubstr;

KernelProblem<double> problem_of(const SmallData& data, const AnyRegularizer& omega,
                                 const std::string& kernel) {
  return {.x = data.sparse,
          .y = data.labels,
          .outputs = data.targets.cols(),
          .omega = omega,
          .kernel = make_kernel(kernel),
          .cost = zero_one_cost()};
}

TrainOptions options_of(double lambda, double tolerance = 1e-11) {
  TrainOptions options;
  options.penalty = L2(lambda);
  options.tolerance = tolerance;
  options.max_iterations = 3000;
  options.threads = 1;
  return options;
}

TEST(KernelAscent, LinearKernelIsTheLinearModel) {
  const SmallData data = small_data(40, 6, 3, 1);
  for (const AnyRegularizer& omega :
       {AnyRegularizer(Tsallis{2}), AnyRegularizer(Shannon{}), AnyRegularizer(Sigmoid{})}) {
    for (const Intercept intercept : {Intercept::none, Intercept::penalised}) {
      KernelProblem<double> problem =
          problem_of(data, omega, intercept == Intercept::none ? "linear" : "linear:constant=1");
      problem.weights = data.weights;
      const LinearProblem<double> linear{.x = data.sparse,
                                         .y = data.labels,
                                         .outputs = 3,
                                         .omega = omega,
                                         .cost = zero_one_cost(),
                                         .weights = data.weights,
                                         .intercept = intercept};
      const KernelResult result = train_kernel(problem, options_of(0.5));
      EXPECT_TRUE(result.report.converged());
      const auto ascent = make_dual_ascent(linear, options_of(0.5));
      const double objective = run_to_end(*ascent).objective;
      EXPECT_NEAR(result.standing.objective, objective, 1e-9 * objective);
      Matrix<double> theta(40, 3);
      result.model.scores(FeaturesView<double>(data.sparse), theta.view(), 1);
      for (std::size_t i = 0; i < 40; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          double score = intercept == Intercept::none ? 0 : ascent->parameters()[6 * 3 + k];
          for (std::size_t j = 0; j < 6; ++j) score += data.dense(i, j) * ascent->parameters()[j * 3 + k];
          EXPECT_NEAR(theta(i, k), score, 1e-4);  // √gap: scores are not as exact as objectives
        }
      }
    }
  }
}

TEST(KernelAscent, PrecomputedGramMatrixIsTheKernelItself) {
  const SmallData data = small_data(30, 5, 3, 2);
  const KernelProblem<double> rbf = problem_of(data, Argmax{}, "rbf:gamma=0.2");
  Matrix<double> gram(30, 30);
  const KernelRows<double> rows(rbf.kernel, rbf.x);
  for (std::size_t i = 0; i < 30; ++i) rows.evaluate(rbf.x, i, gram.row(i));
  KernelProblem<double> precomputed = problem_of(data, Argmax{}, "precomputed");
  precomputed.x = gram;
  const KernelResult a = train_kernel(rbf, options_of(0.1, 1e-8));
  const KernelResult b = train_kernel(precomputed, options_of(0.1, 1e-8));
  EXPECT_TRUE(a.report.converged());
  EXPECT_NEAR(a.standing.objective, b.standing.objective, 1e-8 * a.standing.objective);
  Matrix<double> theta(30, 3), same(30, 3);
  a.model.scores(rbf.x, theta.view(), 1);
  b.model.scores(precomputed.x, same.view(), 1);
  for (std::size_t e = 0; e < 90; ++e) EXPECT_NEAR(theta.entries()[e], same.entries()[e], 1e-2);
  EXPECT_LT(a.model.support.size(), 30);  // the hinge leaves examples out
}

TEST(KernelAscent, RowsThatDoNotFitInMemoryAreComputedAgain) {
  const SmallData data = small_data(30, 5, 3, 3);
  KernelProblem<double> problem = problem_of(data, Tsallis{1.5}, "polynomial:gamma=0.3,coef0=1,degree=2");
  const KernelResult all = train_kernel(problem, options_of(1));
  problem.memory = 3 * 30 * sizeof(double);
  const KernelResult few = train_kernel(problem, options_of(1));
  EXPECT_EQ(all.standing.objective, few.standing.objective);
}

TEST(KernelAscent, ResumesWithTheSameBits) {
  const SmallData data = small_data(30, 5, 3, 4);
  const KernelProblem<double> problem = problem_of(data, Tsallis{1.5}, "rbf:gamma=0.2");
  expect_resumes([&] { return make_kernel_ascent(problem, options_of(0.1, 0)); }, 2, 3);
}

TEST(KernelAscent, Refusals) {
  const SmallData data = small_data(10, 3, 3, 5);
  KernelProblem<double> problem = problem_of(data, Renyi{2}, "linear");
  const auto refusal = [&](const Penalty& penalty) {
    TrainOptions options = options_of(1);
    options.penalty = penalty;
    try {
      make_kernel_ascent(problem, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal(L2(1)), HasSubstr("not convex"));
  problem.omega = Shannon{};
  EXPECT_THAT(refusal(ElasticNet(1, 1)), HasSubstr("l2 penalty alone"));
  Matrix<double> gram(10, 10);
  gram(3, 3) = -1;
  problem.x = gram;
  problem.kernel = make_kernel("precomputed");
  EXPECT_THAT(refusal(L2(1)), HasSubstr("k(x, x) of example 3 is -1"));
  Matrix<double> wide(10, 11);
  problem.x = wide;
  EXPECT_THAT(refusal(L2(1)), HasSubstr("precomputed"));
}

}  // namespace
}  // namespace fenchel
