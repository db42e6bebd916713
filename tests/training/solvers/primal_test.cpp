// SPDX-License-Identifier: Apache-2.0
// L-BFGS, OWL-QN and FISTA on linear models: they agree, stop by a gap that bounds the error, satisfy the
// optimality conditions of every penalty, and resume with the same bits.
#include <gtest/gtest.h>

#include <map>

#include "fenchel/training/all.hpp"
#include "fenchel/training/train.hpp"
#include "training/problems_fixture.hpp"
#include "training/solvers/lbfgs_starts.hpp"

namespace fenchel::test {
namespace {

TrainOptions options_of(const Penalty& penalty, double tolerance = 1e-10) {
  return {.penalty = penalty, .tolerance = tolerance, .max_iterations = 20000, .threads = 1};
}

template <class T>
Vector gradient_at(const LinearProblem<T>& problem, std::span<const double> w) {
  Vector gradient(w.size());
  make_linear_objective(problem, 1)->evaluate(w, gradient);
  return gradient;
}

TEST(Primal, SolversAgreeOnTheOptimum) {
  for (const AnyRegularizer& omega :
       std::vector<AnyRegularizer>{Shannon{}, Tsallis{1.5}, Tsallis{2}, Squared{}}) {
    for (const Intercept intercept : {Intercept::free, Intercept::penalised, Intercept::none}) {
      for (const bool sparse : {false, true}) {
        const LinearData<double> data(omega, {.sparse = sparse, .weighted = true, .intercept = intercept});
        const TrainOptions options = options_of(L2(0.3));
        const auto lbfgs = start_joint_lbfgs(make_linear_objective(*data.problem, 1), {}, options);
        const auto fista = Fista{}.start(*data.problem, options);
        const StepReport first = run(*lbfgs), second = run(*fista);
        EXPECT_TRUE(lbfgs->report().converged()) << test_name(omega);
        EXPECT_TRUE(fista->report().converged()) << test_name(omega);
        EXPECT_NEAR(first.objective, second.objective, 1e-8 * first.objective) << test_name(omega);
        EXPECT_EQ(first.dual.has_value(), intercept != Intercept::free);
        const Vector w(lbfgs->parameters().begin(), lbfgs->parameters().end());
        const std::size_t penalised = data.problem->shape().penalised;
        const double penalty = L2(0.3).value(std::span(w).first(penalised), 4);
        EXPECT_NEAR(first.objective, plain_objective(*data.problem, w) + penalty, 1e-9 * first.objective);
      }
    }
  }
}

// Features far from 0: without the intercept's part in them, gradients are small where the objective is not.
TEST(Primal, FreeInterceptsAreNotSaidToBeOptimalBeforeTheyAre) {
  for (const double offset : {0.0, 1e2, 1e4, 1e6}) {
    for (const double weight : {1.0, 1e-12}) {
      const LinearData<double> data(Shannon{}, {.weighted = true, .shift = offset, .weight = weight});
      const auto exact =
          start_joint_lbfgs(make_linear_objective(*data.problem, 1), {}, options_of(L2(1), 1e-11));
      const double optimum = run(*exact).objective;
      for (const AnySolver& solver : {AnySolver(Saga{}), AnySolver(Fista{}), AnySolver(Owlqn{}),
                                      AnySolver(ProxNewton{}), AnySolver(Lbfgs{})}) {
        TrainOptions options = options_of(L2(1), 1e-6);
        options.max_iterations = 300;
        const auto algorithm = solver.start(*data.problem, options);
        const double objective = run(*algorithm).objective;
        if (algorithm->report().converged()) {
          EXPECT_NEAR(objective, optimum, 1e-4 * optimum) << algorithm->name() << offset << ", " << weight;
        }
      }
    }
  }
}

// At every step the optimum lies between dual and objective.
TEST(Primal, TheGapBoundsTheError) {
  for (const Penalty& penalty :
       {Penalty(L2(0.5)), Penalty(ElasticNet(0.5, 0.4)), Penalty{.l2 = 0.5, .group = 1}}) {
    const LinearData<double> data(Shannon{}, {.intercept = Intercept::penalised});
    const auto exact = Fista{}.start(*data.problem, options_of(penalty, 1e-13));
    const double optimum = run(*exact).objective;
    const auto algorithm = Fista{}.start(*data.problem, options_of(penalty, 1e-9));
    StepReport last_step;
    while (!last_step.done) {
      last_step = algorithm->step();
      ASSERT_TRUE(last_step.dual && last_step.gap);
      EXPECT_LE(*last_step.dual, optimum + 1e-11 * optimum);
      EXPECT_GE(last_step.objective, optimum - 1e-11 * optimum);
    }
    EXPECT_LE(*last_step.gap, 1e-9 * last_step.objective);
  }
}

// 0 ∈ ∇F + ∂G, entry by entry and row by row.
TEST(Primal, KinkyPenaltiesSatisfyTheirConditions) {
  for (const AnySolver& solver : {AnySolver(Fista{}), AnySolver(Owlqn{}), AnySolver(ProxNewton{})}) {
    for (const Penalty& penalty : {Penalty(L1(4)), Penalty(ElasticNet(0.4, 8)), Penalty(GroupLasso(5)),
                                   Penalty{.l2 = 0.3, .l1 = 2, .group = 2}}) {
      const bool sparse = penalty.l2 > 0;
      const LinearData<double> data(Shannon{}, {.examples = 80, .features = 12, .sparse = sparse});
      if (solver.refuses(*data.problem, options_of(penalty))) continue;
      const auto algorithm = solver.start(*data.problem, options_of(penalty, 1e-12));
      run(*algorithm);
      const Vector w(algorithm->parameters().begin(), algorithm->parameters().end());
      const Vector gradient = gradient_at(*data.problem, w);
      const std::size_t width = 4;
      std::size_t zero_rows = 0, zeros = 0;
      for (std::size_t j = 0; j < 12; ++j) {
        const auto row = std::span(w).subspan(j * width, width);
        double norm = 0, excess = 0;
        for (const double entry : row) norm += entry * entry;
        norm = std::sqrt(norm);
        for (std::size_t k = 0; k < width; ++k) {
          const double slope = gradient[j * width + k] + penalty.l2 * row[k];
          zeros += row[k] == 0;
          if (row[k] != 0) {
            const double sign = row[k] > 0 ? 1 : -1;
            EXPECT_NEAR(slope + penalty.l1 * sign + penalty.group * row[k] / norm, 0, 1e-5);
          } else if (norm > 0) {
            EXPECT_LE(std::abs(slope), penalty.l1 + 1e-5);
          } else {
            const double rest = std::max(0.0, std::abs(slope) - penalty.l1);
            excess += rest * rest;
          }
        }
        zero_rows += norm == 0;
        EXPECT_LE(std::sqrt(excess), penalty.group + 1e-5);
      }
      EXPECT_GT(zeros, 0u);
      if (penalty.group > 4) {
        EXPECT_GT(zero_rows, 0u);
      }
      for (std::size_t k = 0; k < width; ++k)
        EXPECT_NEAR(gradient[12 * width + k], 0, 1e-5);  // the intercept
    }
  }
}

// Orthants instead of proximity operators: the same optimum with the same zeros, in fewer evaluations.
TEST(Primal, OrthantsLeadToTheOptimumOfFista) {
  for (const AnyRegularizer& omega :
       std::vector<AnyRegularizer>{Shannon{}, Tsallis{1.5}, Sigmoid{}, Squared{}}) {
    for (const Penalty& penalty : {Penalty(L1(1)), Penalty(L1(6)), Penalty(ElasticNet(0.5, 4))}) {
      for (const Intercept intercept : {Intercept::free, Intercept::penalised, Intercept::none}) {
        const bool labels = omega.refined_traits().domain != Domain::cube;
        const LinearData<double> data(omega, {.labels = labels, .weighted = true, .intercept = intercept});
        const auto fista = Fista{}.start(*data.problem, options_of(penalty, 1e-11));
        const auto owlqn = Owlqn{}.start(*data.problem, options_of(penalty, 1e-11));
        const double expected = run(*fista).objective, found = run(*owlqn).objective;
        EXPECT_NEAR(found, expected, 1e-8 * expected) << test_name(omega);
        EXPECT_LE(owlqn->report().residual, 1e-8) << test_name(omega);
        if (penalty.l2 == 0) continue;  // the weights of a feature may be moved together without l2
        for (std::size_t j = 0; j < data.problem->shape().penalised; ++j) {
          EXPECT_NEAR(owlqn->parameters()[j], fista->parameters()[j], 1e-4);
        }
      }
    }
  }
  const LinearData<double> groups(Shannon{}, {});
  EXPECT_THROW(Owlqn{}.start(*groups.problem, options_of(GroupLasso(1))), std::invalid_argument);
  EXPECT_THROW(Owlqn{.memory = 0}.check(), std::invalid_argument);
}

TEST(Primal, SeparateOutputsReachTheJointOptimum) {
  for (const bool sparse : {false, true}) {
    for (const AnyRegularizer& omega :
         std::vector<AnyRegularizer>{Sigmoid{}, OneVsAll{Tsallis{1.5}}, Squared{}}) {
      const LinearData<double> data(omega, {.sparse = sparse, .labels = false, .weighted = true});
      const TrainOptions options = options_of(L2(0.2));
      const auto joint = start_joint_lbfgs(make_linear_objective(*data.problem, 1), {}, options);
      const auto apart = start_separate_lbfgs(make_linear_objective(*data.problem, 2), {}, options);
      const StepReport first = run(*joint), second = run(*apart);
      EXPECT_TRUE(apart->report().converged());
      EXPECT_NEAR(first.objective, second.objective, 1e-8 * first.objective) << test_name(omega);
    }
  }
  const LinearData<double> coupled(Shannon{}, {});
  EXPECT_THROW(start_separate_lbfgs(make_linear_objective(*coupled.problem), {}, {}), std::invalid_argument);
}

// Units of measurement and offsets of features cost hardly any iterations; a feature that is never seen has
// weights of 0 wherever training starts.
TEST(Primal, FeaturesOnAnyScale) {
  constexpr std::size_t n = 200, p = 8, outputs = 3;
  for (const bool sparse : {false, true}) {
    for (const AnyRegularizer& omega : {AnyRegularizer(Shannon{}), AnyRegularizer(Sigmoid{})}) {
      for (const Intercept intercept : {Intercept::free, Intercept::penalised, Intercept::none}) {
        Random random(7);
        Matrix<double> x(n, p);
        CsrMatrix<double> csr;
        csr.cols = p;
        std::vector<std::int32_t> labels;
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 1; j < p; ++j) {  // feature 0 is never seen
            const double unit = std::pow(10.0, static_cast<double>(j) - 4);
            const double offset = intercept == Intercept::free ? 10 : 0;
            x(i, j) = unit * (offset + random.normal());
            csr.indices.push_back(static_cast<std::int32_t>(j));
            csr.values.push_back(x(i, j));
          }
          csr.offsets.push_back(static_cast<std::int64_t>(csr.indices.size()));
          labels.push_back(static_cast<std::int32_t>(i % outputs));
        }
        const LinearProblem<double> problem{.x = sparse ? FeaturesView<double>(csr) : FeaturesView<double>(x),
                                            .y = labels,
                                            .outputs = outputs,
                                            .loss = omega,
                                            .intercept = intercept};
        TrainOptions options = options_of(L2(1e-3), 1e-9);
        const Vector start(problem.shape().size, 1e-4);
        options.start = start;
        const auto joint = start_joint_lbfgs(make_linear_objective(problem, 1), {}, options);
        const StepReport reached = run(*joint);
        EXPECT_TRUE(joint->report().converged());
        EXPECT_LT(joint->report().iterations, 400);
        for (std::size_t k = 0; k < outputs; ++k) EXPECT_EQ(joint->parameters()[k], 0);
        auto objective = make_linear_objective(problem, 2);
        EXPECT_EQ(objective->separable(), omega.refined_traits().domain == Domain::cube);
        if (!objective->separable()) continue;
        const auto separate = start_separate_lbfgs(std::move(objective), {}, options);
        EXPECT_NEAR(run(*separate).objective, reached.objective, 1e-8 * reached.objective);
        for (std::size_t k = 0; k < outputs; ++k) EXPECT_EQ(separate->parameters()[k], 0);
      }
    }
  }
}

// Beside a feature of 1e30, slopes of the intercept are next to nothing: they count nevertheless.
TEST(Primal, LargeFeaturesDoNotHideOthers) {
  const Matrix<double> x(6, 1, {1e30, -2e30, 3e30, 1e30, 2e30, -1e30});
  const std::vector<std::int32_t> labels{0, 1, 1, 1, 1, 0};
  for (const Intercept intercept : {Intercept::free, Intercept::penalised}) {
    const LinearProblem<double> problem{
        .x = FeaturesView<double>(x), .y = labels, .outputs = 2, .loss = Tsallis{2}, .intercept = intercept};
    double best = infinity;
    std::map<std::string, double> claimed;
    for (const SolverEntry& entry : solver_list()) {
      TrainOptions options = options_of(L1(0.5), 1e-6);
      options.max_iterations = 300;
      if (entry.solver.refuses(problem, options)) continue;
      const auto algorithm = entry.solver.start(problem, options);
      const double objective = run(*algorithm).objective;
      best = std::min(best, objective);
      if (algorithm->report().converged()) claimed[std::string(entry.traits.name)] = objective;
    }
    EXPECT_GE(claimed.size(), 1U);
    for (const auto& [name, objective] : claimed) EXPECT_LE(objective, best + 1e-3) << name;
  }
}

std::unique_ptr<Algorithm> make_any(int kind, const LinearProblem<double>& problem,
                                    const TrainOptions& options) {
  if (kind == 0) return start_joint_lbfgs(make_linear_objective(problem, options.threads), {}, options);
  if (kind == 1) return Fista{}.start(problem, options);
  if (kind == 3) return Owlqn{}.start(problem, options);
  return start_separate_lbfgs(make_linear_objective(problem, options.threads), {}, options);
}

// Features that depend on each other make L-BFGS change its variables on the way; a run that was saved
// before or after such a change continues with the same bits, and thread counts make no difference.
TEST(Primal, DependentFeatures) {
  constexpr std::size_t n = 150, p = 12, outputs = 3;
  Random random(5);
  Matrix<double> x(n, p), y(n, outputs);
  for (std::size_t i = 0; i < n; ++i) {
    const double shared = random.normal();
    for (std::size_t j = 0; j < p; ++j) x(i, j) = shared + 0.02 * random.normal();
    const Vector point = domain_point(random, outputs, Domain::simplex);
    std::ranges::copy(point, y.row(i).begin());
  }
  for (const int kind : {0, 2}) {
    const AnyRegularizer omega = kind == 0 ? AnyRegularizer(Tsallis{1.5}) : AnyRegularizer(Sigmoid{});
    const LinearProblem<double> problem{
        .x = x, .y = MatrixView<const double>(y.view()), .outputs = outputs, .loss = omega};
    TrainOptions options = options_of(L2(1e-5), 1e-8);
    const auto undisturbed = make_any(kind, problem, options);
    const StepReport expected = run(*undisturbed);
    EXPECT_TRUE(undisturbed->report().converged());
    const int all = undisturbed->report().iterations;
    EXPECT_GT(all, 20) << "no change of variables was needed: the test shows nothing";
    EXPECT_LT(all, 500);
    for (int steps = 5; steps < all; steps += 7) {
      options.threads = 1 + steps % 2;
      const auto first = make_any(kind, problem, options);
      for (int i = 0; i < steps; ++i) first->step();
      const auto second = make_any(kind, problem, options);
      second->restore(first->save());
      EXPECT_TRUE(std::ranges::equal(first->parameters(), second->parameters())) << kind << ' ' << steps;
      EXPECT_EQ(run(*second).objective, expected.objective) << kind << ' ' << steps;
      EXPECT_TRUE(std::ranges::equal(second->parameters(), undisturbed->parameters()))
          << kind << ' ' << steps;
      EXPECT_EQ(second->report().iterations, all);
    }
  }
}

// Saved after any number of steps and taken up by another instance: the same parameters, bit for bit.
TEST(Primal, ResumesWithTheSameBits) {
  const LinearData<double> data(Sigmoid{}, {.labels = false});
  TrainOptions options = options_of(L2(0.1), 1e-9);
  for (const int kind : {0, 1, 2, 3}) {
    const auto undisturbed = make_any(kind, *data.problem, options);
    const StepReport expected = run(*undisturbed);
    for (const int steps : {0, 1, 2, 5, 9, 13}) {
      const auto first = make_any(kind, *data.problem, options);
      StepReport last_step;
      for (int i = 0; i < steps && !last_step.done; ++i) last_step = first->step();
      const auto second = make_any(kind, *data.problem, options);
      second->restore(first->save());
      EXPECT_TRUE(std::ranges::equal(first->parameters(), second->parameters()));
      const StepReport reached = last_step.done ? last_step : run(*second);
      EXPECT_EQ(reached.objective, expected.objective) << kind << " " << steps;
      EXPECT_TRUE(std::ranges::equal(second->parameters(), undisturbed->parameters()))
          << kind << " " << steps;
      EXPECT_EQ(second->report().iterations, undisturbed->report().iterations);
    }
    EXPECT_THROW(undisturbed->restore(State{}), std::invalid_argument);
  }
}

TEST(Primal, SameBitsForAnyNumberOfThreads) {
  const LinearData<double> data(Sigmoid{}, {.examples = 900, .features = 21, .labels = false});
  for (const int kind : {0, 1, 2, 3}) {
    TrainOptions options = options_of(L2(0.1), 1e-8);
    const auto one = make_any(kind, *data.problem, options);
    run(*one);
    options.threads = 2;
    const auto two = make_any(kind, *data.problem, options);
    run(*two);
    EXPECT_TRUE(std::ranges::equal(one->parameters(), two->parameters())) << kind;
  }
}

TEST(Primal, WarmStartsAndBudgets) {
  const LinearData<double> data(Shannon{}, {});
  TrainOptions options = options_of(L2(0.1));
  const auto cold = start_joint_lbfgs(make_linear_objective(*data.problem, 1), {}, options);
  run(*cold);
  options.start = cold->parameters();
  const auto warm = start_joint_lbfgs(make_linear_objective(*data.problem, 1), {}, options);
  EXPECT_TRUE(warm->step().done);
  EXPECT_EQ(warm->report().iterations, 0);
  options.start = {};
  options.max_iterations = 3;
  for (const int kind : {0, 1}) {
    const auto brief = make_any(kind, *data.problem, options);
    EXPECT_FALSE(run(*brief).residual <= options.tolerance);
    EXPECT_EQ(brief->report().status, Status::max_iterations);
    EXPECT_EQ(brief->report().iterations, 3);
  }
  const Vector wrong(3);
  options.start = wrong;
  EXPECT_THROW(start_joint_lbfgs(make_linear_objective(*data.problem, 1), {}, options),
               std::invalid_argument);
  EXPECT_THROW(Lbfgs{}.start(*data.problem, options_of(L1(1))), std::invalid_argument);
}

// Without l2 there is no gap; the gradient decides.
TEST(Primal, NoPenalty) {
  const LinearData<double> data(Squared{}, {.labels = false});
  const auto algorithm =
      start_joint_lbfgs(make_linear_objective(*data.problem, 1), {}, options_of(NoPenalty(), 1e-9));
  const StepReport last_step = run(*algorithm);
  EXPECT_TRUE(algorithm->report().converged());
  EXPECT_FALSE(last_step.gap.has_value());
  EXPECT_LE(max_abs(gradient_at(*data.problem, algorithm->parameters())), 1e-6);
}

}  // namespace
}  // namespace fenchel::test
