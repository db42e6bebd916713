// SPDX-License-Identifier: Apache-2.0
// Against scikit-learn 1.x (accuracy_score, top_k_accuracy_score, precision_recall_fscore_support,
// hamming_loss) on small cases, and against counting by hand.
#include "fenchel/metrics/classification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages.hpp"
#include "metrics/rows.hpp"

namespace fenchel::test {
namespace {

using Labels32 = std::vector<std::int32_t>;
constexpr double tolerance = 1e-15;

const Matrix<double>& probabilities() {
  static const Matrix<double> rows =
      rows_of({{.5, .3, .2}, {.1, .1, .8}, {.25, .5, .25}, {0, 0, 1}, {.4, .35, .25}, {.2, .7, .1}});
  return rows;
}
const Labels32 truth{0, 2, 0, 1, 1, 1};

TEST(Accuracy, CountsRightRows) {
  const Labels32 predicted = metrics::largest_columns(probabilities().view());
  EXPECT_EQ(predicted, (Labels32{0, 2, 1, 2, 0, 1}));
  EXPECT_DOUBLE_EQ(metrics::accuracy(truth, predicted), 0.5);
  EXPECT_EQ(metrics::accuracy({}, {}), 0);
  EXPECT_EQ(message_of([&] { metrics::accuracy(truth, {}); }), "predicted has 0 entries; expected 6");
}

TEST(TopK, TiesGoToTheFirst) {
  EXPECT_DOUBLE_EQ(metrics::top_k_accuracy(truth, probabilities().view(), 1), 0.5);
  EXPECT_DOUBLE_EQ(metrics::top_k_accuracy(truth, probabilities().view(), 2), 5.0 / 6);
  EXPECT_DOUBLE_EQ(metrics::top_k_accuracy(truth, probabilities().view(), 3), 1);
  const Matrix<double> equal = rows_of({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
  EXPECT_DOUBLE_EQ(metrics::top_k_accuracy(Labels32{0, 1, 2}, view_of(equal), 2), 2.0 / 3);
  EXPECT_EQ(metrics::top_k_accuracy(Labels32{7}, view_of(rows_of({{1, 2}})), 5), 0) << "an unseen class";
}

TEST(AreaUnderCurve, CountsPairsInOrder) {
  using Numbers = std::vector<double>;
  EXPECT_DOUBLE_EQ(*metrics::area_under_curve(Numbers{0, 0, 1, 1}, Numbers{0.1, 0.4, 0.35, 0.8}), 0.75);
  EXPECT_DOUBLE_EQ(*metrics::area_under_curve(Numbers{0, 1, 1}, Numbers{2, 2, 3}), 0.75)
      << "a tie is one half";
  EXPECT_FALSE(metrics::area_under_curve(Numbers{1, 1}, Numbers{1, 2}));
  // roc_auc_score(truth, probabilities, multi_class="ovr") of scikit-learn.
  EXPECT_NEAR(*metrics::mean_area_under_curve(truth, probabilities().view()), (0.875 + 5.0 / 9 + 0.8) / 3,
              tolerance);
}

TEST(Confusion, RowsAreTruths) {
  const Matrix<double> counts = metrics::confusion(truth, Labels32{0, 2, 1, 2, 0, 1}, 3);
  EXPECT_EQ(counts(0, 0), 1);
  EXPECT_EQ(counts(0, 1), 1);
  EXPECT_EQ(counts(1, 0), 1);
  EXPECT_EQ(counts(1, 1), 1);
  EXPECT_EQ(counts(1, 2), 1);
  EXPECT_EQ(counts(2, 2), 1);
  EXPECT_EQ(counts(2, 0), 0);
  EXPECT_NE(message_of([&] { metrics::confusion(truth, truth, 2); }), "");
}

TEST(PrecisionRecall, Classes) {
  const auto counts = metrics::class_counts(truth, Labels32{0, 2, 1, 2, 0, 1}, 3);
  const auto micro = metrics::micro_average(counts);
  EXPECT_DOUBLE_EQ(micro.precision, 0.5);
  EXPECT_DOUBLE_EQ(micro.recall, 0.5);
  EXPECT_DOUBLE_EQ(micro.f1, 0.5);
  const auto macro = metrics::macro_average(counts, true);
  EXPECT_NEAR(macro.precision, 0.5, tolerance);
  EXPECT_NEAR(macro.recall, 0.611111111111111, tolerance);
  EXPECT_NEAR(macro.f1, 0.5222222222222223, tolerance);
}

TEST(PrecisionRecall, AbsentClassesAreSkippedOrCounted) {
  const auto counts = metrics::class_counts(Labels32{0, 0, 1, 1}, Labels32{0, 1, 1, 3}, 5);
  const auto macro = metrics::macro_average(counts, true);
  EXPECT_NEAR(macro.precision, 0.5, tolerance);
  EXPECT_NEAR(macro.recall, 1.0 / 3, tolerance);
  EXPECT_NEAR(macro.f1, 0.38888888888888884, tolerance);
  EXPECT_NEAR(metrics::macro_average(counts, false).f1, 0.38888888888888884 * 3 / 5, tolerance);
  EXPECT_EQ(metrics::macro_average({}, true).f1, 0);
}

TEST(LabelSets, AgainstScikitLearn) {
  const Matrix<double> y = rows_of({{1, 0, 1, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 1, 0}});
  const Matrix<double> z = rows_of({{1, 0, 0, 0}, {0, 1, 0, 0}, {1, 0, 1, 0}, {0, 0, 0, 0}, {0, 0, 1, 0}});
  EXPECT_DOUBLE_EQ(metrics::hamming_loss(view_of(y), view_of(z)), 0.15);
  EXPECT_DOUBLE_EQ(metrics::subset_accuracy(view_of(y), view_of(z)), 0.6);
  const auto counts = metrics::label_counts(view_of(y), view_of(z));
  EXPECT_NEAR(metrics::micro_average(counts).f1, 0.7272727272727273, tolerance);
  EXPECT_NEAR(metrics::micro_average(counts).precision, 0.8, tolerance);
  EXPECT_NEAR(metrics::micro_average(counts).recall, 2.0 / 3, tolerance);
  EXPECT_NEAR(metrics::macro_average(counts, false).precision, 0.625, tolerance);
  EXPECT_NEAR(metrics::macro_average(counts, false).recall, 0.5, tolerance);
  EXPECT_NEAR(metrics::macro_average(counts, false).f1, 0.5416666666666666, tolerance);
}

TEST(LabelSets, MissingColumnsAreNeverPredicted) {
  const Matrix<double> y = rows_of({{1, 0, 1}, {0, 1, 0}});
  const Matrix<double> z = rows_of({{1, 0}, {0, 1}});
  EXPECT_DOUBLE_EQ(metrics::hamming_loss(view_of(y), view_of(z)), 1.0 / 6);
  EXPECT_DOUBLE_EQ(metrics::subset_accuracy(view_of(y), view_of(z)), 0.5);
}

}  // namespace
}  // namespace fenchel::test
