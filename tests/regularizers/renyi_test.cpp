// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/renyi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fenchel/losses/fenchel_young.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

double objective(const Renyi& omega, const Vector& theta, const Vector& p) {
  return dot(theta, p) - omega.value(p);
}

// The best of many ascents: from random points and from the uniform distribution over the top classes, mass
// moves between two classes as long as that helps.
double best_of_many_starts(const Renyi& omega, const Vector& theta, Random& random) {
  const std::size_t d = theta.size();
  Vector sorted = theta;
  std::ranges::sort(sorted, std::greater<>());
  double best = -infinity;
  for (std::size_t start = 0; start < d + 10; ++start) {
    Vector p(d);
    for (std::size_t j = 0; j < d; ++j) {
      p[j] = start < d ? (theta[j] >= sorted[start] ? 1 : 0) : random.exponential();
    }
    const double sum = sum_of(p);
    for (double& entry : p) entry /= sum;
    double value = objective(omega, theta, p);
    for (double share = 0.5; share > 1e-7;) {
      bool better = false;
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j < d; ++j) {
          if (i == j || p[i] == 0) continue;
          Vector moved = p;
          moved[j] += share * p[i];
          moved[i] -= share * p[i];
          const double there = objective(omega, theta, moved);
          if (!(there > value + 1e-15)) continue;
          p = moved;
          value = there;
          better = true;
        }
      }
      if (!better) share *= 0.5;
    }
    best = std::max(best, value);
  }
  return best;
}

TEST(Renyi, GlobalMaximum) {
  Random random(3);
  for (const double beta : {1.01, 1.3, 2.0, 3.0, 7.0, 12.0, 30.0, 100.0, 1e4}) {
    for (int i = 0; i < 12; ++i) {
      Vector theta = normal_vector(random, 2 + random.below(5), i % 3 == 0 ? 0.2 : i % 3 == 1 ? 1.0 : 3.0);
      if (i == 5)
        std::ranges::transform(theta, theta.begin(), [](double score) { return std::round(score); });
      const Renyi omega{beta};
      Vector p(theta.size());
      const Report report = FenchelYoungLoss(omega).predict(theta, p);
      EXPECT_TRUE(report.converged()) << "beta " << beta;
      EXPECT_GE(objective(omega, theta, p), best_of_many_starts(omega, theta, random) - 1e-10)
          << "beta " << beta << ", d " << theta.size();
    }
  }
}

TEST(Renyi, SeveralStationaryPoints) {
  const Vector theta{0.7301647476037328,  -1.0596552098846137, -0.9686294951336051, 0.8134691713109803,
                     -0.5341444243126132, -0.3964406061586347, -1.4020283764239276, -1.2373522991302548};
  EXPECT_NEAR(FenchelYoungLoss(Renyi{30}).conjugate(theta), 1.583385264294, 1e-11);
}

// ŷ solves the optimality conditions to the last digits, and many classes are no reason to give up.
TEST(Renyi, ManyClasses) {
  Random random(4);
  for (const double beta : {1.0001, 1.5, 2.0, 20.0, 1000.0}) {
    for (const std::size_t d : {std::size_t{300}, std::size_t{20000}}) {
      const Vector theta = normal_vector(random, d, 2.0);
      Vector p(d);
      const Report report = FenchelYoungLoss(Renyi{beta}).predict(theta, p);
      EXPECT_TRUE(report.converged()) << "beta " << beta << ", d " << d << ", residual " << report.residual;
      EXPECT_NEAR(sum_of(p), 1, 1e-12);
      Vector gradient(d);
      Renyi{beta}.gradient(p, gradient);
      double lowest = infinity, highest = -infinity;  // of θ − ∇Ω(p) on the support
      for (std::size_t j = 0; j < d; ++j) {
        if (p[j] < 1e-6) continue;
        lowest = std::min(lowest, theta[j] - gradient[j]);
        highest = std::max(highest, theta[j] - gradient[j]);
      }
      EXPECT_LE(highest - lowest, 1e-9 * (1 + beta / (beta - 1))) << "beta " << beta << ", d " << d;
    }
  }
}

// Against 60 digits (mpmath): sup over t of the entropy ratio.
TEST(Renyi, MarginReference) {
  struct Case {
    double beta;
    std::size_t d;
    double margin;
  };
  for (const Case& one :
       {Case{10, 100, 4.65755358115749}, Case{20, 10, 2.56990035665521}, Case{17, 10, 2.57204561904339},
        Case{8, 1000, 6.91607838078144}, Case{5, 10000, 9.21166399771552}, Case{100, 10, 2.56063391153227},
        Case{100, 100000, 11.5130426372962}, Case{1.1, 10, 11.0}, Case{1.01, 1000, 101.0},
        Case{2, 3, 2.08617878995531}, Case{2, 2, 2.0}, Case{3, 50, 4.03442572331552},
        Case{50, 5, 2.01828025361233}, Case{1.5, 100000, 11.5140484519561}, Case{60, 3, 1.65500862500412},
        Case{1000, 10, 2.55864659060381}}) {
    EXPECT_NEAR(*Renyi{one.beta}.margin(one.d), one.margin, 1e-13 * one.margin) << one.beta << ", " << one.d;
  }
}

// With many classes the largest ratio is that of the uniform distribution, log d / (1 − 1/d), where the sum
// of p^β is far below the rounding of 1.
TEST(Renyi, MarginOfManyClasses) {
  for (const double beta : {1.5, 3.0, 50.0}) {
    for (const std::size_t d : {std::size_t{1000000}, std::size_t{1} << 40, ~std::size_t{0}}) {
      const auto margin = Renyi{.beta = beta}.margin(d);
      ASSERT_TRUE(margin.has_value());
      EXPECT_NEAR(*margin, std::log(static_cast<double>(d)), 1e-3) << "beta " << beta << ", d " << d;
    }
  }
}

}  // namespace
}  // namespace fenchel::test
