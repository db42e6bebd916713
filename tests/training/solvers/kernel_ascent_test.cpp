// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fenchel/models/kernel_model.hpp"
#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/all.hpp"
#include "fenchel/training/problems/kernel.hpp"
#include "fenchel/training/solvers/dual_ascent.hpp"
#include "fenchel/training/train.hpp"
#include "training/problems_fixture.hpp"
#include "training/solvers/gram_matrix.hpp"

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

// Updates of single examples would take thousands of passes: Newton's method takes the smooth losses there.
TEST(KernelAscent, WeakPenaltiesTakeFewRounds) {
  const SmallData data = small_data(120, 5, 3, 6);
  for (const AnyRegularizer& omega : {AnyRegularizer(Shannon{}), AnyRegularizer(Sigmoid{})}) {
    KernelProblem<double> problem = problem_of(data, omega, "rbf:gamma=0.5");
    problem.weights = data.weights;
    for (const double lambda : {1e-3, 1e-6, 1e-9}) {
      const KernelFit result = fit_kernel(problem, options_of(lambda, 1e-8));
      EXPECT_TRUE(result.report.converged()) << lambda;
      EXPECT_LE(result.report.iterations, 40) << lambda;
    }
  }
  // Sparse ones get where predictions hardly change.
  for (const AnyRegularizer& omega : {AnyRegularizer(Argmax{}), AnyRegularizer(Tsallis{2})}) {
    const KernelProblem<double> problem = problem_of(data, omega, "rbf:gamma=0.5");
    TrainOptions options = options_of(1e-6);
    options.tolerance = {};
    options.gap = sufficient_gap(problem, 1);
    const KernelFit result = fit_kernel(problem, options);
    EXPECT_TRUE(result.report.converged());
    EXPECT_LE(result.report.iterations, 100);
  }
}

TEST(KernelAscent, NewtonResumesWithTheSameBits) {
  const SmallData data = small_data(60, 5, 3, 7);
  const KernelProblem<double> problem = problem_of(data, Shannon{}, "rbf:gamma=0.5");
  expect_resumes([&] { return DualAscent{}.start(problem, options_of(1e-5, 0)); }, 3, 3);
}

TEST(KernelAscent, WarmStartsGoOn) {
  const SmallData data = small_data(200, 5, 3, 8);
  for (const AnyRegularizer& omega :
       {AnyRegularizer(Argmax{}), AnyRegularizer(Tsallis{2}), AnyRegularizer(Shannon{})}) {
    const KernelProblem<double> problem = problem_of(data, omega, "rbf:gamma=0.3");
    const TrainResult strong = train(problem, options_of(0.11, 1e-9));
    TrainOptions options = options_of(0.1, 1e-6);
    const TrainResult cold = train(problem, options);
    options.start = strong.parameters;
    const TrainResult warm = train(problem, options);
    EXPECT_TRUE(warm.report.converged());
    EXPECT_NEAR(warm.last_step.objective, cold.last_step.objective, 1e-6 * cold.last_step.objective);
    options.max_iterations = 0;
    const auto first = [&](std::span<const double> start) {
      options.start = start;
      return DualAscent{}.start(problem, options)->assess();
    };
    const StepReport from_nothing = first({});
    EXPECT_LT(*first(strong.parameters).gap, 0.2 * *from_nothing.gap);
    // What leads nowhere is no start.
    const std::vector<double> wild(strong.parameters.size(), -1e3);
    EXPECT_EQ(*first(wild).gap, *from_nothing.gap);
  }
  const KernelProblem<double> problem = problem_of(data, Tsallis{2}, "linear");
  TrainOptions options = options_of(1);
  const std::vector<double> few(3, 1.0);
  options.start = few;
  EXPECT_THROW(DualAscent{}.start(problem, options), std::invalid_argument);
}

// The first round of many examples is among some of them, and later ones among those with a gap.
TEST(KernelAscent, PartsOfManyExamplesEndAtTheSameOptimum) {
  const SmallData data = small_data(1300, 5, 3, 9);
  for (const AnyRegularizer& omega : {AnyRegularizer(Argmax{}), AnyRegularizer(Tsallis{2})}) {
    KernelProblem<double> problem = problem_of(data, omega, "rbf:gamma=0.3");
    const TrainResult result = train(problem, options_of(1, 1e-5));
    EXPECT_TRUE(result.report.converged());
    const LinearProblem<double> same{
        .x = data.sparse, .y = data.labels, .outputs = 3, .loss = problem.loss, .intercept = Intercept::none};
    KernelProblem<double> linear = problem;
    linear.kernel = make_kernel("linear");
    const double objective = train(same, options_of(1, 1e-6)).last_step.objective;
    EXPECT_NEAR(train(linear, options_of(1, 1e-5)).last_step.objective, objective, 1e-4 * objective);
    TrainOptions threads = options_of(1, 1e-5);
    threads.threads = 3;
    EXPECT_EQ(train(problem, threads).parameters, result.parameters);
    // Newton's method takes the Gram matrix; the hinge, which has kinks, does without.
    problem.memory = std::size_t{1000} * 1300 * sizeof(double);
    const TrainResult part = train(problem, options_of(1, 1e-5));
    EXPECT_TRUE(part.report.converged());
    if (!omega.refined_traits().strictly_convex) {
      EXPECT_EQ(part.parameters, result.parameters);
    } else {
      EXPECT_NEAR(part.last_step.objective, result.last_step.objective, 1e-5 * result.last_step.objective);
    }
  }
}

TEST(KernelAscent, FitsShareAGramMatrix) {
  const SmallData data = small_data(50, 5, 3, 10);
  KernelProblem<double> problem = problem_of(data, Tsallis{1.5}, "rbf:gamma=0.3");
  GramCache cache;
  const FeaturesView<double> x(data.sparse);
  const auto gram = cache.of<double>(problem.kernel, x, problem.memory);
  EXPECT_EQ(gram, cache.of<double>(problem.kernel, x, problem.memory));
  EXPECT_NE(gram, cache.of<double>(make_kernel("rbf:gamma=0.4"), x, problem.memory));
  EXPECT_EQ(cache.of<double>(problem.kernel, x, 50 * 49 * sizeof(double)), nullptr);
  for (const double lambda : {1.0, 0.1}) {
    problem.gram = nullptr;
    const TrainResult own = train(problem, options_of(lambda));
    problem.gram = gram;
    EXPECT_EQ(train(problem, options_of(lambda)).parameters, own.parameters);
  }
  // Those that no fit uses make room.
  const std::size_t two = std::size_t{2} * 50 * 50 * sizeof(double);
  cache.of<double>(make_kernel("rbf:gamma=0.5"), x, two);
  EXPECT_EQ(gram, cache.of<double>(problem.kernel, x, two));
}

TEST(KernelRows, OfSomeRows) {
  const SmallData data = small_data(70, 5, 3, 11);
  const std::vector<std::size_t> chosen{3, 4, 40, 69};
  for (const char* text : {"linear", "rbf:gamma=0.3,constant=2", "polynomial:degree=3,coef0=1"}) {
    const Kernel kernel = make_kernel(text);
    for (const FeaturesView<double>& x :
         {FeaturesView<double>(data.sparse), FeaturesView<double>(data.dense)}) {
      const KernelRows<double> all(kernel, x), some(kernel, x, chosen);
      std::vector<double> row(70), part(chosen.size());
      all.evaluate(x, 7, std::span(row));
      some.evaluate(x, 7, std::span(part));
      for (std::size_t j = 0; j < part.size(); ++j) EXPECT_EQ(part[j], row[chosen[j]]) << text;
      EXPECT_NEAR(kernel_diagonal(kernel, x, 7), row[7], 1e-14 * row[7]) << text;
    }
  }
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
