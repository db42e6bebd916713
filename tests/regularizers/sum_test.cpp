// SPDX-License-Identifier: Apache-2.0
// Ψ + Φ by infimal convolution (paper §2.3): prox_Φ when Ψ = ½‖·‖², and in general the direct solution.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fenchel/polytopes/birkhoff.hpp"
#include "fenchel/regularizers/restriction.hpp"
#include "fenchel/regularizers/smooth.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

TEST(Sum, IsTheProxWhenPsiIsSquared) {
  Random random(1);
  for (const AnyRegularizer& phi :
       std::vector<AnyRegularizer>{Shannon{}, Tsallis{1.5}, Norm{2}, Argmax{}, Relu{}, Sigmoid{}}) {
    const Vector theta = normal_vector(random, 5, 2);
    const Vector expected = prox(phi, theta, 1);
    EXPECT_LE(max_difference(predict(Sum{Squared{}, phi}, theta), expected), 1e-12) << test_name(phi);
    if (phi.refined_traits().strictly_convex) {
      EXPECT_LE(max_difference(predict(Sum{phi, Squared{}}, theta), expected), 1e-12) << test_name(phi);
    }
  }
}

TEST(Sum, GeneralPairMatchesFista) {
  Random random(2);
  const std::vector<std::pair<AnyRegularizer, AnyRegularizer>> pairs{
      {Tsallis{2}, SquaredNorm{1.5}}, {Tsallis{1.5}, Tsallis{2}}, {Tsallis{1.7}, PairwiseSquaredHinge{}}};
  for (const auto& pair : pairs) {
    const AnyRegularizer psi = pair.first;
    const AnyRegularizer phi = pair.second;
    const Smooth direct{[&](std::span<const double> mu, std::span<double> gradient) {
                          const Vector at(mu.begin(), mu.end());
                          std::ranges::copy(moved(link(psi, at), 1, link(phi, at)), gradient.begin());
                          return psi.value(mu) + phi.value(mu);
                        },
                        Domain::simplex,
                        {.tolerance = 1e-11, .max_iterations = 20000}};
    for (int run = 0; run < 5; ++run) {
      const Vector theta = normal_vector(random, 4);
      EXPECT_LE(max_difference(predict(Sum{psi, phi}, theta), predict(direct, theta)), 1e-6)
          << test_name(phi);
    }
  }
}

TEST(Sum, WrongParts) {
  EXPECT_THROW(AnyRegularizer(Sum{Argmax{}, Shannon{}}), std::invalid_argument);
  EXPECT_THROW(AnyRegularizer(Sum{Shannon{}, Renyi{2}}), std::invalid_argument);
  EXPECT_THROW(AnyRegularizer(Sum{SparseMap{Birkhoff{2}}, SparseMap{Birkhoff{3}}}), std::invalid_argument);
}

// Scores of another size than the structures have would be read and written out of bounds.
TEST(Sum, SizesAreThoseOfTheStructures) {
  const AnyRegularizer omega = Sum{Squared{}, SparseMap{Birkhoff{10}}};
  EXPECT_EQ(omega.dimension(), 100u);
  EXPECT_EQ(AnyRegularizer(Sum{Squared{}, Shannon{}}).dimension(), std::nullopt);
  const FenchelYoungLoss loss(omega);
  for (const std::size_t size : {2u, 99u, 101u}) {
    const Vector theta(size, 1.0);
    EXPECT_THROW(loss.predict(theta), std::invalid_argument);
    EXPECT_THROW(loss.value(theta, theta), std::invalid_argument);
    EXPECT_THROW(loss.conjugate(theta), std::invalid_argument);
  }
  EXPECT_EQ(loss.predict(Vector(100, 1.0)).size(), 100u);
}

}  // namespace
}  // namespace fenchel::test
