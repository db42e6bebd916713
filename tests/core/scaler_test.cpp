// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/scaler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fenchel/core/random.hpp"
#include "messages.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

/// The same numbers dense and sparse; about half are zero.
std::pair<Matrix<double>, CsrMatrix<double>> both(std::size_t rows, std::size_t cols, double shift) {
  Random random(3);
  Matrix<double> dense(rows, cols);
  CsrMatrix<double> sparse;
  sparse.cols = cols;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      if (random.below(2) == 0) continue;
      dense(i, j) = shift + random.normal();
      sparse.indices.push_back(static_cast<std::int32_t>(j));
      sparse.values.push_back(dense(i, j));
    }
    sparse.offsets.push_back(static_cast<std::int64_t>(sparse.indices.size()));
  }
  return {std::move(dense), std::move(sparse)};
}

TEST(Scaler, DenseIsStandardised) {
  const auto pair = both(200, 5, 3);
  const Features x(pair.first);
  const Scaler scaler = Scaler::fit(x, Scaling::standard);
  const ScaledFeatures scaled = scaler.apply(x);
  EXPECT_TRUE(scaled.center.empty());
  const auto view = std::get<0>(std::tuple(scaled.x.visit([](const auto& rows) {
    Matrix<double> copy(rows.rows(), rows.cols());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      for (std::size_t j = 0; j < rows.cols(); ++j)
        copy(i, j) = static_cast<double>(rows.dense_rows().row(i)[j]);
    }
    return copy;
  })));
  for (std::size_t j = 0; j < 5; ++j) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < 200; ++i) sum += view(i, j);
    for (std::size_t i = 0; i < 200; ++i) squares += view(i, j) * view(i, j);
    EXPECT_NEAR(sum / 200, 0, 1e-14);
    EXPECT_NEAR(squares / 200, 1, 1e-13);
  }
}

TEST(Scaler, SparseAgreesWithDense) {
  for (const Scaling scaling : {Scaling::none, Scaling::standard, Scaling::maxabs}) {
    auto [dense, sparse] = both(100, 7, -2);
    const Scaler a = Scaler::fit(Features(dense), scaling);
    const Scaler b = Scaler::fit(Features(sparse), scaling);
    ASSERT_EQ(a.scale.size(), b.scale.size());
    for (std::size_t j = 0; j < a.scale.size(); ++j) EXPECT_NEAR(a.scale[j], b.scale[j], 1e-13 * a.scale[j]);
    a.apply(dense);
    const ScaledFeatures copy = a.apply(Features(sparse));
    EXPECT_TRUE(copy.x.sparse());
    a.apply(sparse);
    const std::vector<double> center = a.center();
    EXPECT_EQ(copy.center, center);
    for (std::size_t i = 0; i < 100; ++i) {
      std::vector<double> row(7);
      for (auto e = static_cast<std::size_t>(sparse.offsets[i]);
           e < static_cast<std::size_t>(sparse.offsets[i + 1]); ++e) {
        row[static_cast<std::size_t>(sparse.indices[e])] = sparse.values[e];
      }
      for (std::size_t j = 0; j < 7; ++j) {
        EXPECT_NEAR(row[j] - (center.empty() ? 0 : center[j]), dense(i, j), 1e-13);
      }
    }
  }
}

TEST(Scaler, ConstantColumnsAndLargeMeans) {
  Matrix<double> x(3, 3, {5, 0, 1e9 + 1, 5, 0, 1e9 + 2, 5, 0, 1e9 + 3});
  const Scaler standard = Scaler::fit(Features(x), Scaling::standard);
  EXPECT_THAT(standard.mean, ElementsAre(5, 0, 1e9 + 2));
  EXPECT_THAT(standard.scale, ElementsAre(1, 1, testing::DoubleNear(std::sqrt(2.0 / 3), 1e-12)));
  const Scaler maxabs = Scaler::fit(Features(x), Scaling::maxabs);
  EXPECT_THAT(maxabs.scale, ElementsAre(5, 1, 1e9 + 3));
}

TEST(Scaler, FloatFeatures) {
  Matrix<float> x(2, 1, {1, 3});
  const Scaler scaler = Scaler::fit(Features(x), Scaling::standard);
  scaler.apply(x);
  EXPECT_THAT(x.entries(), ElementsAre(-1, 1));
}

// A row counts with its weight: one of weight 2 as two rows, one of weight 0 not at all.
TEST(Scaler, RowsCountWithTheirWeights) {
  const auto [dense, sparse] = both(9, 4, 1);
  const std::vector<double> weights{2, 0, 1, 1, 0, 3, 1, 2, 1};
  std::vector<double> entries;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    for (double k = 0; k < weights[i]; ++k, ++rows) {
      entries.insert(entries.end(), dense.row(i).begin(), dense.row(i).end());
    }
  }
  const Features repeated(Matrix<double>(rows, 4, entries));
  for (const Scaling scaling : {Scaling::standard, Scaling::maxabs}) {
    const Scaler expected = Scaler::fit(repeated, scaling);
    for (const Features& x : {Features(Matrix<double>(dense)), Features(CsrMatrix<double>(sparse))}) {
      const Scaler scaler = Scaler::fit(x, scaling, weights);
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_NEAR(scaler.scale[j], expected.scale[j], 1e-14);
        if (scaling == Scaling::standard) {
          EXPECT_NEAR(scaler.mean[j], expected.mean[j], 1e-14);
        }
      }
    }
  }
  EXPECT_THROW(Scaler::fit(repeated, Scaling::standard, weights), std::invalid_argument);
}

TEST(Scaler, WrongInput) {
  const Features x(Matrix<double>(2, 1, {1e308, -1e308}));
  EXPECT_THROW(Scaler::fit(x, Scaling::standard), std::invalid_argument);
  const Scaler scaler = Scaler::fit(Features(Matrix<double>(2, 2)), Scaling::maxabs);
  EXPECT_THROW(scaler.apply(x), std::invalid_argument);
  EXPECT_THROW(scaling_called("minmax"), std::invalid_argument);
  EXPECT_EQ(scaling_called("standard"), Scaling::standard);
}

TEST(Scaler, AColumnIsCalledByItsName) {
  const Features huge(Matrix<double>(2, 2, {0, 1e308, 0, -1e308}));
  const Features tiny(Matrix<double>(2, 2, {0, 1e-300, 0, 2e-300}));
  const std::vector<std::string> names{"height", "mass"};
  for (const Features& x : {huge, tiny}) {
    EXPECT_THAT(message_of([&] { Scaler::fit(x, Scaling::standard, {}, names); }),
                StartsWith("feature 'mass' has"));
    EXPECT_THAT(message_of([&] { Scaler::fit(x, Scaling::standard); }),
                StartsWith("feature 2 (counted from 1) has"));
  }
  EXPECT_THROW(Scaler::fit(huge, Scaling::maxabs, {}, std::span(names).first(1)), std::invalid_argument);
}

TEST(Scaler, ValuesTooSmallForTheirDeviationAreRefused) {
  Matrix<double> x(4, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    x(i, 0) = static_cast<double>(i) * 1e-162;
    x(i, 1) = 7;  // a constant is none of them
  }
  EXPECT_THROW(Scaler::fit(Features(x), Scaling::standard), std::invalid_argument);
  EXPECT_EQ(Scaler::fit(Features(x), Scaling::maxabs).scale[0], 3e-162);
  for (std::size_t i = 0; i < 4; ++i) x(i, 0) = static_cast<double>(i) * 1e-120;
  EXPECT_NEAR(Scaler::fit(Features(x), Scaling::standard).scale[0], std::sqrt(1.25) * 1e-120, 1e-134);
}

}  // namespace
}  // namespace fenchel::test
