// SPDX-License-Identifier: Apache-2.0
// Kernel models predict as linear ones do: scaling first, unknown columns ignored, temperature at the end.
#include "fenchel/models/kernel_predictor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "messages.hpp"
#include "metrics/rows.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

const Matrix<double>& support() {
  static const Matrix<double> rows = rows_of({{1, 0}, {0, 2}, {-1, 1}});
  return rows;
}

KernelPredictor example(const Matrix<double>& rows) {
  static const Matrix<double> coefficients = rows_of({{1, 0}, {-1, 2}, {0.5, 0.5}});
  KernelPredictor model;
  model.expansion =
      make_kernel_model(make_kernel("rbf:gamma=0.5"), FeaturesView<double>(rows), coefficients.view());
  return model;
}

double rbf(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return std::exp(-0.5 * sum);
}

CsrMatrix<double> sparse_of(const Matrix<double>& dense) {
  CsrMatrix<double> result;
  result.cols = dense.cols();
  for (std::size_t i = 0; i < dense.rows(); ++i) {
    for (std::size_t j = 0; j < dense.cols(); ++j) {
      if (dense(i, j) == 0) continue;
      result.indices.push_back(static_cast<std::int32_t>(j));
      result.values.push_back(dense(i, j));
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.values.size()));
  }
  return result;
}

TEST(KernelPredictor, ScoresFromTheDefinition) {
  const Matrix<double> x = rows_of({{0.5, 0}, {0, 0}, {3, -1}});
  const auto result = predict(example(support()), FeaturesView<double>(x));
  for (std::size_t i = 0; i < 3; ++i) {
    const double near = rbf(x.row(i), support().row(0)), far = rbf(x.row(i), support().row(1)),
                 third = rbf(x.row(i), support().row(2));
    EXPECT_NEAR(result.scores(i, 0), near - far + 0.5 * third, 1e-14);
    EXPECT_NEAR(result.scores(i, 1), 2 * far + 0.5 * third, 1e-14);
    const Vector expected = test::predict(Shannon{}, {result.scores(i, 0), result.scores(i, 1)});
    EXPECT_NEAR(result.outputs(i, 0), expected[0], 1e-15);
  }
}

TEST(KernelPredictor, ScalesRowsFirst) {
  const Matrix<double> x = rows_of({{5, 0}, {0, 8}, {2, -4}});
  Matrix<double> scaled = x;
  KernelPredictor model = example(support());
  for (const Scaling scaling : {Scaling::standard, Scaling::maxabs}) {
    model.scaler = Scaler::fit(Features(x), scaling);
    scaled = x;
    model.scaler.apply(scaled);
    const Matrix<double> expected = predict(example(support()), FeaturesView<double>(scaled)).scores;
    const Matrix<double> dense = predict(model, FeaturesView<double>(x)).scores;
    const Matrix<double> sparse = predict(model, FeaturesView<double>(sparse_of(x))).scores;
    for (std::size_t e = 0; e < 6; ++e) {
      EXPECT_NEAR(dense.entries()[e], expected.entries()[e], 1e-14);
      EXPECT_NEAR(sparse.entries()[e], expected.entries()[e], 1e-14);
    }
  }
}

TEST(KernelPredictor, ColumnsOutOfRangeAreIgnored) {
  const Matrix<double> x = rows_of({{0.5, 1}}), wide = rows_of({{0.5, 1, 9, 0, 3}}),
                       narrow = rows_of({{0.5}}), padded = rows_of({{0.5, 0}});
  const KernelPredictor model = example(support());
  const auto expected = predict(model, FeaturesView<double>(x));
  for (const auto& got :
       {predict(model, FeaturesView<double>(wide)), predict(model, FeaturesView<double>(sparse_of(wide)))}) {
    EXPECT_EQ(got.ignored, 2u);
    EXPECT_NEAR(got.scores(0, 0), expected.scores(0, 0), 1e-15);
  }
  EXPECT_EQ(predict(model, FeaturesView<double>(narrow)).scores(0, 0),
            predict(model, FeaturesView<double>(padded)).scores(0, 0));
}

TEST(KernelPredictor, CheckFindsPartsThatDoNotFit) {
  const KernelPredictor good = example(support());
  good.check();
  KernelPredictor model = good;
  model.classes = {"one"};
  EXPECT_THAT(message_of([&] { model.check(); }), testing::HasSubstr("classes"));
  model = good;
  model.expansion.support.pop_back();
  EXPECT_NE(message_of([&] { model.check(); }), "");
  model = good;
  model.expansion.coefficients.values[0] = std::nan("");
  EXPECT_NE(message_of([&] { model.check(); }), "");
}

}  // namespace
}  // namespace fenchel::test
