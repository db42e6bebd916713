// SPDX-License-Identifier: Apache-2.0
// Binary margin losses φ*(−ys) (paper §4.4), and the factor 2 between the cube and the simplex (§6.1).
#include "fenchel/losses/binary.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace fenchel::test {
namespace {

const Vector scores{-30, -2, -1, -0.5, 0, 0.3, 1, 1.7, 40};

TEST(Binary, NamedLossesAreTwoClassLosses) {
  for (const double s : scores) {
    for (const int y : {1, -1}) {
      const std::vector<std::pair<AnyRegularizer, binary::Sample>> pairs{
          {Shannon{}, binary::logistic(s, y)},
          {Tsallis{2}, binary::modified_huber(s, y)},
          {Argmax{}, binary::perceptron(s, y)}};
      for (const auto& pair : pairs) {
        const binary::Sample sample = binary::margin_loss(pair.first, s, y);
        EXPECT_NEAR(sample.value, pair.second.value, 1e-14 * (1 + std::abs(s)));
        if (s != 0) {
          EXPECT_NEAR(sample.derivative, pair.second.derivative, 1e-14);
        }
      }
      const Loss hinge = Loss(Argmax{}).with_cost(zero_one_cost());
      const double costed = hinge.value(Vector{s, 0}, std::int64_t{y == 1 ? 0 : 1});
      EXPECT_NEAR(costed, binary::hinge(s, y).value, 1e-14 * (1 + std::abs(s)));
    }
  }
}

// φ*(u) = max over p of pu − φ(p), on a fine grid.
TEST(Binary, ConjugatesOfPhi) {
  const auto conjugate = [](auto phi, double u) {
    double best = -phi(0.0);
    for (int i = 0; i <= 10000; ++i) best = std::max(best, u * i / 10000 - phi(i / 10000.0));
    return best;
  };
  for (const double s : scores) {
    const double u = -s;
    EXPECT_NEAR(binary::smoothed_hinge(s, 1).value, conjugate([](double p) { return 0.5 * p * p - p; }, u),
                1e-8);
    EXPECT_NEAR(binary::modified_huber(s, 1).value, conjugate([](double p) { return p * p - p; }, u), 1e-8);
    EXPECT_NEAR(binary::hinge(s, 1).value, conjugate([](double p) { return -p; }, u), 1e-8);
    EXPECT_NEAR(binary::perceptron(s, 1).value, conjugate([](double) { return 0.0; }, u), 1e-8);
    EXPECT_NEAR(binary::smoothed_hinge(s, 1).value, binary::smoothed_hinge(-s, -1).value, 0);
  }
}

TEST(Binary, DerivativesMatchFiniteDifferences) {
  const double h = 1e-6;
  for (const auto function : {binary::logistic, binary::modified_huber, binary::smoothed_hinge}) {
    for (const double s : {-3.1, -0.4, 0.2, 0.7, 5.0}) {
      for (const int y : {1, -1}) {
        const double quotient = (function(s + h, y).value - function(s - h, y).value) / (2 * h);
        EXPECT_NEAR(function(s, y).derivative, quotient, 1e-6);
      }
    }
  }
}

TEST(Binary, FactorTwoBetweenCubeAndSimplex) {
  const std::vector<std::pair<AnyRegularizer, AnyRegularizer>> pairs{{Shannon{}, Sigmoid{}},
                                                                     {Tsallis{2}, SparseSigmoid{}},
                                                                     {Tsallis{1.5}, TsallisSigmoid{1.5}},
                                                                     {Norm{3}, OneVsAll{Norm{3}}},
                                                                     {Tsallis{2}, OneVsAll{Tsallis{2}}}};
  for (const auto& pair : pairs) {
    for (const double s : {-3.0, -0.7, 0.0, 0.4, 2.0}) {
      const double half = binary::margin_loss(pair.first, s, 1).value;
      const double whole = loss_value(pair.second, {s, -s}, {1, 0});
      EXPECT_NEAR(whole, 2 * half, 1e-12 * (1 + half)) << test_name(pair.second) << " s=" << s;
      // θ = [s, −s] over the simplex is φ*(−2ys).
      const double doubled = loss_value(pair.first, {s, -s}, {1, 0});
      EXPECT_NEAR(doubled, binary::margin_loss(pair.first, 2 * s, 1).value, 1e-12 * (1 + doubled));
    }
  }
}

TEST(Binary, WrongInput) {
  EXPECT_THROW(binary::logistic(0, 0), std::invalid_argument);
  EXPECT_THROW(binary::hinge(std::nan(""), 1), std::invalid_argument);
}

}  // namespace
}  // namespace fenchel::test
