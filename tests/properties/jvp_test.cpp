// SPDX-License-Identifier: Apache-2.0
// Jacobian products of every prediction: symmetric, equal to finite differences where ŷ is differentiable,
// zero on constants over the simplex, positive semi-definite.
#include "properties/property.hpp"

namespace fenchel::test {
namespace {

class JvpProperty : public testing::TestWithParam<Named> {
 protected:
  const Named& named() const { return GetParam(); }
  const AnyRegularizer& omega() const { return GetParam().omega; }
};

// The classes with mass, and those on the upper bound of the cube: ŷ is smooth where they do not change.
std::vector<int> faces(const Vector& mu, Domain domain) {
  std::vector<int> face(mu.size());
  for (std::size_t j = 0; j < mu.size(); ++j) {
    face[j] = (mu[j] == 0 ? 1 : 0) + (domain == Domain::cube && mu[j] == 1 ? 2 : 0);
  }
  return face;
}

TEST_P(JvpProperty, SymmetricAndPositive) {
  check_property(named(), {.log_spread_max = 1, .shifts = false}, [&](const Draw& draw, Random& random) {
    const Vector theta = normal_vector(random, draw.d, draw.spread);
    const Vector u = normal_vector(random, draw.d);
    const Vector v = normal_vector(random, draw.d);
    const Vector product = jvp(omega(), theta, v);
    const Vector other = jvp(omega(), theta, u);
    const double size = 1 + max_abs(product) + max_abs(other);
    // Jacobians by finite differences (general costs, a user's g without g'') are only that accurate.
    const double tolerance = named().traits().jvp_by_differences ? 1e-4 : 1e-10;
    require_at_most(std::abs(dot(u, product) - dot(v, other)), tolerance * size * static_cast<double>(draw.d),
                    "asymmetry");
    const bool concave = named().traits().convex;
    if (concave) require_at_most(-dot(v, product), tolerance * size, "negative curvature");
    if (named().traits().domain == Domain::simplex) {
      require_at_most(std::abs(sum_of_entries(product)), tolerance * size, "sum of the product");
      const Vector flat = jvp(omega(), theta, Vector(draw.d, 1.0));
      require_at_most(max_abs(flat), tolerance * size, "product with the ones");
    }
  });
}

TEST_P(JvpProperty, MatchesFiniteDifferences) {
  check_property(
      named(), {.log_spread_min = -1, .log_spread_max = 1, .shifts = false},
      [&](const Draw& draw, Random& random) {
        const Vector theta = normal_vector(random, draw.d, std::min(draw.spread, 3.0));
        const Vector v = normal_vector(random, draw.d);
        const double h = 1e-5;
        const Domain domain = named().traits().domain;
        // Twice the step on each side must stay on the same face, so that no kink is near.
        const auto face = faces(predict(omega(), theta), domain);
        for (const double t : {-2 * h, 2 * h}) {
          if (faces(predict(omega(), moved(theta, t, v)), domain) != face) return;
        }
        const Vector above = predict(omega(), moved(theta, h, v));
        const Vector below = predict(omega(), moved(theta, -h, v));
        const Vector coarse = scaled(
            moved(predict(omega(), moved(theta, 2 * h, v)), -1, predict(omega(), moved(theta, -2 * h, v))),
            1 / (4 * h));
        const Vector quotient = scaled(moved(above, -1, below), 1 / (2 * h));
        // Two steps estimate the truncation error (a jump of ŷ for β > 1 shows up here too).
        const double truncation = max_difference(coarse, quotient);
        if (truncation > 1e-3 * (1 + max_abs(quotient))) return;
        require_at_most(max_difference(jvp(omega(), theta, v), quotient),
                        1e-6 * (1 + max_abs(quotient)) + 2 * truncation, "difference from quotient");
      });
}

INSTANTIATE_TEST_SUITE_P(All, JvpProperty, testing::ValuesIn(every_regularizer()), name_of);

}  // namespace
}  // namespace fenchel::test
