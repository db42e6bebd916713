// SPDX-License-Identifier: Apache-2.0
// A score of −inf is a mask: its prediction is exactly 0, its gradient 0, and the other entries are the limit
// of very negative scores.
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
    require(std::isfinite(value) && value >= 0, "loss is " + std::to_string(value));
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

TEST_P(MaskProperty, IsTheLimitOfVeryNegativeScores) {
  if (!named().traits().sparse && named().traits().name != "shannon" && named().traits().name != "sigmoid") {
    GTEST_SKIP() << "the limit is reached too slowly to see";
  }
  const Renyi* renyi = omega().get_if<Renyi>();
  if (renyi && renyi->beta == 0) GTEST_SKIP() << "its entropy counts classes";
  check_property(named(), {.log_spread_max = 1, .shifts = false}, [&](const Draw& draw, Random& random) {
    const Vector theta = masked_scores(random, draw);
    Vector low = theta;
    for (double& entry : low) entry = entry == mask ? -1e9 : entry;
    require_at_most(max_difference(predict(omega(), theta), predict(omega(), low)), 1e-10, "prediction");
  });
}

INSTANTIATE_TEST_SUITE_P(All, MaskProperty, testing::ValuesIn(regularizers_where(takes_masks)), name_of);

}  // namespace
}  // namespace fenchel::test
