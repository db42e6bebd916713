// SPDX-License-Identifier: Apache-2.0
// Proposition 3 (relation with Bregman divergences), expected losses, risks and proper losses (paper §3.2,
// §3.3, §4.2, §10.1).
#include "fenchel/losses/divergences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fenchel/polytopes/projections.hpp"
#include "fenchel/regularizers/restriction.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

// Ψ restricted to a set C, with a way to draw points of C.
struct Case {
  std::string name;
  AnyRegularizer psi;
  Restriction omega;
  std::function<Vector(Random&)> draw;
};

std::vector<Case> restrictions() {
  const auto box = [](double lower, double upper) {
    return [=](Random& random) {
      Vector point(4);
      for (double& entry : point) entry = lower + (upper - lower) * random.uniform();
      return point;
    };
  };
  const auto simplex = [](Random& random) { return simplex_point(random, 4); };
  return {{"squared on the simplex", Squared{}, {Squared{}, project_simplex, Domain::simplex}, simplex},
          {"poisson on the simplex", Poisson{}, {Poisson{}, project_simplex_kl, Domain::simplex}, simplex},
          {"squared on a box",
           Squared{},
           {Squared{}, [](std::span<double> point) { project_box(point, -0.5, 0.8); }, Domain::reals},
           box(-0.5, 0.8)},
          {"poisson on a box",
           Poisson{},
           {Poisson{}, [](std::span<double> point) { project_box(point, 0.2, 1.5); }, Domain::cone},
           box(0.2, 1.5)}};
}

TEST(Proposition3, BregmanProjection) {
  Random random(1);
  for (const Case& restricted : restrictions()) {
    for (int run = 0; run < 20; ++run) {
      const Vector theta = normal_vector(random, 4);
      const Vector free = predict(restricted.psi, theta);
      const Vector projected = predict(restricted.omega, theta);
      const double least = bregman_divergence(restricted.psi, projected, free);
      const double best = dot(theta, projected) - restricted.psi.value(projected);
      for (int other = 0; other < 10; ++other) {
        const Vector point = restricted.draw(random);
        EXPECT_GE(bregman_divergence(restricted.psi, point, free), least - 1e-12) << restricted.name;
        EXPECT_LE(dot(theta, point) - restricted.psi.value(point), best + 1e-12) << restricted.name;
      }
    }
  }
}

TEST(Proposition3, DifferenceOfDivergencesAndBound) {
  Random random(2);
  for (const Case& restricted : restrictions()) {
    for (int run = 0; run < 20; ++run) {
      const Vector theta = normal_vector(random, 4);
      const Vector y = restricted.draw(random);
      const Vector free = predict(restricted.psi, theta);
      const Vector projected = predict(restricted.omega, theta);
      const double loss = loss_value(restricted.omega, theta, y);
      EXPECT_NEAR(
          loss,
          bregman_divergence(restricted.psi, y, free) - bregman_divergence(restricted.psi, projected, free),
          1e-12 * (1 + loss))
          << restricted.name;
      const Traits psi = restricted.psi.refined_traits();
      const bool explodes = psi.legendre && psi.domain != Domain::reals;  // ∇ψ, at the boundary
      if (explodes && *std::ranges::min_element(projected) <= 0) continue;
      EXPECT_LE(bregman_divergence(restricted.psi, y, projected), loss + 1e-12) << restricted.name;
      EXPECT_NEAR(loss_value(restricted.omega, theta, projected), 0, 1e-12) << restricted.name;
    }
  }
}

TEST(Proposition3, CompositeForm) {
  Random random(3);
  for (const AnyRegularizer& omega :
       std::vector<AnyRegularizer>{Squared{}, Poisson{}, Sigmoid{}, Shannon{}, Tsallis{0.5}}) {
    const Domain domain = omega.refined_traits().domain;
    for (int run = 0; run < 20; ++run) {
      const Vector theta = normal_vector(random, 4);
      const Vector y = domain_point(random, 4, domain);
      const double loss = loss_value(omega, theta, y);
      EXPECT_NEAR(loss, bregman_divergence(omega, y, predict(omega, theta)), 1e-11 * (1 + loss))
          << test_name(omega);
    }
  }
}

TEST(Restriction, KnownPredictions) {
  const std::vector<Case> cases = restrictions();
  Random random(4);
  const Vector theta = normal_vector(random, 4);
  EXPECT_LE(max_difference(predict(cases[0].omega, theta), predict(Tsallis{2}, theta)), 1e-15);
  EXPECT_LE(max_difference(predict(cases[1].omega, theta), predict(Shannon{}, theta)), 1e-15);
  EXPECT_NEAR(loss_value(cases[1].omega, theta, vertex(4, 2)), loss_value(Shannon{}, theta, vertex(4, 2)),
              1e-13);
  EXPECT_THROW(AnyRegularizer(Restriction{Relu{}, project_simplex}), std::invalid_argument);
  EXPECT_THROW(AnyRegularizer(Restriction{Squared{}, nullptr}), std::invalid_argument);
}

TEST(Divergences, KullbackLeiblerIsThePoissonLoss) {
  const Vector y{0, 2, 0.5}, theta{0.1, -1, 2};
  EXPECT_NEAR(kullback_leibler(y, predict(Poisson{}, theta)), loss_value(Poisson{}, theta, y), 1e-13);
  EXPECT_EQ(kullback_leibler(Vector{1, 0}, Vector{0, 1}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(bregman_divergence(Squared{}, Vector{1, 2}, Vector{1, 2}), 0);
}

TEST(Risks, ExpectedLossSplitsIntoRegretAndInformation) {
  Random random(5);
  for (const AnyRegularizer& omega :
       std::vector<AnyRegularizer>{Squared{}, Shannon{}, Tsallis{1.5}, SparseSigmoid{}, Poisson{}, Norm{2}}) {
    const std::size_t outcomes = 6, d = 3;
    Vector rows;
    for (std::size_t i = 0; i < outcomes; ++i) {
      const Vector y = domain_point(random, d, omega.refined_traits().domain);
      rows.insert(rows.end(), y.begin(), y.end());
    }
    const MatrixView<const double> view(rows.data(), outcomes, d);
    const Vector p = interior_point(random, outcomes);
    const Vector theta = normal_vector(random, d);
    const double information = bregman_information(omega, view, p);
    EXPECT_GE(information, 0);
    EXPECT_EQ(bayes_risk(omega, view, p), information);
    EXPECT_NEAR(expected_loss(omega, theta, view, p), regret(omega, theta, view, p) + information, 1e-12);
  }
}

TEST(ProperLoss, KnownCasesAndPropriety) {
  Random random(6);
  const Temperature gini{Tsallis{2}, 2};  // Ω = ‖p‖² − 1
  for (int run = 0; run < 20; ++run) {
    const Vector p = interior_point(random, 4);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(proper_loss(gini, p, vertex(4, k)), brier_score(p, k), 1e-14);
      EXPECT_NEAR(proper_loss(Shannon{}, p, vertex(4, k)), -std::log(p[k]), 1e-14);
    }
    const Vector truth = interior_point(random, 4);
    for (const AnyRegularizer& omega :
         std::vector<AnyRegularizer>{gini, Shannon{}, Tsallis{1.5}, Norm{2}, Renyi{0.5}}) {
      EXPECT_GE(proper_loss(omega, p, truth), proper_loss(omega, truth, truth) - 1e-13) << test_name(omega);
    }
  }
}

TEST(Divergences, WrongInput) {
  EXPECT_THROW(bregman_divergence(Shannon{}, Vector{0.5, 0.5}, Vector{1}), std::invalid_argument);
  EXPECT_THROW(bregman_divergence(Shannon{}, Vector{0.7, 0.5}, Vector{0.5, 0.5}), std::invalid_argument);
  EXPECT_THROW(kullback_leibler(Vector{-1}, Vector{1}), std::invalid_argument);
  EXPECT_THROW(brier_score(Vector{0.5, 0.5}, 2), std::invalid_argument);
  EXPECT_THROW(expected_loss(Shannon{}, Vector{0, 0}, MatrixView<const double>(), Vector{0.5}),
               std::invalid_argument);
}

}  // namespace
}  // namespace fenchel::test
