// SPDX-License-Identifier: Apache-2.0
// What check_problem refuses, and how it says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fenchel/training/problems/linear.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

std::string complaint(const LinearProblem<double>& problem) {
  try {
    check_problem(problem);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(CheckProblem, AcceptsGoodOnes) {
  for (const bool sparse : {false, true}) {
    for (const bool labels : {false, true}) {
      const LinearData<double> data(Shannon{},
                                    {.sparse = sparse, .labels = labels, .weighted = true, .centered = true});
      EXPECT_EQ(complaint(*data.problem), "");
    }
  }
}

TEST(CheckProblem, SaysWhatIsWrong) {
  const LinearData<double> data(Shannon{}, {});
  LinearProblem<double> problem = *data.problem;
  problem.outputs = 0;
  EXPECT_THAT(complaint(problem), HasSubstr("outputs is 0"));
  problem.outputs = 2;
  EXPECT_THAT(complaint(problem), HasSubstr("y["));
  problem = *data.problem;
  const Vector weights(60, -1);
  problem.weights = weights;
  EXPECT_THAT(complaint(problem), HasSubstr("weights[0] is -1"));
  problem.weights = std::span(weights).first(3);
  EXPECT_THAT(complaint(problem), HasSubstr("weights"));
  problem = *data.problem;
  problem.center = weights;
  EXPECT_THAT(complaint(problem), HasSubstr("center"));
  problem = *data.problem;
  Matrix<double> bad(60, 2);
  bad(3, 1) = std::nan("");
  problem.x = bad;
  EXPECT_THAT(complaint(problem), HasSubstr("x[3, 1] is nan"));
  Matrix<double> none(0, 2);
  problem.x = none;
  EXPECT_THAT(complaint(problem), HasSubstr("no rows"));
  Matrix<double> short_rows(59, 2);
  problem.x = short_rows;
  EXPECT_THAT(complaint(problem), HasSubstr("y"));
}

TEST(CheckProblem, SparseRows) {
  const std::vector<std::int64_t> labels{0, 1};
  CsrMatrix<double> x{3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};
  const auto problem_of = [&] {
    return LinearProblem<double>{.x = x, .y = labels, .outputs = 2, .loss = Shannon{}};
  };
  EXPECT_EQ(complaint(problem_of()), "");
  x.indices = {2, 0, 1};
  EXPECT_THAT(complaint(problem_of()), HasSubstr("column 0 after 2"));
  x.indices = {0, 3, 1};
  EXPECT_THAT(complaint(problem_of()), HasSubstr("column 3; expected less than 3"));
  x.indices = {0, 2, 1};
  x.values[2] = infinity;
  EXPECT_THAT(complaint(problem_of()), HasSubstr("x[1, 1] is inf"));
}

TEST(CheckProblem, Targets) {
  Matrix<double> x(2, 1), y(2, 2);
  y(0, 0) = y(1, 1) = 1;
  y(1, 0) = 0.5;
  LinearProblem<double> problem{.x = x, .y = y.view(), .outputs = 2, .loss = Shannon{}};
  EXPECT_THAT(complaint(problem), HasSubstr("y"));
  y(1, 0) = 0;
  EXPECT_EQ(complaint(problem), "");
  problem.outputs = 3;
  EXPECT_THAT(complaint(problem), HasSubstr("y has 2 columns; expected 3"));
}

// Weights of larger features would round to few digits where scores are computed.
TEST(Problem, FeaturesMustFitSinglePrecision) {
  const std::vector<std::int32_t> labels{0, 1};
  const Matrix<float> x(2, 2, {1, 2, 3, -1e31F});
  const CsrMatrix<float> sparse{5, {0, 1, 2}, {0, 4}, {1e30F, 1e38F}};
  const auto error_of = [&](const FeaturesView<float>& features) {
    try {
      check_problem(
          Problem(LinearProblem<float>{.x = features, .y = labels, .outputs = 2, .loss = Shannon{}}));
    } catch (const OptionError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of(x),
            "x[1, 1] is -1e+31; in single precision features must be at most 1e+30 in size: scale them "
            "(scale=maxabs)");
  EXPECT_THAT(error_of(sparse), ::testing::HasSubstr("x[1, 4] is 1e+38"));
  const Matrix<float> fine(2, 1, {1e30F, -1e30F});
  EXPECT_EQ(error_of(fine), "");
}

}  // namespace
}  // namespace fenchel::test
