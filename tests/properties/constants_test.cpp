// SPDX-License-Identifier: Apache-2.0
// The strong-convexity and smoothness constants that regularizers state, checked on random pairs of points.
#include "properties/property.hpp"

namespace fenchel::test {
namespace {

class ConstantsProperty : public testing::TestWithParam<Named> {
 protected:
  const Named& named() const { return GetParam(); }
  const AnyRegularizer& omega() const { return GetParam().omega; }
};

// ⟨∇Ω(a) − ∇Ω(b), a − b⟩ lies between γ‖a − b‖² and L‖a − b‖².
TEST_P(ConstantsProperty, MonotonicityOfTheLink) {
  const auto gamma = omega().strong_convexity();
  const auto smoothness = omega().smoothness();
  if (!gamma && !smoothness) GTEST_SKIP() << "no constants";
  if (gamma && smoothness) {
    EXPECT_LE(*gamma, *smoothness * (1 + 1e-12));
  }
  const Domain domain = named().traits().domain;
  check_property(named(), {.shifts = false}, [&](const Draw& draw, Random& random) {
    const auto point = [&] {
      if (domain == Domain::simplex) return interior_point(random, draw.d);
      Vector mu = domain_point(random, draw.d, domain);
      for (double& entry : mu) {
        if (domain == Domain::cube) entry = 0.01 + 0.98 * entry;
        if (domain == Domain::cone) entry += 0.01;
      }
      return mu;
    };
    const Vector a = point();
    const Vector b = random.uniform() < 0.5 ? point() : moved(scaled(a, 0.99), 0.01, point());
    const Vector step = moved(a, -1, b);
    const double squared = dot(step, step);
    const double product = dot(moved(link(omega(), a), -1, link(omega(), b)), step);
    if (gamma) require_at_most(*gamma * squared, product * (1 + 1e-9) + 1e-14, "strong convexity");
    if (smoothness) require_at_most(product, *smoothness * squared * (1 + 1e-9) + 1e-14, "smoothness");
  });
}

// A γ-strongly convex Ω has a 1/γ-Lipschitz prediction.
TEST_P(ConstantsProperty, PredictionIsLipschitz) {
  const auto gamma = omega().strong_convexity();
  if (!gamma) GTEST_SKIP() << "no constant";
  check_property(named(), {.log_spread_max = 1, .shifts = false}, [&](const Draw& draw, Random& random) {
    const Vector a = normal_vector(random, draw.d, draw.spread);
    const Vector b = moved(a, 1, normal_vector(random, draw.d, draw.spread * random.uniform()));
    const Vector change = moved(predict(omega(), a), -1, predict(omega(), b));
    const Vector step = moved(a, -1, b);
    require_at_most(std::sqrt(dot(change, change)), std::sqrt(dot(step, step)) / *gamma * (1 + 1e-9) + 1e-13,
                    "change of the prediction");
  });
}

INSTANTIATE_TEST_SUITE_P(All, ConstantsProperty, testing::ValuesIn(every_regularizer()), name_of);

}  // namespace
}  // namespace fenchel::test
