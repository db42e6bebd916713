// SPDX-License-Identifier: Apache-2.0
// Proximity operators of every convex Ω (paper §8.4): they minimise ½‖μ − η‖² + τΩ(μ), and (η − μ)/τ is a
// subgradient of Ω at μ, so that ŷ_Ω((η − μ)/τ) = μ.
#include "fenchel/regularizers/smooth.hpp"
#include "properties/property.hpp"

namespace fenchel::test {
namespace {

// A minimum that is not attained has no prox.
bool has_prox(const Named& named) { return named.traits().convex && named.traits().attained; }

class ProxProperty : public testing::TestWithParam<Named> {
 protected:
  const Named& named() const { return GetParam(); }
  const AnyRegularizer& omega() const { return GetParam().omega; }
  Domain domain() const { return GetParam().traits().domain; }

  double objective(const Vector& mu, const Vector& eta, double tau) const {
    const Vector difference = moved(mu, -1, eta);
    return 0.5 * dot(difference, difference) + tau * omega().value(mu);
  }
};

const Trials few{
    .runs = 40, .log_spread_min = -2, .log_spread_max = 1, .classes = {1, 2, 3, 5, 12}, .shifts = false};

double random_tau(Random& random) { return std::pow(10.0, 3 * random.uniform() - 2); }

TEST_P(ProxProperty, MinimisesTheObjective) {
  check_property(named(), few, [&](const Draw& draw, Random& random) {
    const Vector eta = normal_vector(random, draw.d, draw.spread);
    const double tau = random_tau(random);
    const Vector mu = prox(omega(), eta, tau);
    const double best = objective(mu, eta, tau);
    for (const double t : {1e-4, 1e-2, 0.3, 1.0}) {
      const Vector other = moved(scaled(mu, 1 - t), t, domain_point(random, draw.d, domain()));
      require_at_most(best, objective(other, eta, tau) + 1e-10 * (1 + std::abs(best)),
                      "objective at the prox");
    }
  });
}

TEST_P(ProxProperty, PredictionAtTheResidualIsTheProx) {
  if (!named().traits().strictly_convex) GTEST_SKIP() << "not strictly convex";
  check_property(named(), few, [&](const Draw& draw, Random& random) {
    const Vector eta = normal_vector(random, draw.d, draw.spread);
    const double tau = random_tau(random);
    const Vector mu = prox(omega(), eta, tau);
    const Vector scores = scaled(moved(eta, -1, mu), 1 / tau);
    // ŷ is 1/γ-Lipschitz: an error in μ returns multiplied by 1/(γτ). Elsewhere steep: only the loss is
    // small.
    const double gap = loss_value(omega(), scores, mu);
    require_at_most(tau * gap, 1e-12 * (1 + max_abs(eta) + tau) * static_cast<double>(draw.d),
                    "loss at the residual");
    if (const auto gamma = omega().strong_convexity()) {
      const double slack = 1e-10 * (1 + 1 / (*gamma * tau)) * (1 + max_abs(eta));
      require_at_most(max_difference(predict(omega(), scores), mu), slack, "prediction at the residual");
    }
  });
}

// So does a τ by which η cannot be divided.
TEST_P(ProxProperty, ZeroTauProjects) {
  check_property(named(), few, [&](const Draw& draw, Random& random) {
    const Vector eta = normal_vector(random, draw.d, draw.spread);
    Vector expected = eta;
    if (domain() == Domain::simplex) expected = prox(Argmax{}, eta, 1);
    for (double& entry : expected) {
      if (domain() == Domain::cone || domain() == Domain::cube) entry = std::max(entry, 0.0);
      if (domain() == Domain::cube) entry = std::min(entry, 1.0);
    }
    for (const double tau : {0.0, 5e-324, 1e-320, 1e-309, 1e-300, 1e-200, 1e-100, 1e-50, 1e-30, 1e-18}) {
      require_at_most(max_difference(prox(omega(), eta, tau), expected), 1e-9 * (1 + max_abs(eta)),
                      "projection");
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, ProxProperty, testing::ValuesIn(regularizers_where(has_prox)), name_of);

// Moreau's decomposition with L-BFGS against an independent projected-gradient solution.
TEST(ProxByMoreau, MatchesFista) {
  Random random(5);
  for (const AnyRegularizer& omega : std::vector<AnyRegularizer>{SquaredNorm{1.5}, SquaredNorm{1.8}, Norm{3},
                                                                 Norm{2}, PairwiseSquaredHinge{}}) {
    for (int run = 0; run < 6; ++run) {
      const std::size_t d = 4;
      const Vector eta = normal_vector(random, d);
      const double tau = random_tau(random);
      Smooth smooth{[&](std::span<const double> mu, std::span<double> gradient) {
                      const Vector at(mu.begin(), mu.end());
                      std::ranges::copy(link(omega, at), gradient.begin());
                      return omega.value(mu);
                    },
                    Domain::simplex,
                    {.tolerance = 1e-11, .max_iterations = 20000}};
      EXPECT_LE(max_difference(prox(omega, eta, tau), prox(smooth, eta, tau)), 1e-6)
          << test_name(omega) << " tau=" << tau;
    }
  }
}

}  // namespace
}  // namespace fenchel::test
