// SPDX-License-Identifier: Apache-2.0
// What a fit hands from the data on to its model.
#include "fenchel/training/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>

#include "data_dir.hpp"
#include "fenchel/data/csv.hpp"
#include "fenchel/regularizers/shannon.hpp"
#include "fenchel/training/solvers/lbfgs.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Fit, TheModelKeepsWhatStandsForMissingValues) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv", "x,z,y\n1,,u\n2,3,v\n4,1,u\n5,8,v\n");
  Dataset data = read_csv(path, {.missing = Missing::impute});
  for (const std::string kernel : {"", "rbf"}) {
    EXPECT_THAT(head_of(fit(data, {.kernel = kernel}).model).fill, ElementsAre(3, 4));
  }
  data.fill.clear();
  EXPECT_THAT(head_of(fit(data).model).fill, IsEmpty());
}

std::string intercept_of(const Dataset& data, const FitOptions& options) {
  return head_of(fit(data, options).model).provenance.at("intercept");
}

TEST(Fit, TheInterceptIsFreeUnlessADualAlgorithmTrains) {
  const TemporaryFolder folder;
  const Dataset counts = read_csv(folder.write("counts.csv", "x,y\n-1,20\n0,31\n1,52\n2,83\n"));
  EXPECT_EQ(intercept_of(counts, {.task = Task::regression, .omega = "poisson"}), "free");
  EXPECT_EQ(intercept_of(counts, {.task = Task::regression, .omega = "squared", .solver = "dual_ascent"}),
            "penalised");
  const Dataset classes = read_csv(folder.write("classes.csv", "x,y\n-1,a\n0,b\n1,c\n2,c\n-2,a\n"));
  EXPECT_EQ(intercept_of(classes, {.omega = "norm:q=2"}), "free");
  EXPECT_EQ(intercept_of(classes, {.omega = "logistic"}), "free");
  EXPECT_EQ(intercept_of(classes, {.omega = "hinge"}), "penalised");
  EXPECT_EQ(intercept_of(classes, {.omega = "hinge", .penalty = "l1"}), "free");
  EXPECT_EQ(intercept_of(classes, {.omega = "hinge", .solver = "subgradient"}), "free");
  EXPECT_EQ(intercept_of(classes, {.omega = "hinge", .kernel = "rbf"}), "penalised");
}

TEST(Fit, KernelsWithoutAGammaTakeThatOfTheScaledFeatures) {
  const TemporaryFolder folder;
  const Dataset data = read_csv(folder.write("a.csv", "x,z,y\n1000,0,a\n-1000,500,b\n0,200,a\n"));
  const auto gamma = [&](const FitOptions& options) {
    return std::get<KernelPredictor>(fit(data, options).model).expansion.kernel.gamma;
  };
  EXPECT_EQ(gamma({.kernel = "rbf:gamma=0.25"}), 0.25);
  const double variance = (1e6 + 1e6 + 25e4 + 4e4) / 6 - (700.0 / 6) * (700.0 / 6);
  EXPECT_NEAR(gamma({.kernel = "rbf"}), 1 / (2 * variance), 1e-12 / variance);
  EXPECT_NEAR(gamma({.kernel = "polynomial:degree=2"}), 1 / (2 * variance), 1e-12 / variance);
  EXPECT_NEAR(gamma({.scale = Scaling::standard, .kernel = "rbf"}), 0.5, 1e-12);
}

// A free intercept of the Poisson loss makes predictions and counts have the same sum.
TEST(Fit, TheFreeInterceptOfPoissonMeetsTheMean) {
  const TemporaryFolder folder;
  const Dataset data = read_csv(folder.write("counts.csv", "x,y\n-1,200\n0,310\n1,520\n2,830\n"));
  const Fitted fitted =
      fit(data, {.task = Task::regression, .omega = "poisson", .lambda = 100, .tolerance = 1e-12});
  const auto& model = std::get<LinearModel>(fitted.model);
  double sum = 0;
  for (const double x : {-1., 0., 1., 2.}) sum += std::exp(model.weights(0, 0) * x + model.intercept[0]);
  EXPECT_NEAR(sum, 1860, 1e-3);
}

// However large λ is, a free intercept is fitted: here it is the mean.
TEST(Fit, TheFreeInterceptIsFittedUnderALargePenalty) {
  const TemporaryFolder folder;
  const Dataset data = read_csv(folder.write("numbers.csv", "x,y\n-1,2\n0,3\n1,5\n2,8\n"));
  for (const double lambda : {1e3, 1e6, 1e9}) {
    const Fitted fitted = fit(data, {.task = Task::regression, .omega = "squared", .lambda = lambda});
    EXPECT_NEAR(std::get<LinearModel>(fitted.model).intercept[0], 4.5, 0.02) << lambda;
  }
}

Dataset three_classes(const TemporaryFolder& folder) {
  return read_csv(folder.write("classes.csv", "x,z,y\n-1,2,a\n0,1,b\n1,1,c\n2,3,c\n-2,0,a\n0,-1,b\n1,0,b\n"));
}

// L-BFGS under another name, which is in no list.
struct OwnSolver {
  double unused = 2;

  static constexpr SolverTraits traits{.name = "own"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"unused", &OwnSolver::unused, "nothing"}};
  }
  std::optional<Refusal> refuses(const Problem&, const TrainOptions&) const { return std::nullopt; }
  std::optional<std::string> suits(const Problem&, const TrainOptions&) const { return std::nullopt; }
  std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& options) const {
    ++starts;
    return Lbfgs{}.start(problem, options);
  }
  static inline int starts = 0;
};

TEST(Fit, TakesASolverOfOnesOwn) {
  const TemporaryFolder folder;
  const Dataset data = three_classes(folder);
  const FittedLinear own = fit(Shannon{}, data, L2(0.1), OwnSolver{});
  EXPECT_EQ(OwnSolver::starts, 1);
  EXPECT_TRUE(own.report.converged());
  const FittedLinear known = fit(Shannon{}, data, L2(0.1), Lbfgs{});
  EXPECT_TRUE(std::ranges::equal(own.weights.entries(), known.weights.entries()));
  EXPECT_EQ(identity({.solver = OwnSolver{3}}).at("solver"), R"({"name":"own","unused":3})");
  EXPECT_EQ(identity({.solver = Lbfgs{}}).at("solver"), "lbfgs");
  EXPECT_NE(identity({.solver = "lbfgs:memory=7"}), identity({.solver = "lbfgs:memory=8"}));
}

TEST(Fit, TakesAnyMixtureOfPenalties) {
  const TemporaryFolder folder;
  const Dataset data = three_classes(folder);
  const FenchelYoungLoss loss = Shannon{};
  for (const Penalty& penalty :
       {Penalty{.l2 = 0.1, .l1 = 0.05, .group = 0.2}, Penalty{.l1 = 0.1, .group = 0.1},
        Penalty{.l2 = 0.1, .l1 = 0.3}, Penalty{.group = 0.3}}) {
    const FittedLinear model = fit(loss, data, penalty);
    EXPECT_TRUE(model.report.converged());
    const Matrix<double> theta = data.x.visit([&](const auto& x) { return predict(model, x).scores; });
    const TaskTargets targets = make_targets(data, Task::classification);
    double value = penalty.value(model.weights.entries(), 3);
    for (std::size_t i = 0; i < theta.rows(); ++i) value += loss.value(theta.row(i), targets.labels[i]);
    EXPECT_NEAR(model.last_step.objective, value, 1e-9);
  }
}

}  // namespace
}  // namespace fenchel::test
