// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/kernel_function.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fenchel/models/kernel_model.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel {
namespace {

using testing::HasSubstr;

TEST(Kernel, TextAndBack) {
  EXPECT_EQ(make_kernel("rbf:gamma=0.5").gamma, 0.5);
  EXPECT_EQ(make_kernel("polynomial:gamma=2,coef0=1,degree=4").degree, 4);
  EXPECT_EQ(make_kernel("linear:constant=1").constant, 1);
  for (const std::string text : {"linear", "rbf:gamma=0.5", "polynomial:gamma=2,coef0=1,degree=4",
                                 "precomputed", "linear:constant=1"}) {
    const Kernel kernel = make_kernel(text);
    EXPECT_EQ(to_json(make_kernel(kernel.spec()).spec()), to_json(kernel.spec()));
  }
}

TEST(Kernel, DefaultGamma) {
  const Matrix<double> x(2, 3, {1, 0, 2, 0, 0, 3});  // mean 1, variance (0 + 1 + 1 + 1 + 1 + 4)/6
  const FeaturesView<double> dense(x);
  EXPECT_NEAR(default_gamma(dense), 1 / (3 * (8.0 / 6)), 1e-15);
  const CsrMatrix<double> sparse{.cols = 3, .offsets = {0, 2, 3}, .indices = {0, 2, 2}, .values = {1, 2, 3}};
  EXPECT_NEAR(default_gamma(FeaturesView<double>(sparse)), 1 / (3 * (8.0 / 6)), 1e-15);
  const std::vector<double> weights{2, 0};  // the first row twice: mean 1, variance 2/3
  EXPECT_NEAR(default_gamma(dense, weights), 1 / (3 * (2.0 / 3)), 1e-15);
  const Matrix<double> same(2, 2, {5, 5, 5, 5}), huge(1, 2, {1e300, -1e300}), tiny(1, 2, {1e-300, 0});
  EXPECT_EQ(default_gamma(FeaturesView<double>(same)), 1);
  EXPECT_EQ(default_gamma(FeaturesView<double>(huge)), 1);
  EXPECT_EQ(default_gamma(FeaturesView<double>(tiny)), 1);
  EXPECT_TRUE(leaves_gamma_open("rbf"));
  EXPECT_TRUE(leaves_gamma_open("polynomial:degree=2"));
  EXPECT_FALSE(leaves_gamma_open("rbf:gamma=1"));
  EXPECT_FALSE(leaves_gamma_open("linear"));
}

std::string refusal(const std::string& text) {
  try {
    make_kernel(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Kernel, Refusals) {
  EXPECT_THAT(refusal("rbff"), HasSubstr("rbf"));
  EXPECT_THAT(refusal("linear:gamma=1"), HasSubstr("gamma"));
  EXPECT_THAT(refusal("rbf:gamma=0"), HasSubstr("gamma"));
  EXPECT_THAT(refusal("rbf:gamma=inf"), HasSubstr("gamma"));
  EXPECT_THAT(refusal("polynomial:coef0=-1"), HasSubstr("coef0"));
  EXPECT_THAT(refusal("polynomial:degree=0"), HasSubstr("degree"));
}

double by_definition(const Kernel& kernel, std::span<const double> x, std::span<const double> z) {
  double product = 0, distance = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    product += x[j] * z[j];
    distance += (x[j] - z[j]) * (x[j] - z[j]);
  }
  if (kernel.kind == Kernel::Kind::rbf) return std::exp(-kernel.gamma * distance) + kernel.constant;
  if (kernel.kind == Kernel::Kind::polynomial)
    return std::pow(kernel.gamma * product + kernel.coef0, static_cast<double>(kernel.degree)) +
           kernel.constant;
  return product + kernel.constant;
}

TEST(Kernel, DenseAndSparseRowsByDefinition) {
  const test::SmallData data = test::small_data(12, 7, 2, 1);
  for (const std::string text :
       {"linear:constant=1", "rbf:gamma=0.3", "polynomial:gamma=0.5,coef0=1,degree=3"}) {
    const Kernel kernel = make_kernel(text);
    std::vector<double> values(12);
    const FeaturesView<double> dense(data.dense), sparse(data.sparse);
    for (const auto& rows : {dense, sparse}) {
      const KernelRows<double> side(kernel, rows);
      for (const auto& x : {dense, sparse}) {
        for (std::size_t i = 0; i < 12; ++i) {
          side.evaluate(x, i, std::span(values));
          for (std::size_t j = 0; j < 12; ++j)
            EXPECT_NEAR(values[j], by_definition(kernel, data.dense.row(i), data.dense.row(j)), 1e-12);
        }
      }
    }
  }
}

TEST(Kernel, DistancesOfRowsWhoseSquaresAreTooLarge) {
  const Matrix<double> dense(3, 2, {1e308, -1e308, 1, 2, -1e200, 0});
  CsrMatrix<double> sparse{.cols = 2, .offsets = {0, 2, 4, 5}, .indices = {0, 1, 0, 1, 0}, .values = {}};
  sparse.values = {1e308, -1e308, 1, 2, -1e200};
  const FeaturesView<double> one(dense), other(sparse);
  for (const auto& rows : {one, other}) {
    const KernelRows<double> side(make_kernel("rbf:gamma=0.5"), rows);
    for (std::size_t i = 0; i < 3; ++i) {
      std::vector<double> values(3);
      side.evaluate(rows, i, std::span(values));
      for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(values[j], i == j ? 1 : 0) << i << " " << j;
    }
  }
}

TEST(KernelModel, KeepsAndSumsTheSupportOnly) {
  const test::SmallData data = test::small_data(12, 5, 2, 2);
  Matrix<double> coefficients(12, 3);
  coefficients(1, 0) = 0.5;
  coefficients(4, 2) = -1;
  coefficients(4, 1) = 2;
  const Kernel kernel = make_kernel("rbf:gamma=0.3");
  for (const bool sparse : {false, true}) {
    const FeaturesView<double> x =
        sparse ? FeaturesView<double>(data.sparse) : FeaturesView<double>(data.dense);
    const KernelModel model = make_kernel_model(kernel, x, coefficients.view());
    EXPECT_THAT(model.support, testing::ElementsAre(1, 4));
    EXPECT_EQ(model.coefficients.values.size(), 3);
    Matrix<double> theta(12, 3);
    model.scores(FeaturesView<double>(data.dense), theta.view(), 1);
    for (std::size_t i = 0; i < 12; ++i) {
      const double first = by_definition(kernel, data.dense.row(i), data.dense.row(1));
      const double second = by_definition(kernel, data.dense.row(i), data.dense.row(4));
      EXPECT_NEAR(theta(i, 0), 0.5 * first, 1e-14);
      EXPECT_NEAR(theta(i, 1), 2 * second, 1e-14);
      EXPECT_NEAR(theta(i, 2), -second, 1e-14);
    }
    Matrix<double> wrong(12, 2);
    EXPECT_THROW(model.scores(FeaturesView<double>(data.dense), wrong.view(), 1), std::invalid_argument);
  }
}

}  // namespace
}  // namespace fenchel
