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

}  // namespace
}  // namespace fenchel::test
