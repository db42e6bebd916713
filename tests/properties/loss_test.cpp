// SPDX-License-Identifier: Apache-2.0
// Proposition 2 (properties of Fenchel-Young losses) for every Ω: non-negative, zero where y = ŷ, convex,
// with gradient ŷ − y.
#include "properties/property.hpp"

namespace fenchel::test {
namespace {

// Rounding of a handful of operations on numbers of the size of the scores and of Ω.
constexpr double rounding = 1e-13;

class LossProperty : public testing::TestWithParam<Named> {
 protected:
  const Named& named() const { return GetParam(); }
  const AnyRegularizer& omega() const { return GetParam().omega; }
  Domain domain() const { return GetParam().traits().domain; }

  // The size of the terms of a loss.
  double scale(const Vector& theta, const Vector& y) const {
    const Vector p = predict(omega(), theta);
    double bound = 1 + std::abs(omega().value(y)) + std::abs(omega().value(p));
    const double top = domain() == Domain::simplex ? *std::ranges::max_element(theta) : 0;
    for (std::size_t j = 0; j < y.size(); ++j)
      bound += std::abs(theta[j] - top) * (std::abs(y[j]) + std::abs(p[j]));
    return bound;
  }
};

TEST_P(LossProperty, FenchelYoungInequality) {
  check_property(named(), {}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread, draw.shift);
    const Vector y = domain_point(random, draw.d, domain());
    const double value = loss_value(omega(), theta, y);
    const double size_of_terms = scale(theta, y) * static_cast<double>(draw.d);
    const double unclamped = unclamped_loss(omega(), theta, y);
    require(std::isfinite(value) && unclamped >= -rounding * size_of_terms,
            "loss is " + std::to_string(unclamped));
    const double gap = Loss(omega()).conjugate(theta) + omega().value(y) - dot(theta, y);
    const double size = scale(theta, y) + std::abs(draw.shift);
    require_at_most(std::abs(gap - value), rounding * size * static_cast<double>(draw.d),
                    "conjugate + value - dot");
  });
}

TEST_P(LossProperty, ZeroAtThePrediction) {
  if (!named().traits().attained) GTEST_SKIP() << "the supremum is not attained";
  check_property(named(), {}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread, draw.shift);
    const Vector p = predict(omega(), theta);
    const double value = loss_value(omega(), theta, p);
    require_at_most(value, 10 * rounding * scale(theta, p) * static_cast<double>(draw.d),
                    "loss at the prediction");
  });
}

TEST_P(LossProperty, PositiveElsewhere) {
  if (!named().traits().strictly_convex) GTEST_SKIP() << "not strictly convex";
  check_property(named(), {}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread, draw.shift);
    const Vector y = domain_point(random, draw.d, domain());
    const Vector p = predict(omega(), theta);
    const double distance = std::sqrt(dot(moved(y, -1, p), moved(y, -1, p)));
    const double value = loss_value(omega(), theta, y);
    if (distance > 1e-2) require(value > 0, "loss is zero away from the prediction");
    if (const auto gamma = omega().strong_convexity()) {
      const double quadratic = 0.5 * *gamma * distance * distance;
      require_at_most(quadratic * (1 - 1e-9) - rounding * scale(theta, y), value, "strong convexity");
    }
  });
}

TEST_P(LossProperty, GradientIsPredictionMinusTarget) {
  check_property(named(), {}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread, draw.shift);
    const Vector y = domain_point(random, draw.d, domain());
    Vector gradient(draw.d);
    const double value = Loss(omega()).value_and_gradient(theta, y, gradient);
    require(value == loss_value(omega(), theta, y), "fused value differs");
    require_at_most(max_difference(gradient, moved(predict(omega(), theta), -1, y)),
                    1e-15 * (1 + max_abs(theta)), "gradient");
  });
}

// For a convex L the difference quotient lies between the slopes at its ends, kinks or not.
TEST_P(LossProperty, GradientMatchesFiniteDifferences) {
  check_property(named(), {.log_spread_max = 1, .shifts = false}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread);
    const Vector y = domain_point(random, draw.d, domain());
    const Vector v = normal_vector(random, draw.d);
    const double h = 1e-4;
    Vector below(draw.d), above(draw.d);
    const double low = Loss(omega()).value_and_gradient(moved(theta, -h, v), y, below);
    const double high = Loss(omega()).value_and_gradient(moved(theta, h, v), y, above);
    const double quotient = (high - low) / (2 * h);
    const double noise = 10 * rounding * scale(theta, y) / h * static_cast<double>(draw.d);
    require_at_most(dot(below, v) - noise, quotient, "slope on the left");
    require_at_most(quotient, dot(above, v) + noise, "slope on the right");
  });
}

TEST_P(LossProperty, ConvexOnSegments) {
  check_property(named(), {.shifts = false}, [&](const Draw& draw, Random& random) {
    const Vector a = normal_vector(random, draw.d, draw.spread);
    const Vector b = normal_vector(random, draw.d, draw.spread);
    const Vector y = domain_point(random, draw.d, domain());
    const double t = random.uniform();
    const double chord = (1 - t) * loss_value(omega(), a, y) + t * loss_value(omega(), b, y);
    const double inside = loss_value(omega(), moved(scaled(a, 1 - t), t, b), y);
    require_at_most(inside, chord + rounding * static_cast<double>(draw.d) * (scale(a, y) + scale(b, y)),
                    "value inside a segment");
  });
}

INSTANTIATE_TEST_SUITE_P(All, LossProperty, testing::ValuesIn(every_regularizer()), name_of);

}  // namespace
}  // namespace fenchel::test
