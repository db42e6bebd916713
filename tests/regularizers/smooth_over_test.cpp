// SPDX-License-Identifier: Apache-2.0
// A smooth Ω over conv(Y) by conditional gradient agrees with the Ω that has an algorithm of its own; conic
// combinations agree with the non-negative orthant.
#include "fenchel/regularizers/smooth_over.hpp"

#include <gtest/gtest.h>

#include "fenchel/core/numeric.hpp"
#include "structures.hpp"

namespace fenchel::test {
namespace {

double half_squared_norm(std::span<const double> mu, std::span<double> gradient) {
  double total = 0;
  for (std::size_t j = 0; j < mu.size(); ++j) {
    gradient[j] = mu[j];
    total += 0.5 * mu[j] * mu[j];
  }
  return total;
}

double negative_entropy(std::span<const double> mu, std::span<double> gradient) {
  double total = 0;
  for (std::size_t j = 0; j < mu.size(); ++j) {
    gradient[j] = 1 + std::log(mu[j]);
    total += xlogx(mu[j]);
  }
  return total;
}

TEST(SmoothOver, AgreesWithSparseMap) {
  Random random(1);
  for (const AnyPolytope& set : std::vector<AnyPolytope>{Sequence{3, 3}, Arborescence{4}, Alignment{3, 4}}) {
    const Vector theta = normal_vector(random, set.dimension());
    const Vector expected = predict(SparseMap{set}, theta), y = random_vertex(set, random);
    for (const auto variant : {ConditionalGradient::Variant::away, ConditionalGradient::Variant::pairwise,
                               ConditionalGradient::Variant::fully_corrective}) {
      const AnyRegularizer omega = SmoothOver{half_squared_norm, set, {.variant = variant}};
      EXPECT_LE(max_difference(predict(omega, theta), expected), 2e-5) << set.traits().name;
      EXPECT_NEAR(loss_value(omega, theta, y), loss_value(SparseMap{set}, theta, y), 1e-8);
      EXPECT_LE(max_difference(prox(omega, theta, 0.5), prox(SparseMap{set}, theta, 0.5)), 2e-5);
    }
  }
}

TEST(SmoothOver, AgreesWithEntropic) {
  Random random(2);
  for (const AnyPolytope& set : std::vector<AnyPolytope>{Birkhoff{3}, KSubsets{5, 2}}) {
    const Vector theta = normal_vector(random, set.dimension());
    const AnyRegularizer omega = SmoothOver{negative_entropy, set};
    EXPECT_LE(max_difference(predict(omega, theta), predict(Entropic{set}, theta)), 2e-5)
        << set.traits().name;
  }
}

TEST(Conic, IsReluOverTheSimplex) {
  // cone{e_1, …, e_d} is the non-negative orthant.
  Random random(3);
  for (int i = 0; i < 10; ++i) {
    const Vector theta = normal_vector(random, 6), y{0.5, 0, 2, 0, 0, 1}, v = normal_vector(random, 6);
    const AnyRegularizer omega = Conic{Simplex{6}};
    EXPECT_LE(max_difference(predict(omega, theta), predict(Relu{}, theta)), 1e-9);
    EXPECT_NEAR(loss_value(omega, theta, y), loss_value(Relu{}, theta, y), 1e-9);
    EXPECT_LE(max_difference(jvp(omega, theta, v), jvp(Relu{}, theta, v)), 1e-9);
    EXPECT_LE(max_difference(prox(omega, theta, 0.5), prox(Relu{}, theta, 0.5)), 1e-9);
  }
}

// Moreau: θ splits into its projection on the cone and one on the polar cone.
TEST(Conic, ResidualIsInThePolarCone) {
  Random random(4);
  for (const AnyPolytope& set : std::vector<AnyPolytope>{Sequence{3, 2}, Arborescence{3}, Birkhoff{3}}) {
    for (const double scale : {0.1, 1.0, 8.0}) {
      const Vector theta = normal_vector(random, set.dimension(), scale);
      Mixture mixture;
      Vector mu(theta.size());
      const Report report = Conic{set}.mixture(theta, mixture, mu, thread_workspace());
      EXPECT_TRUE(report.converged());
      const Vector residual = moved(theta, -1, mu);
      EXPECT_NEAR(dot(residual, mu), 0, 1e-8 * (1 + scale * scale));
      Structure best;
      EXPECT_LE(set.map(residual, best, thread_workspace()), 1e-8 * (1 + scale)) << set.traits().name;
      for (const double weight : mixture.weights) EXPECT_GE(weight, 0);
    }
  }
}

// No false alarms at large scores, and sets of hundreds of structures.
TEST(Conic, LargeScoresAndSets) {
  Random random(5);
  for (const AnyPolytope& set :
       std::vector<AnyPolytope>{Sequence{3, 2}, Arborescence{4}, Birkhoff{4}, KSubsets{8, 3}, Birkhoff{20}}) {
    for (const double scale : {0.05, 8.0, 1e3, 1e6}) {
      SCOPED_TRACE(testing::Message() << set.traits().name << " " << scale);
      const Vector theta = normal_vector(random, set.dimension(), scale);
      Vector mu(theta.size());
      const Report report = Conic{set}.predict(theta, mu, thread_workspace());
      EXPECT_TRUE(report.converged()) << report.residual;
      const Vector residual = moved(theta, -1, mu);
      const double size = max_abs(theta) * static_cast<double>(theta.size());
      EXPECT_NEAR(dot(residual, mu), 0, 1e-12 * size * size);
      Structure best;
      EXPECT_LE(set.map(residual, best, thread_workspace()), 1e-11 * size);
    }
  }
}

// The same cone whatever the length of its structures, and warm starts from its own solution.
TEST(Conic, WarmStartsAndSmallStructures) {
  Random random(6);
  const AnyPolytope set = Permutahedron{{2e-3, 1e-3, 0}};
  const AnyPolytope large = Permutahedron{{2, 1, 0}};
  for (int i = 0; i < 10; ++i) {
    const Vector theta = normal_vector(random, 3, 4);
    Mixture mixture;
    Vector mu(3);
    EXPECT_TRUE(Conic{set}.mixture(theta, mixture, mu, thread_workspace()).converged());
    EXPECT_LE(max_difference(mu, predict(Conic{large}, theta)), 1e-9);
    Vector dense(3);
    write(mixture, dense);
    EXPECT_LE(max_difference(dense, mu), 1e-12);
    const Report again = Conic{set}.mixture(theta, mixture, mu, thread_workspace());
    EXPECT_LE(max_difference(mu, dense), 1e-9);
    EXPECT_LE(again.iterations, 4);
  }
}

}  // namespace
}  // namespace fenchel::test
