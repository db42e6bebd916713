// SPDX-License-Identifier: Apache-2.0
// Batches: kinds of targets, weights, strides, aliasing, CSR output, degenerate shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fenchel/losses/fenchel_young.hpp"
#include "messages.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

template <class T>
class Batch : public testing::Test {
 protected:
  static constexpr std::size_t rows = 37, d = 5;
  Batch() : theta(rows * d), one_hot(rows * d), wide(rows), narrow(rows) {
    Random random(1);
    for (T& entry : theta) entry = static_cast<T>(random.normal());
    for (std::size_t i = 0; i < rows; ++i) {
      wide[i] = static_cast<std::int64_t>(random.below(d));
      narrow[i] = static_cast<std::int32_t>(wide[i]);
      one_hot[i * d + static_cast<std::size_t>(wide[i])] = 1;
    }
  }
  MatrixView<const T> scores() const { return {theta.data(), rows, d}; }
  Targets<T> rows_of_targets() const { return MatrixView<const T>(one_hot.data(), rows, d); }
  Targets<T> labels() const { return std::span<const std::int64_t>(wide); }

  std::vector<T> theta, one_hot;
  std::vector<std::int64_t> wide;
  std::vector<std::int32_t> narrow;
  const std::vector<AnyRegularizer> omegas{Shannon{},
                                           Tsallis{1.5},
                                           Tsallis{2},
                                           Tsallis{1.3},
                                           Norm{2},
                                           Sigmoid{},
                                           Temperature{Shannon{}, 0.5},
                                           Constant{Tsallis{2}, 3},
                                           Tsallis{3},
                                           Squared{}};
};

using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Batch, Scalars);

TYPED_TEST(Batch, LabelsAreOneHotRows) {
  using T = TypeParam;
  for (const AnyRegularizer& omega : this->omegas) {
    std::vector<T> a(this->theta.size()), b(this->theta.size()), c(this->theta.size());
    Vector x(this->rows), y(this->rows), z(this->rows);
    const auto view = [&](std::vector<T>& memory) {
      return MatrixView<T>(memory.data(), this->rows, this->d);
    };
    FenchelYoungLoss(omega).value_and_gradient(this->scores(), this->labels(), x, view(a));
    FenchelYoungLoss(omega).value_and_gradient(
        this->scores(), Targets<T>(std::span<const std::int32_t>(this->narrow)), y, view(b));
    FenchelYoungLoss(omega).value_and_gradient(this->scores(), this->rows_of_targets(), z, view(c));
    EXPECT_EQ(x, y) << test_name(omega);
    EXPECT_EQ(a, b) << test_name(omega);
    EXPECT_LE(max_difference(x, z), 1e-12) << test_name(omega);
    EXPECT_EQ(a, c) << test_name(omega);
    Vector only(this->rows);
    const BatchLoss total = FenchelYoungLoss(omega).value(this->scores(), this->labels(), only);
    EXPECT_EQ(only, x) << test_name(omega);
    EXPECT_EQ(FenchelYoungLoss(omega).value(this->scores(), this->labels(), {}).total, total.total);
  }
}

TYPED_TEST(Batch, WeightsMultiply) {
  using T = TypeParam;
  Vector weights(this->rows);
  for (std::size_t i = 0; i < this->rows; ++i) weights[i] = static_cast<double>(i % 4);
  for (const AnyRegularizer& omega : this->omegas) {
    std::vector<T> plain(this->theta.size()), weighted(this->theta.size());
    Vector x(this->rows), y(this->rows);
    FenchelYoungLoss(omega).value_and_gradient(this->scores(), this->labels(), x,
                                               MatrixView<T>(plain.data(), this->rows, this->d));
    const BatchLoss total = FenchelYoungLoss(omega).value_and_gradient(
        this->scores(), this->labels(), y, MatrixView<T>(weighted.data(), this->rows, this->d),
        {.weights = weights});
    EXPECT_NEAR(total.total, dot(x, weights), 1e-10);
    for (std::size_t i = 0; i < this->rows; ++i) {
      EXPECT_EQ(y[i], weights[i] * x[i]);
      for (std::size_t j = 0; j < this->d; ++j) {
        EXPECT_EQ(weighted[i * this->d + j], static_cast<T>(weights[i]) * plain[i * this->d + j]);
      }
    }
  }
}

TYPED_TEST(Batch, InPlaceAndStrides) {
  using T = TypeParam;
  const std::size_t stride = this->d + 3;
  for (const AnyRegularizer& omega : this->omegas) {
    std::vector<T> plain(this->theta.size()), gradient(this->theta.size());
    const MatrixView<T> out(plain.data(), this->rows, this->d), slope(gradient.data(), this->rows, this->d);
    FenchelYoungLoss(omega).predict(this->scores(), out);
    Vector losses(this->rows), again(this->rows);
    FenchelYoungLoss(omega).value_and_gradient(this->scores(), this->rows_of_targets(), losses, slope);
    std::vector<T> memory = this->theta;
    const MatrixView<T> same(memory.data(), this->rows, this->d);
    FenchelYoungLoss(omega).predict(same, same);
    EXPECT_EQ(memory, plain) << test_name(omega);
    memory = this->theta;
    FenchelYoungLoss(omega).value_and_gradient(MatrixView<const T>(same), this->rows_of_targets(), again,
                                               same);
    EXPECT_EQ(memory, gradient) << test_name(omega);
    EXPECT_EQ(losses, again) << test_name(omega);
    memory = this->theta;
    FenchelYoungLoss(omega).value_and_gradient(MatrixView<const T>(same), this->labels(), again, same);
    EXPECT_EQ(memory, gradient) << test_name(omega);
    std::vector<T> padded(this->rows * stride, 99), padded_out(this->rows * stride, 77);
    for (std::size_t i = 0; i < this->rows; ++i) {
      for (std::size_t j = 0; j < this->d; ++j) padded[i * stride + j] = this->theta[i * this->d + j];
    }
    FenchelYoungLoss(omega).predict(MatrixView<const T>(padded.data(), this->rows, this->d, stride),
                                    MatrixView<T>(padded_out.data(), this->rows, this->d, stride));
    for (std::size_t i = 0; i < this->rows; ++i) {
      for (std::size_t j = 0; j < stride; ++j) {
        EXPECT_EQ(padded_out[i * stride + j], j < this->d ? plain[i * this->d + j] : T{77})
            << test_name(omega);
      }
    }
  }
}

TYPED_TEST(Batch, CsrHoldsTheNonZeroEntries) {
  using T = TypeParam;
  for (const AnyRegularizer& omega : this->omegas) {
    std::vector<T> dense(this->theta.size()), rebuilt(this->theta.size());
    FenchelYoungLoss(omega).predict(this->scores(), MatrixView<T>(dense.data(), this->rows, this->d));
    const CsrMatrix<T> csr = FenchelYoungLoss(omega).predict_csr(this->scores());
    ASSERT_EQ(csr.rows(), this->rows);
    EXPECT_EQ(csr.cols, this->d);
    for (std::size_t i = 0; i < this->rows; ++i) {
      for (auto k = static_cast<std::size_t>(csr.offsets[i]);
           k < static_cast<std::size_t>(csr.offsets[i + 1]); ++k) {
        EXPECT_NE(csr.values[k], 0);
        rebuilt[i * this->d + static_cast<std::size_t>(csr.indices[k])] = csr.values[k];
      }
    }
    EXPECT_EQ(rebuilt, dense) << test_name(omega);
  }
}

TYPED_TEST(Batch, EmptyAndOneClass) {
  using T = TypeParam;
  for (const AnyRegularizer& omega : this->omegas) {
    EXPECT_TRUE(FenchelYoungLoss(omega).predict(MatrixView<const T>(), MatrixView<T>()).converged());
    EXPECT_EQ(FenchelYoungLoss(omega).predict_csr(MatrixView<const T>()).rows(), 0u);
    const Targets<T> none{std::span<const std::int32_t>()};
    EXPECT_EQ(FenchelYoungLoss(omega).value(MatrixView<const T>(nullptr, 0, 3), none, {}).total, 0);
    if (omega.refined_traits().domain != Domain::simplex) continue;
    std::vector<T> single{3, -1e6, 0}, out(3);
    FenchelYoungLoss(omega).predict(MatrixView<const T>(single.data(), 3, 1),
                                    MatrixView<T>(out.data(), 3, 1));
    EXPECT_EQ(out, std::vector<T>(3, 1)) << test_name(omega);
    const std::vector<std::int32_t> zero(3, 0);
    const Targets<T> first{std::span<const std::int32_t>(zero)};
    EXPECT_EQ(FenchelYoungLoss(omega).value(MatrixView<const T>(single.data(), 3, 1), first, {}).total, 0)
        << test_name(omega);
  }
}

TYPED_TEST(Batch, PartialOverlapsAreErrors) {
  using T = TypeParam;
  std::vector<T> memory(30, T{1} / 5), other(30, T{1} / 5);
  const AnyRegularizer omega = Shannon{};
  const MatrixView<T> first(memory.data(), 2, 5), shifted_by_one(memory.data() + 1, 2, 5),
      apart(other.data(), 2, 5);
  EXPECT_THAT(message_of([&] { FenchelYoungLoss(omega).predict(first, shifted_by_one); }),
              HasSubstr("out overlaps"));
  EXPECT_THAT(message_of([&] { FenchelYoungLoss(omega).jvp(first, apart, shifted_by_one); }),
              HasSubstr("out overlaps"));
  EXPECT_THAT(message_of([&] { FenchelYoungLoss(omega).prox(first, 1, shifted_by_one); }),
              HasSubstr("out overlaps"));
  EXPECT_NE(message_of([&] {
              FenchelYoungLoss(omega).value_and_gradient(first, Targets<T>(apart), {}, shifted_by_one);
            }),
            "");
  // The gradient may replace the scores, but not the targets it still needs.
  EXPECT_NE(
      message_of([&] { FenchelYoungLoss(omega).value_and_gradient(first, Targets<T>(apart), {}, apart); }),
      "");
}

TEST(BatchViews, ColumnBlocksOfOneMatrixDoNotOverlap) {
  Vector memory{1, 0, 9, 9, 0, 2, 9, 9};
  const MatrixView<const double> left(memory.data(), 2, 2, 4);
  const MatrixView<double> right(memory.data() + 2, 2, 2, 4);
  FenchelYoungLoss(Argmax{}).predict(left, right);
  EXPECT_THAT(memory, testing::ElementsAre(1, 0, 1, 0, 0, 2, 0, 1));
  const MatrixView<double> touching(memory.data() + 1, 2, 2, 4);
  EXPECT_THAT(message_of([&] { FenchelYoungLoss(Argmax{}).predict(left, touching); }), HasSubstr("overlaps"));
}

// Targets lie right before a gradient whose rows are further apart.
TEST(BatchViews, NeighboursWithOtherStridesDoNotOverlap) {
  Vector memory(2 * 2 + 2 * 4, 0.5), theta(4, 0.0), losses(2);
  const MatrixView<const double> y(memory.data(), 2, 2);
  const MatrixView<double> gradient(memory.data() + 4, 2, 2, 4);
  const MatrixView<const double> scores(theta.data(), 2, 2);
  EXPECT_EQ(
      FenchelYoungLoss(Shannon{}).value_and_gradient(scores, Targets<double>(y), losses, gradient).total, 0);
  const MatrixView<double> touching(memory.data() + 3, 2, 2, 4);
  EXPECT_THAT(message_of([&] {
                FenchelYoungLoss(Shannon{}).value_and_gradient(scores, Targets<double>(y), losses, touching);
              }),
              HasSubstr("overlaps"));
}

TEST(BatchWeights, ZeroTimesAnInfiniteLossIsNothing) {
  const Vector theta{1000, 0}, y{1, 1}, weights{0, 1};
  Vector losses(2), gradient(2);
  const MatrixView<const double> scores(theta.data(), 2, 1), targets(y.data(), 2, 1);
  const BatchLoss loss = FenchelYoungLoss(Poisson{}).value_and_gradient(
      scores, Targets<double>(targets), losses, MatrixView<double>(gradient.data(), 2, 1),
      {.weights = weights});
  EXPECT_EQ(losses[0], 0);
  EXPECT_EQ(gradient[0], 0);
  EXPECT_EQ(loss.total, losses[1]);
}

}  // namespace
}  // namespace fenchel::test
