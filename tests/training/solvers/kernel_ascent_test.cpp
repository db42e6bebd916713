// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fenchel/models/kernel_model.hpp"
#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/all.hpp"
#include "fenchel/training/problems/kernel.hpp"
#include "fenchel/training/solvers/dual_ascent.hpp"
#include "fenchel/training/train.hpp"
#include "training/problems_fixture.hpp"

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
          .loss = {omega, zero_one_cost()},
          .kernel = make_kernel(kernel)};
}

TrainOptions options_of(double lambda, double tolerance = 1e-11) {
  TrainOptions options;
  options.penalty = L2(lambda);
  options.tolerance = tolerance;
  options.max_iterations = 3000;
  options.threads = 1;
  return options;
}

struct KernelFit {
  KernelModel model;
  StepReport last_step;
  Report report;
};
KernelFit fit_kernel(const KernelProblem<double>& problem, const TrainOptions& options) {
  const TrainResult result = train(problem, options);
  const MatrixView<const double> coefficients(result.parameters.data(), problem.x.rows(), problem.outputs);
  return {make_kernel_model(problem.kernel, problem.x, coefficients), result.last_step, result.report};
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
                                         .loss = {omega, zero_one_cost()},
                                         .weights = data.weights,
                                         .intercept = intercept};
      const KernelFit result = fit_kernel(problem, options_of(0.5));
      EXPECT_TRUE(result.report.converged());
      const auto ascent = DualAscent{}.start(linear, options_of(0.5));
      const double objective = run_to_end(*ascent).objective;
      EXPECT_NEAR(result.last_step.objective, objective, 1e-9 * objective);
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
  const KernelFit a = fit_kernel(rbf, options_of(0.1, 1e-8));
  const KernelFit b = fit_kernel(precomputed, options_of(0.1, 1e-8));
  EXPECT_TRUE(a.report.converged());
  EXPECT_NEAR(a.last_step.objective, b.last_step.objective, 1e-8 * a.last_step.objective);
  Matrix<double> theta(30, 3), same(30, 3);
  a.model.scores(rbf.x, theta.view(), 1);
  b.model.scores(precomputed.x, same.view(), 1);
  for (std::size_t e = 0; e < 90; ++e) EXPECT_NEAR(theta.entries()[e], same.entries()[e], 1e-2);
  EXPECT_LT(a.model.support.size(), 30);  // the hinge leaves examples out
}

TEST(KernelAscent, RowsThatDoNotFitInMemoryAreComputedAgain) {
  const SmallData data = small_data(30, 5, 3, 3);
  KernelProblem<double> problem = problem_of(data, Tsallis{1.5}, "polynomial:gamma=0.3,coef0=1,degree=2");
  const KernelFit all = fit_kernel(problem, options_of(1));
  problem.memory = 3 * 30 * sizeof(double);
  const KernelFit few = fit_kernel(problem, options_of(1));
  EXPECT_EQ(all.last_step.objective, few.last_step.objective);
}

TEST(KernelAscent, ResumesWithTheSameBits) {
  const SmallData data = small_data(30, 5, 3, 4);
  const KernelProblem<double> problem = problem_of(data, Tsallis{1.5}, "rbf:gamma=0.2");
  expect_resumes([&] { return DualAscent{}.start(problem, options_of(0.1, 0)); }, 2, 3);
}

TEST(KernelAscent, Refusals) {
  const SmallData data = small_data(10, 3, 3, 5);
  KernelProblem<double> problem = problem_of(data, Renyi{2}, "linear");
  const auto refusal = [&](const Penalty& penalty) {
    TrainOptions options = options_of(1);
    options.penalty = penalty;
    try {
      DualAscent{}.start(problem, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal(L2(1)), HasSubstr("not convex"));
  problem.loss = Shannon{};
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
