// SPDX-License-Identifier: Apache-2.0
// The smoothed maximum over sequences: the exact cases, and derivatives as differences.
#include "fenchel/polytopes/smoothed_maximum.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "polytopes/chain_reference.hpp"

namespace fenchel::test {
namespace {

constexpr Smoothing both[] = {Smoothing::shannon, Smoothing::gini};

Numbers gradient_of(const SmoothedMaximum& maximum, const Numbers& theta) {
  Numbers mu(theta.size());
  maximum.gradient(theta, mu, thread_workspace());
  return mu;
}

Numbers moved(Numbers theta, double step, const Numbers& v) {
  for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += step * v[k];
  return theta;
}

TEST(SmoothedMaximum, ShannonIsTheLogPartition) {
  Random random(1);
  const Sequence set{.n = 7, .m = 5};
  for (const double scale : {0.1, 1.0, 30.0, 1e3}) {
    const Numbers theta = random_numbers(random, set.dimension(), scale);
    const SmoothedMaximum maximum{set};
    Numbers mu(theta.size());
    const double expected = set.marginals(theta, mu, thread_workspace());
    Numbers gradient(theta.size());
    const double value = maximum.gradient(theta, gradient, thread_workspace());
    EXPECT_NEAR(value, expected, 1e-13 * std::max(1.0, std::abs(expected)));
    EXPECT_EQ(maximum.value(theta, thread_workspace()), value);
    EXPECT_LE(largest_difference(mu, gradient), 1e-13 * std::max(1.0, scale));
    const Numbers v = random_numbers(random, set.dimension(), 1);
    Numbers product(theta.size());
    Numbers covariance(theta.size());
    maximum.hessian_product(theta, v, product, thread_workspace());
    set.marginals_jvp(theta, mu, v, covariance, thread_workspace());
    EXPECT_LE(largest_difference(product, covariance), 1e-12 * std::max(1.0, scale));
  }
}

TEST(SmoothedMaximum, ShannonWithTemperatureIsScaledLogPartition) {
  Random random(2);
  const Sequence set{.n = 5, .m = 4};
  const Numbers theta = random_numbers(random, set.dimension(), 1);
  Numbers colder = theta;
  for (double& entry : colder) entry /= 0.3;
  const SmoothedMaximum maximum{set, Smoothing::shannon, 0.3};
  EXPECT_NEAR(maximum.value(theta, thread_workspace()), 0.3 * set.log_partition(colder, thread_workspace()),
              1e-13);
  EXPECT_LE(largest_difference(gradient_of(maximum, theta), marginals_of(set, colder)), 1e-13);
}

// One step is a single max_Ω: sparsemax of the start scores, ½‖p‖² + τ + ½.
TEST(SmoothedMaximum, GiniOfOneStepIsSparsemax) {
  const Sequence set{.n = 1, .m = 3};
  const Numbers theta{1.0, 9, 9, 0.5, 9, 9, -2.0, 9, 9};
  Numbers mu(theta.size());
  const double value = SmoothedMaximum{set, Smoothing::gini}.gradient(theta, mu, thread_workspace());
  EXPECT_EQ(mu, (Numbers{0.75, 0, 0, 0.25, 0, 0, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(value, 0.75 * 1 + 0.25 * 0.5 - 0.5 * (0.75 * 0.75 + 0.25 * 0.25) + 0.5);
}

TEST(SmoothedMaximum, DerivativesAreDifferences) {
  Random random(3);
  constexpr double h = 1e-6;
  for (const Sequence& set : {Sequence{.n = 6, .m = 4}, Sequence{.n = 3, .m = 7}, Sequence{.n = 1, .m = 3}}) {
    for (const Smoothing smoothing : both) {
      for (const double temperature : {0.5, 1.0, 4.0}) {
        const SmoothedMaximum maximum{set, smoothing, temperature};
        const Numbers theta = random_numbers(random, set.dimension(), 1);
        const Numbers v = random_numbers(random, set.dimension(), 1);
        const Numbers ahead = moved(theta, h, v);
        const Numbers behind = moved(theta, -h, v);
        const Numbers mu = gradient_of(maximum, theta);
        const double slope =
            (maximum.value(ahead, thread_workspace()) - maximum.value(behind, thread_workspace())) / (2 * h);
        EXPECT_NEAR(std::inner_product(v.begin(), v.end(), mu.begin(), 0.0), slope, 1e-8);
        Numbers differences = moved(gradient_of(maximum, ahead), -1, gradient_of(maximum, behind));
        for (double& entry : differences) entry /= 2 * h;
        Numbers product(theta.size());
        maximum.hessian_product(theta, v, product, thread_workspace());
        EXPECT_LE(largest_difference(product, differences), 1e-8);
      }
    }
  }
}

TEST(SmoothedMaximum, GradientIsInThePolytopeAndSparse) {
  Random random(4);
  const Sequence set{.n = 8, .m = 6};
  for (const double scale : {0.05, 1.0, 1e3}) {
    for (const Smoothing smoothing : both) {
      const Numbers theta = with_masks(random, random_numbers(random, set.dimension(), scale), 0.1);
      const Numbers mu = gradient_of({set, smoothing}, theta);
      EXPECT_NO_THROW(set.check_point("mu", mu));
      const auto zeros = std::count(mu.begin(), mu.end(), 0.0);
      if (smoothing == Smoothing::gini && scale == 1) {
        EXPECT_GT(zeros, 200);
      }
      for (std::size_t k = 0; k < mu.size(); ++k) {
        if (theta[k] == masked) {
          EXPECT_EQ(mu[k], 0);
        }
      }
    }
  }
}

TEST(SmoothedMaximum, ColdIsViterbi) {
  Random random(5);
  const Sequence set{.n = 6, .m = 5};
  const Numbers theta = random_numbers(random, set.dimension(), 1);
  Structure best;
  const double score = set.map(theta, best, thread_workspace());
  for (const Smoothing smoothing : both) {
    const SmoothedMaximum maximum{set, smoothing, 1e-4};
    EXPECT_NEAR(maximum.value(theta, thread_workspace()), score, 1e-12);
    EXPECT_LE(largest_difference(gradient_of(maximum, theta), dense(set, best)), 1e-12);
  }
}

TEST(SmoothedMaximum, TiesAndMasks) {
  const Sequence set{.n = 4, .m = 3};
  const Numbers flat(set.dimension(), 2.0);
  for (const Smoothing smoothing : both) {
    const Numbers mu = gradient_of({set, smoothing}, flat);
    for (std::size_t t = 1; t < set.n; ++t) {
      for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(mu[t * 9 + k], 1.0 / 9, 1e-15);
    }
    const Numbers none(set.dimension(), masked);
    EXPECT_EQ((SmoothedMaximum{set, smoothing}.value(none, thread_workspace())), masked);
  }
}

TEST(SmoothedMaximum, ChecksTheTemperature) {
  EXPECT_THROW((SmoothedMaximum{{}, Smoothing::gini, 0}.check()), std::invalid_argument);
  EXPECT_THROW((SmoothedMaximum{{}, Smoothing::gini, masked}.check()), std::invalid_argument);
  EXPECT_NO_THROW((SmoothedMaximum{{}, Smoothing::gini, 2}.check()));
}

}  // namespace
}  // namespace fenchel::test
