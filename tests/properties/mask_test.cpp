// SPDX-License-Identifier: Apache-2.0
// A score of −inf is a mask: its prediction is exactly 0, its gradient 0, and the other entries are the limit
// of very negative scores.
#include "fenchel/core/numeric.hpp"
#include "properties/property.hpp"

namespace fenchel::test {
namespace {

bool takes_masks(const Named& named) { return allows_masks(named.traits().domain); }

class MaskProperty : public testing::TestWithParam<Named> {
 protected:
  const Named& named() const { return GetParam(); }
  const AnyRegularizer& omega() const { return GetParam().omega; }
};

// Scores with about a third masked, never all of them.
Vector masked_scores(Random& random, const Draw& draw) {
  Vector theta = normal_vector(random, draw.d, draw.spread, draw.shift);
  for (std::size_t j = 1; j < draw.d; ++j) theta[j] = random.uniform() < 0.35 ? mask : theta[j];
  return theta;
}

TEST_P(MaskProperty, PredictionAndGradientAreExactlyZero) {
  check_property(named(), {}, [&](const Draw& draw, Random& random) {
    const Vector theta = masked_scores(random, draw);
    const Vector p = predict(omega(), theta);
    Vector y = domain_point(random, draw.d, named().traits().domain);
    for (std::size_t j = 1; j < draw.d; ++j) {
      if (theta[j] == mask) y[0] += named().traits().domain == Domain::simplex ? y[j] : 0, y[j] = 0;
    }
    Vector gradient(draw.d);
    const double value = Loss(omega()).value_and_gradient(theta, y, gradient);
    const double unclamped = unclamped_loss(omega(), theta, y);
    require(std::isfinite(value) && unclamped >= -1e-12 * (1 + std::abs(draw.spread)),
            "loss is " + std::to_string(unclamped));
    const Vector product = jvp(omega(), theta, normal_vector(random, draw.d));
    double sum = 0;
    for (std::size_t j = 0; j < draw.d; ++j) {
      require(std::isfinite(p[j]) && std::isfinite(product[j]), "not finite");
      if (theta[j] == mask)
        require(p[j] == 0 && gradient[j] == 0 && product[j] == 0, "a masked entry is not 0");
      sum += p[j];
    }
    if (named().traits().domain == Domain::simplex) require_at_most(std::abs(sum - 1), 1e-14, "sum");
    require(std::isfinite(Loss(omega()).conjugate(theta)), "conjugate");
  });
}

// Predictions that fall like a power of the score approach the limit slowly, but visibly.
TEST_P(MaskProperty, IsTheLimitOfVeryNegativeScores) {
  if (!named().traits().attained) GTEST_SKIP() << "the supremum is not attained";
  check_property(named(), {.log_spread_max = 1, .shifts = false}, [&](const Draw& draw, Random& random) {
    const Vector theta = masked_scores(random, draw);
    const Vector limit = predict(omega(), theta);
    double before = infinity;
    for (const double very_low : {-1e4, -1e8, -1e12}) {
      Vector low = theta;
      for (double& entry : low) entry = entry == mask ? very_low : entry;
      const double distance = max_difference(limit, predict(omega(), low));
      require_at_most(distance, std::max(1e-10, 0.5 * before), "distance from the limit");
      before = distance;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, MaskProperty, testing::ValuesIn(regularizers_where(takes_masks)), name_of);

}  // namespace
}  // namespace fenchel::test
