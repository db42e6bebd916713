// SPDX-License-Identifier: Apache-2.0
// Proximal Newton: the optimum of FISTA for every penalty, with the same bits for any number of threads, and
// two classes as one difference.
#include "fenchel/training/solvers/prox_newton.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fenchel/training/all.hpp"
#include "fenchel/training/train.hpp"
#include "messages.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel::test {
namespace {

TrainOptions newton_options(const Penalty& penalty, double tolerance = 1e-11) {
  return {.penalty = penalty, .tolerance = tolerance, .max_iterations = 20000, .threads = 1};
}

const std::vector<Penalty> newton_penalties{L1(1),         L1(6),   ElasticNet(0.5, 4),
                                            GroupLasso(2), L2(0.3), Penalty{.l2 = 0.3, .l1 = 1, .group = 2}};

void expect_optimum_of_fista(const LinearProblem<double>& problem, const Penalty& penalty) {
  const auto fista = Fista{}.start(problem, newton_options(penalty));
  const auto newton = ProxNewton{}.start(problem, newton_options(penalty));
  const double expected = run(*fista).objective, found = run(*newton).objective;
  EXPECT_NEAR(found, expected, 1e-8 * expected);
  EXPECT_LE(newton->report().residual, 1e-8);
  EXPECT_LE(newton->report().iterations, 400);
  if (penalty.l2 == 0) return;  // the weights of a feature may be moved together without l2
  for (std::size_t j = 0; j < problem.shape().penalised; ++j) {
    EXPECT_NEAR(newton->parameters()[j], fista->parameters()[j], 1e-4);
  }
}

TEST(ProxNewton, ReachesTheOptimumOfFista) {
  for (const AnyRegularizer& omega :
       std::vector<AnyRegularizer>{Shannon{}, Tsallis{1.5}, Tsallis{2}, Sigmoid{}, Squared{}}) {
    for (const Penalty& penalty : newton_penalties) {
      for (const Intercept intercept : {Intercept::free, Intercept::penalised, Intercept::none}) {
        for (const bool sparse : {false, true}) {
          SCOPED_TRACE(test_name(omega) + " " + std::to_string(penalty.l1) + " " +
                       std::to_string(penalty.group) + (sparse ? " sparse" : " dense"));
          const bool labels = omega.refined_traits().domain != Domain::cube;
          const LinearData<double> data(omega, {.sparse = sparse,
                                                .labels = labels,
                                                .weighted = true,
                                                .centered = sparse,
                                                .intercept = intercept});
          expect_optimum_of_fista(*data.problem, penalty);
        }
      }
    }
  }
}

// One lane stands for both classes, whatever the start.
TEST(ProxNewton, TwoClassesAreOneDifference) {
  for (const Penalty& penalty : newton_penalties) {
    const LinearData<double> data(Shannon{}, {.outputs = 2, .sparse = true});
    expect_optimum_of_fista(*data.problem, penalty);
    TrainOptions options = newton_options(penalty);
    const std::vector<double> start(data.problem->shape().size, 0.3);
    options.start = start;
    const auto cold = ProxNewton{}.start(*data.problem, newton_options(penalty));
    const auto warm = ProxNewton{}.start(*data.problem, options);
    EXPECT_NEAR(run(*warm).objective, run(*cold).objective, 1e-9);
    for (std::size_t j = 0; j < start.size(); j += 2)
      EXPECT_EQ(warm->parameters()[j], -warm->parameters()[j + 1]);
  }
}

TEST(ProxNewton, CostsCount) {
  const LinearData<double> data(Shannon{}, {});
  LinearProblem<double> problem = *data.problem;
  problem.loss = FenchelYoungLoss(Shannon{}).with_cost(zero_one_cost());
  expect_optimum_of_fista(problem, L1(1));
}

TEST(ProxNewton, SameBitsForAnyNumberOfThreads) {
  for (const Penalty& penalty : {Penalty(L1(1)), Penalty(GroupLasso(1))}) {
    const LinearData<float> data(Shannon{}, {.examples = 900, .features = 400, .sparse = true});
    TrainOptions options = newton_options(penalty, 1e-5);
    const auto one = ProxNewton{}.start(*data.problem, options);
    options.threads = 3;
    const auto three = ProxNewton{}.start(*data.problem, options);
    run(*one);
    run(*three);
    EXPECT_TRUE(one->report().converged());
    EXPECT_THAT(std::vector(three->parameters().begin(), three->parameters().end()),
                testing::ElementsAreArray(one->parameters()));
  }
}

// A feature whose square overflows: the others still move, and it ends.
TEST(ProxNewton, LeavesOutWhatIsTooLarge) {
  const LinearData<double> data(Shannon{}, {.outputs = 2, .labels = true, .intercept = Intercept::none});
  Matrix<double> x = small_data(data.problem->examples(), data.problem->features(), 2, 1).dense;
  for (std::size_t i = 0; i < x.rows(); ++i) x(i, 1) *= 1e200;
  LinearProblem<double> problem = *data.problem;
  problem.x = MatrixView<const double>(x.view());
  TrainOptions options = newton_options(L1(0.01), 1e-6);
  options.max_iterations = 2000;
  const auto newton = ProxNewton{}.start(problem, options);
  const StepReport last = run(*newton);
  EXPECT_NE(newton->report().status, Status::converged);
  EXPECT_LT(newton->report().iterations, 500);
  EXPECT_GT(std::abs(newton->parameters()[0]), 0);
  EXPECT_TRUE(std::isfinite(last.objective));
}

TEST(ProxNewton, SaysWhatItDoesNotTake) {
  const LinearData<double> kinks(Argmax{}, {});
  EXPECT_THROW(ProxNewton{}.start(*kinks.problem, newton_options(L1(1))), std::invalid_argument);
  const LinearData<double> data(Shannon{}, {});
  const OwnProblem own{.objective = make_objective(*data.problem)};
  EXPECT_THAT(message_of([&] { ProxNewton{}.start(own, newton_options(L1(1))); }),
              testing::HasSubstr("trains linear models only"));
}

// A group of one weight is its l1.
TEST(ProxNewton, SingleWeightsAreGroupsForOrthantsToo) {
  const LinearData<double> data(Sigmoid{}, {.outputs = 1, .labels = false});
  const auto groups = Owlqn{}.start(*data.problem, newton_options(GroupLasso(0.7)));
  const auto weights = ProxNewton{}.start(*data.problem, newton_options(L1(0.7)));
  EXPECT_NEAR(run(*groups).objective, run(*weights).objective, 1e-8);
}

}  // namespace
}  // namespace fenchel::test
