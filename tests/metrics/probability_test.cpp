// SPDX-License-Identifier: Apache-2.0
// Against scikit-learn (log_loss, r2_score) and SciPy (jensenshannon squared) on small cases, and by hand.
#include "fenchel/metrics/probability.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fenchel/metrics/evaluate.hpp"
#include "metrics/rows.hpp"

namespace fenchel::test {
namespace {

using Labels32 = std::vector<std::int32_t>;
constexpr double tolerance = 1e-14;

const Matrix<double>& probabilities() {
  static const Matrix<double> rows =
      rows_of({{.5, .3, .2}, {.1, .1, .8}, {.25, .5, .25}, {0, 0, 1}, {.4, .35, .25}, {.2, .7, .1}});
  return rows;
}
const Labels32 truth{0, 2, 0, 1, 1, 1};

TEST(LogLoss, ZerosAreTakenAsTheSmallestProbability) {
  EXPECT_NEAR(metrics::log_loss(truth, probabilities().view()), 6.625455925091434, tolerance);
  EXPECT_NEAR(metrics::log_loss(Labels32{1}, view_of(rows_of({{1, 0}}))), 36.04365338911715, tolerance);
  EXPECT_NEAR(metrics::log_loss(Labels32{5}, view_of(rows_of({{1, 0}}))), 36.04365338911715, tolerance);
  EXPECT_EQ(metrics::log_loss(Labels32{}, MatrixView<const double>()), 0);
}

TEST(LogLoss, OfProportionsAndOfLabels) {
  const Matrix<double> y = rows_of({{.5, .5, 0}}), p = rows_of({{.25, .75, 0}});
  EXPECT_NEAR(metrics::log_loss(view_of(y), view_of(p)), -.5 * std::log(.25) - .5 * std::log(.75), tolerance);
  const Matrix<double> set = rows_of({{1, 0}}), chances = rows_of({{.9, .2}});
  EXPECT_NEAR(metrics::binary_log_loss(view_of(set), view_of(chances)), -std::log(.9) - std::log(.8),
              tolerance);
}

TEST(Brier, IsTheSquaredDistanceFromTheTrueClass) {
  EXPECT_NEAR(metrics::brier(truth, probabilities().view()), 0.6833333333333332, tolerance);
  EXPECT_NEAR(metrics::brier(Labels32{2}, view_of(rows_of({{.5, .5}}))), 1.5, tolerance) << "an unseen class";
}

TEST(JensenShannon, AgainstSciPy) {
  const Matrix<double> y = rows_of({{.5, .5, 0}, {0, .25, .75}, {1, 0, 0}});
  const Matrix<double> p = rows_of({{.6, .2, .2}, {0, 0, 1.}, {1, 0, 0}});
  EXPECT_NEAR(metrics::jensen_shannon(view_of(y), view_of(p)), 0.06680011077999189, tolerance);
  EXPECT_NEAR(metrics::jensen_shannon(view_of(p), view_of(y)), 0.06680011077999189, tolerance);
  EXPECT_EQ(metrics::jensen_shannon(y.row(2), p.row(2)), 0);
  const std::vector<double> first{1, 0}, second{0, 1};
  EXPECT_DOUBLE_EQ(metrics::jensen_shannon(first, second), std::log(2));
  EXPECT_NEAR(metrics::squared_error(view_of(y), view_of(p)), 0.08833333333333333, tolerance);
  EXPECT_NEAR(metrics::half_squared_error(view_of(y), view_of(p)), 0.08833333333333333 / 2, tolerance);
}

TEST(JensenShannon, MissingColumnsAreZero) {
  const Matrix<double> y = rows_of({{.5, 0, .5}}), p = rows_of({{1, 0}}), padded = rows_of({{1, 0, 0}});
  EXPECT_EQ(metrics::jensen_shannon(view_of(y), view_of(p)),
            metrics::jensen_shannon(view_of(y), view_of(padded)));
  EXPECT_DOUBLE_EQ(metrics::squared_error(view_of(y), view_of(p)), 0.5);
}

TEST(Numbers, AgainstScikitLearn) {
  const Matrix<double> y = rows_of({{1, 10}, {2, 20}, {4, 15}, {7, 0}});
  const Matrix<double> p = rows_of({{1.5, 11}, {1, 18}, {4.5, 15}, {6, 3}});
  EXPECT_NEAR(metrics::r_squared(view_of(y), view_of(p)), 0.9084761904761904, tolerance);
  EXPECT_NEAR(metrics::absolute_error(view_of(y), view_of(p)), 1.125, tolerance);
  const Matrix<double> constant = rows_of({{3}, {3}});
  EXPECT_EQ(metrics::r_squared(view_of(constant), view_of(constant)), 1);
  EXPECT_EQ(metrics::r_squared(view_of(constant), view_of(rows_of({{3}, {4}}))), 0);
}

TEST(MeanSupport, CountsWhatIsNotZero) {
  EXPECT_DOUBLE_EQ(metrics::mean_support(view_of(rows_of({{0, 1, 0}, {.5, .25, .25}}))), 2);
  EXPECT_EQ(metrics::mean_support(MatrixView<const double>()), 0);
}

TEST(CalibrationError, ByHand) {
  // Two bins: (0, ½] holds confidences .5 (right) and .4 (wrong), (½, 1] holds .8 (right) and 1 (wrong).
  const Matrix<double> p = rows_of({{.5, .3, .2}, {.3, .3, .4}, {.8, .1, .1}, {0, 1, 0}});
  EXPECT_NEAR(metrics::calibration_error(Labels32{0, 0, 0, 0}, view_of(p), 2),
              (std::abs(1 - .9) + std::abs(1 - 1.8)) / 4, tolerance);
  EXPECT_EQ(metrics::calibration_error(Labels32{1}, view_of(rows_of({{0, 1}}))), 0);
  // Confidences .5 of which half are right are calibrated.
  const Matrix<double> coin = rows_of({{.5, .5}, {.5, .5}});
  EXPECT_EQ(metrics::calibration_error(Labels32{0, 1}, view_of(coin)), 0);
}

}  // namespace
}  // namespace fenchel::test
