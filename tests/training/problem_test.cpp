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

}  // namespace
}  // namespace fenchel::test
