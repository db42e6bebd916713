// SPDX-License-Identifier: Apache-2.0
// Proposition 1 (properties of prediction functions) for every Ω: in the domain, optimal, order preserving,
// equivariant; temperature, constants and shifts; single precision; the link as inverse.
#include <numeric>

#include "fenchel/core/numeric.hpp"
#include "properties/property.hpp"

namespace fenchel::test {
namespace {

class PredictionProperty : public testing::TestWithParam<Named> {
 protected:
  const Named& named() const { return GetParam(); }
  const AnyRegularizer& omega() const { return GetParam().omega; }
  Traits traits() const { return GetParam().traits(); }
  bool on_simplex() const { return traits().domain == Domain::simplex; }
};

TEST_P(PredictionProperty, InTheDomain) {
  check_property(named(), {.log_spread_min = -6, .log_spread_max = 3}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread, draw.shift);
    const Vector mu = predict(omega(), theta);
    for (const double entry : mu) {
      require(std::isfinite(entry), "not finite");
      if (traits().domain != Domain::reals) require(entry >= 0, "negative");
      if (traits().domain == Domain::cube) require(entry <= 1, "above one");
    }
    if (on_simplex()) {
      require_at_most(std::abs(sum_of_entries(mu) - 1), 4e-16 * static_cast<double>(draw.d + 4),
                      "distance of the sum from 1");
    }
  });
}

TEST_P(PredictionProperty, MaximisesTheObjective) {
  if (!traits().attained) GTEST_SKIP() << "the supremum is not attained";
  check_property(named(), {.shifts = false}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread);
    const Vector mu = predict(omega(), theta);
    const double best = dot(theta, mu) - omega().value(mu);
    for (const double t : {1e-6, 1e-3, 0.1, 1.0}) {
      const Vector other = moved(scaled(mu, 1 - t), t, domain_point(random, draw.d, traits().domain));
      const double objective = dot(theta, other) - omega().value(other);
      require_at_most(objective,
                      best + 1e-13 * (1 + std::abs(best) + max_abs(theta)) * static_cast<double>(draw.d),
                      "objective elsewhere");
    }
  });
}

TEST_P(PredictionProperty, OrderPreservation) {
  if (!traits().symmetric) GTEST_SKIP() << "not symmetric";
  check_property(named(), {}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread, draw.shift);
    const Vector mu = predict(omega(), theta);
    for (std::size_t i = 0; i < draw.d; ++i) {
      for (std::size_t j = 0; j < draw.d; ++j) {
        if (theta[i] > theta[j]) require(mu[i] >= mu[j], "a higher score got a lower prediction");
        if (theta[i] == theta[j] && traits().strictly_convex) require(mu[i] == mu[j], "equal scores differ");
      }
    }
  });
}

TEST_P(PredictionProperty, TiesAreEqual) {
  if (!traits().symmetric || !traits().strictly_convex)
    GTEST_SKIP() << "not symmetric or not strictly convex";
  check_property(named(), {}, [&](const Draw& draw, Random& random) {
    Vector theta = normal_vector(random, draw.d, draw.spread, draw.shift);
    for (double& entry : theta) entry = random.uniform() < 0.5 ? theta[0] : entry;
    const Vector mu = predict(omega(), theta);
    for (std::size_t i = 0; i < draw.d; ++i) {
      for (std::size_t j = 0; j < draw.d; ++j) {
        if (theta[i] == theta[j])
          require_at_most(std::abs(mu[i] - mu[j]), 1e-15 * std::abs(mu[i]), "tied predictions");
      }
    }
    const Vector flat = predict(omega(), Vector(draw.d, draw.shift));
    if (on_simplex()) {
      require_at_most(max_abs(shifted(flat, -1 / static_cast<double>(draw.d))), 1e-15, "uniform prediction");
    }
  });
}

TEST_P(PredictionProperty, PermutationEquivariance) {
  if (!traits().symmetric) GTEST_SKIP() << "not symmetric";
  check_property(named(), {}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread, draw.shift);
    std::vector<std::size_t> order(draw.d);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t j = draw.d; j > 1; --j) std::swap(order[j - 1], order[random.below(j)]);
    Vector permuted(draw.d);
    for (std::size_t j = 0; j < draw.d; ++j) permuted[j] = theta[order[j]];
    const Vector mu = predict(omega(), theta);
    const Vector nu = predict(omega(), permuted);
    for (std::size_t j = 0; j < draw.d; ++j) {
      require_at_most(std::abs(nu[j] - mu[order[j]]), 1e-12 * (1 + std::abs(nu[j])), "permuted prediction");
    }
  });
}

TEST_P(PredictionProperty, TemperatureScaling) {
  check_property(named(), {.log_spread_max = 1, .shifts = false}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread);
    const Vector y = domain_point(random, draw.d, traits().domain);
    const double t = std::exp2(std::floor(6 * random.uniform()) - 3);  // a power of two: θ/t is exact
    const Temperature warm{omega(), t};
    require_at_most(max_difference(predict(warm, theta), predict(omega(), scaled(theta, 1 / t))),
                    1e-12 * (1 + max_abs(theta) / t), "prediction");
    const double expected = t * loss_value(omega(), scaled(theta, 1 / t), y);
    require_at_most(std::abs(loss_value(warm, theta, y) - expected), 1e-12 * (1 + expected + t), "loss");
  });
}

TEST_P(PredictionProperty, ConstantInvariance) {
  check_property(named(), {}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread, draw.shift);
    const Vector y = domain_point(random, draw.d, traits().domain);
    const Constant moved_up{omega(), 3.5};
    require(predict(moved_up, theta) == predict(omega(), theta), "prediction changed");
    const double plain = loss_value(omega(), theta, y);
    require_at_most(std::abs(loss_value(moved_up, theta, y) - plain), 1e-14 * (10 + plain), "loss");
    const double conjugate = Loss(omega()).conjugate(theta);
    require_at_most(std::abs(Loss(moved_up).conjugate(theta) - (conjugate - 3.5)),
                    1e-14 * (10 + std::abs(conjugate)), "conjugate");
  });
}

TEST_P(PredictionProperty, ConjugateMovesWithShifts) {
  if (!on_simplex()) GTEST_SKIP() << "not on the simplex";
  check_property(named(), {.shifts = false}, [&](const Draw& draw, Random& random) {
    Vector theta = normal_vector(random, draw.d, draw.spread);
    for (double& entry : theta) entry = std::round(entry * 0x1p30) * 0x1p-30;  // so that θ + c is exact
    for (const double c : {1.0, -1024.0, 0x1p20}) {
      const double plain = Loss(omega()).conjugate(theta);
      const double size = 1 + std::abs(plain) + std::abs(c) + max_abs(theta);
      require_at_most(std::abs(Loss(omega()).conjugate(shifted(theta, c)) - (plain + c)), 1e-14 * size,
                      "conjugate");
      require_at_most(max_difference(predict(omega(), shifted(theta, c)), predict(omega(), theta)), 1e-15,
                      "prediction");
    }
  });
}

TEST_P(PredictionProperty, FloatMatchesDouble) {
  check_property(named(), {.log_spread_max = 1, .shifts = false}, [&](const Draw& draw, Random& random) {
    Vector theta = normal_vector(random, draw.d, draw.spread);
    const std::vector<float> narrow(theta.begin(), theta.end());
    theta.assign(narrow.begin(), narrow.end());
    std::vector<float> out(draw.d);
    Loss(omega()).predict(narrow, out);
    const Vector wide = predict(omega(), theta);
    require_at_most(max_difference(Vector(out.begin(), out.end()), wide), 2e-6 * (1 + max_abs(wide)),
                    "prediction");
    const double conjugate = Loss(omega()).conjugate(theta);
    require_at_most(std::abs(Loss(omega()).conjugate(narrow) - conjugate), 2e-6 * (1 + std::abs(conjugate)),
                    "conjugate");
  });
}

TEST_P(PredictionProperty, LinkInvertsPredict) {
  if (!traits().legendre) GTEST_SKIP() << "not of Legendre type";
  check_property(named(), {.log_spread_max = 1, .shifts = false}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, std::min(draw.spread, 5.0));
    const Vector mu = predict(omega(), theta);
    Vector back = link(omega(), mu);
    if (on_simplex()) {
      const double offset = theta[0] - back[0];
      back = shifted(back, offset);
    }
    // A probability near 1 (cube) determines its score only up to ε/(1 − p).
    double slack = traits().gradient_by_differences ? 1e-6 : 1e-12;
    for (const double entry : mu) {
      if (traits().domain == Domain::cube) slack = std::max(slack, 8 * machine_epsilon / (1 - entry));
    }
    require_at_most(max_difference(back, theta), slack * (1 + max_abs(theta)), "link of the prediction");
  });
}

INSTANTIATE_TEST_SUITE_P(All, PredictionProperty, testing::ValuesIn(every_regularizer()), name_of);

}  // namespace
}  // namespace fenchel::test
