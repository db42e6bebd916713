// SPDX-License-Identifier: Apache-2.0
// α-entmax over rows, each with its own α: the same as one row at a time, for any number of threads.
#include "fenchel/losses/entmax.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fenchel/regularizers/tsallis.hpp"
#include "kernels/entmax_jvp.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

template <class T>
class EntmaxRows : public testing::Test {
 protected:
  static constexpr std::size_t rows = 70, d = 19;
  EntmaxRows() : theta(rows * d), v(rows * d), alphas(rows), labels(rows) {
    Random random(3);
    for (T& entry : theta) entry = static_cast<T>(2 * random.normal());
    for (T& entry : v) entry = static_cast<T>(random.normal());
    const double orders[] = {1, 1.5, 2, 1.3, 0.7, 3};
    for (std::size_t i = 0; i < rows; ++i) {
      alphas[i] = orders[i / 7 % 6];
      labels[i] = static_cast<std::int64_t>(random.below(d));
    }
  }
  MatrixView<const T> scores() const { return {theta.data(), rows, d}; }
  MatrixView<const T> directions() const { return {v.data(), rows, d}; }
  static MatrixView<T> view(std::vector<T>& values) { return {values.data(), rows, d}; }
  const double tolerance = sizeof(T) == 4 ? 2e-5 : 1e-11;

  std::vector<T> theta, v;
  std::vector<double> alphas;
  std::vector<std::int64_t> labels;
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(EntmaxRows, Reals);

TYPED_TEST(EntmaxRows, PredictsAndDifferentiatesEachRowWithItsAlpha) {
  using T = TypeParam;
  std::vector<T> p(this->theta.size()), product(p), expected(this->d);
  std::vector<double> slopes(this->rows), derivative(this->d);
  batch::entmax(this->scores(), this->alphas, this->view(p));
  batch::entmax_backward(MatrixView<const T>(this->view(p)), this->alphas, this->directions(),
                         {this->view(product), slopes});
  for (std::size_t i = 0; i < this->rows; ++i) {
    const Tsallis omega{this->alphas[i]};
    const auto row = this->scores().row(i), direction = this->directions().row(i);
    FenchelYoungLoss(omega).predict(MatrixView<const T>(row), MatrixView<T>(std::span<T>(expected)));
    for (std::size_t j = 0; j < this->d; ++j) EXPECT_EQ(p[i * this->d + j], expected[j]);
    const std::vector<double> wide(expected.begin(), expected.end());
    omega.predict_alpha_derivative(wide, derivative);
    double along = 0;
    for (std::size_t j = 0; j < this->d; ++j) along += derivative[j] * static_cast<double>(direction[j]);
    EXPECT_NEAR(slopes[i], along, this->tolerance);
    FenchelYoungLoss(omega).jvp(MatrixView<const T>(row), MatrixView<const T>(direction),
                                MatrixView<T>(std::span<T>(expected)));
    for (std::size_t j = 0; j < this->d; ++j)
      EXPECT_NEAR(product[i * this->d + j], expected[j], this->tolerance);
  }
}

TYPED_TEST(EntmaxRows, LossesAndTheirDerivatives) {
  using T = TypeParam;
  std::vector<T> gradient(this->theta.size()), other(gradient);
  std::vector<double> losses(this->rows), slopes(this->rows), again(this->rows), above(this->rows),
      below(this->rows);
  const Targets<T> y{std::span<const std::int64_t>(this->labels)};
  batch::entmax_loss(this->scores(), this->alphas, y, losses, {this->view(gradient), slopes}, {.threads = 1});
  batch::entmax_loss(this->scores(), this->alphas, y, again, {this->view(other), above}, {.threads = 3});
  EXPECT_EQ(losses, again);
  EXPECT_EQ(gradient, other);
  constexpr double step = 1e-4;
  auto shifted = this->alphas;
  for (double& alpha : shifted) alpha += step;
  batch::entmax_loss(this->scores(), shifted, y, above, {this->view(other)});
  for (double& alpha : shifted) alpha -= 2 * step;
  batch::entmax_loss(this->scores(), shifted, y, below, {this->view(other)});
  for (std::size_t i = 0; i < this->rows; ++i) {
    EXPECT_NEAR(slopes[i], (above[i] - below[i]) / (2 * step), sizeof(T) == 4 ? 5e-2 : 1e-5);
  }
}

TYPED_TEST(EntmaxRows, ChecksItsInput) {
  using T = TypeParam;
  std::vector<T> p(this->theta.size());
  auto message = [&](auto call) {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  auto wrong = this->alphas;
  wrong[5] = 0;
  EXPECT_THAT(message([&] { batch::entmax(this->scores(), wrong, this->view(p)); }),
              HasSubstr("alpha[5] is 0"));
  wrong.pop_back();
  EXPECT_THAT(message([&] { batch::entmax(this->scores(), wrong, this->view(p)); }), HasSubstr("alpha"));
  this->theta[33 * this->d + 4] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_THAT(message([&] { batch::entmax(this->scores(), this->alphas, this->view(p)); }),
              HasSubstr("theta[33, 4]"));
  const std::vector<double> one{1.5};
  batch::entmax(MatrixView<const T>(), one, MatrixView<T>());
}

TEST(EntmaxJvp, IsZeroWhereThePredictionIsAVertexAndNanWhereTheDirectionIs) {
  const std::vector<double> p{0, 1, 0}, v{1, 2, 3}, bad{0, std::nan(""), 0};
  std::vector<double> out(3);
  for (const double alpha : {1.0, 1.3, 1.5, 2.0, infinity}) {
    kernels::entmax_jvp(MatrixView<const double>(std::span(p)), MatrixView<const double>(std::span(v)), alpha,
                        MatrixView<double>(std::span(out)));
    EXPECT_EQ(out, std::vector<double>(3, 0.0));
  }
  kernels::entmax_jvp(MatrixView<const double>(std::span(p)), MatrixView<const double>(std::span(bad)), 2,
                      MatrixView<double>(std::span(out)));
  EXPECT_TRUE(std::isnan(out[1]));
}

// For α > 2 the weight of the smallest p may be larger than all others together: against Σ_i s_i s_j (v_j −
// v_i)/Σs, which subtracts nothing that is nearly equal, in extended precision.
TEST(EntmaxJvp, LargeAlphaLosesNoDigits) {
  Random random(8);
  for (const double alpha : {2.5, 4.0, 10.0, 50.0}) {
    for (int run = 0; run < 300; ++run) {
      const std::size_t d = 2 + static_cast<std::size_t>(run) % 9;
      const Vector theta = normal_vector(random, d, 0.1), v = normal_vector(random, d);
      Vector p(d), out(d);
      Tsallis{alpha}.predict(theta, p, thread_workspace());
      kernels::entmax_jvp(MatrixView<const double>(std::span(p)), MatrixView<const double>(std::span(v)),
                          alpha, MatrixView<double>(std::span(out)));
      std::vector<long double> s(d);
      long double total = 0;
      for (std::size_t j = 0; j < d; ++j) {
        s[j] = p[j] > 0 ? std::pow(static_cast<long double>(p[j]), 2 - static_cast<long double>(alpha)) : 0;
        total += s[j];
      }
      for (std::size_t j = 0; j < d; ++j) {
        long double expected = 0, size = 0;
        for (std::size_t i = 0; i < d; ++i) {
          const long double term = s[i] / total * s[j] * (static_cast<long double>(v[j]) - v[i]);
          expected += term;
          size += std::abs(term);
        }
        EXPECT_NEAR(out[j], static_cast<double>(expected), 1e-11 * (1 + static_cast<double>(size))) << alpha;
      }
    }
  }
}

}  // namespace
}  // namespace fenchel::test
