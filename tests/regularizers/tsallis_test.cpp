// SPDX-License-Identifier: Apache-2.0
// Tsallis entropies: continuous through α = 1, fast paths equal to the general one, derivatives in α.
#include "fenchel/regularizers/tsallis.hpp"

#include <gtest/gtest.h>

#include "fenchel/core/numeric.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

TEST(Tsallis, ContinuousThroughOne) {
  Random random(1);
  for (const double spread : {0.1, 1.0, 10.0}) {
    const Vector theta = normal_vector(random, 8, spread);
    const Vector y = simplex_point(random, 8);
    const Vector softmax = predict(Shannon{}, theta);
    const double logistic = loss_value(Shannon{}, theta, y);
    for (const double step : {1e-6, 1e-8, 1e-10, 1e-13}) {
      for (const double alpha : {1 + step, 1 - step}) {
        // ∂ŷ/∂α and ∂L/∂α grow with the square of the spread.
        const double slope = 4 * (1 + spread * spread);
        EXPECT_LE(max_difference(predict(Tsallis{alpha}, theta), softmax), slope * step + 1e-14) << alpha;
        EXPECT_NEAR(loss_value(Tsallis{alpha}, theta, y), logistic, slope * (1 + spread) * step + 1e-13)
            << alpha;
      }
    }
  }
}

TEST(Tsallis, ContinuousWhereAlgorithmsChange) {
  Random random(2);
  for (const double alpha : {1.05, 1.5, 2.0}) {
    const Vector theta = normal_vector(random, 30, 2);
    const Vector at = predict(Tsallis{alpha}, theta);
    for (const double step : {-1e-9, 1e-9}) {
      EXPECT_LE(max_difference(predict(Tsallis{alpha + step}, theta), at), 1e-7) << alpha;
    }
  }
  const Vector theta{0.3, 0.1, -4};
  EXPECT_EQ(predict(Tsallis{infinity}, theta), predict(Argmax{}, theta));
  EXPECT_LE(max_difference(predict(Tsallis{1e6}, theta), predict(Argmax{}, theta)), 1e-3);
}

TEST(Tsallis, AlphaDerivativesMatchFiniteDifferences) {
  Random random(3);
  const double h = 1e-5;
  for (const double alpha : {0.5, 0.9, 1.0, 1.0 + 1e-9, 1.1, 1.5, 1.9, 2.0, 2.7}) {
    for (int run = 0; run < 10; ++run) {
      const Vector theta = normal_vector(random, 6);
      const Vector y = simplex_point(random, 6);
      const Vector p = predict(Tsallis{alpha}, theta);
      const Vector above = predict(Tsallis{alpha + h}, theta);
      const Vector below = predict(Tsallis{alpha - h}, theta);
      Vector slope(6);
      Tsallis{alpha}.predict_alpha_derivative(p, slope);
      bool same_support = true;
      for (std::size_t j = 0; j < 6; ++j)
        same_support &= (above[j] > 0) == (p[j] > 0) && (below[j] > 0) == (p[j] > 0);
      EXPECT_NEAR(sum_of_entries(slope), 0, 1e-12);
      if (same_support) {
        EXPECT_LE(max_difference(slope, scaled(moved(above, -1, below), 1 / (2 * h))), 1e-7) << alpha;
      }
      const double quotient =
          (loss_value(Tsallis{alpha + h}, theta, y) - loss_value(Tsallis{alpha - h}, theta, y)) / (2 * h);
      EXPECT_NEAR(Tsallis{alpha}.loss_alpha_derivative(y, p), quotient, 1e-7) << alpha;
    }
  }
}

TEST(Tsallis, OneOverTheSimplexIsSparsemax) {
  Random random(4);
  const Vector theta = normal_vector(random, 10);
  EXPECT_LE(max_difference(predict(SquaredNorm{2}, theta), predict(Tsallis{2}, theta)), 1e-14);
  EXPECT_LE(max_difference(predict(Renyi{1}, theta), predict(Shannon{}, theta)), 0);
  EXPECT_LE(max_difference(predict(TsallisSigmoid{2}, theta), predict(SparseSigmoid{}, theta)), 0);
  EXPECT_LE(max_difference(predict(OneVsAll{Shannon{}}, theta), predict(Sigmoid{}, theta)), 1e-15);
}

}  // namespace
}  // namespace fenchel::test
