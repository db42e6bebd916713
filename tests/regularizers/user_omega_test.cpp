// SPDX-License-Identifier: Apache-2.0
// A user's own Ω: separable from g' (paper §8.3), smooth from value and gradient, and a struct with nothing
// but value and predict, for which every other operation falls back on a generic one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fenchel/regularizers/smooth.hpp"
#include "messages.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

// Sparsemax, written with the bare minimum.
struct Minimal {
  static constexpr Traits traits{.name = "minimal"};
  double value(std::span<const double> p) const {
    double sum = 0;
    for (const double entry : p) sum += entry * entry;
    return 0.5 * sum - 0.5;
  }
  void predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
    Tsallis{2}.predict(theta, out, scratch);
  }
};
static_assert(Regularizer<Minimal>);

// The softplus link by coordinates: φ(m) = m²/2 on the orthant.
struct Coordinates {
  static constexpr Traits traits{.name = "coordinates", .domain = Domain::cone};
  double phi(double m) const { return 0.5 * m * m; }
  double predict_one(double s) const { return std::max(s, 0.0); }
};
static_assert(Regularizer<Coordinates>);

TEST(UserOmega, FallbacksOfAMinimalStruct) {
  Random random(1);
  const FenchelYoungLoss loss{Minimal{}};
  for (int run = 0; run < 10; ++run) {
    const Vector theta = normal_vector(random, 5);
    const Vector y = simplex_point(random, 5);
    const Vector v = normal_vector(random, 5);
    EXPECT_NEAR(loss.value(theta, y), loss_value(Tsallis{2}, theta, y), 1e-14);
    EXPECT_NEAR(loss.conjugate(theta), Loss(Tsallis{2}).conjugate(theta), 1e-14);
    EXPECT_LE(max_difference(prox(Minimal{}, theta, 0.7), prox(Tsallis{2}, theta, 0.7)), 1e-8);
    EXPECT_LE(max_difference(jvp(Minimal{}, theta, v), jvp(Tsallis{2}, theta, v)), 1e-5);
    const Vector p = interior_point(random, 5);
    EXPECT_LE(max_difference(shifted(link(Minimal{}, p), 0), p), 1e-8);
    const std::vector<float> narrow(theta.begin(), theta.end());
    std::vector<float> out(5);
    loss.predict(narrow, out);
    EXPECT_LE(max_difference(Vector(out.begin(), out.end()), loss.predict(theta)), 1e-6);
  }
  EXPECT_NEAR(*loss.margin(4), 1, 1e-5);
  EXPECT_EQ(loss.strong_convexity(), std::nullopt);
  EXPECT_NEAR(loss.value(Vector{0, mask}, 0), 0, 1e-15);
}

TEST(UserOmega, FallbacksByCoordinates) {
  Random random(2);
  const Vector theta = normal_vector(random, 5);
  const Vector y = domain_point(random, 5, Domain::cone);
  EXPECT_NEAR(loss_value(Coordinates{}, theta, y), loss_value(Relu{}, theta, y), 1e-14);
  EXPECT_LE(max_difference(prox(Coordinates{}, theta, 2), prox(Relu{}, theta, 2)), 1e-8);
  EXPECT_LE(max_difference(jvp(Coordinates{}, theta, y), jvp(Relu{}, theta, y)), 1e-8);
}

TEST(UserOmega, SeparableWithAndWithoutInverse) {
  // 1.5-Tsallis: g' = 2(√t − 1)… up to a constant, with inverse (1 + x/2)².
  const auto g = [](double t) { return 4.0 / 3 * (t * std::sqrt(t) - t); };
  const auto g_prime = [](double t) { return 2 * std::sqrt(t) - 4.0 / 3; };
  const auto inverse = [](double x) { return 0.25 * (x + 4.0 / 3) * (x + 4.0 / 3); };
  Random random(3);
  for (const RootMethod method : {RootMethod::bisection, RootMethod::toms748}) {
    const Separable with{g, g_prime, inverse, method};
    const Separable without{g, g_prime, {}, method};
    for (const double spread : {1e-6, 1.0, 100.0}) {
      const Vector theta = normal_vector(random, 7, spread, 10);
      const Vector expected = predict(Tsallis{1.5}, theta);
      EXPECT_LE(max_difference(predict(with, theta), expected), 1e-13) << spread;
      EXPECT_LE(max_difference(predict(without, theta), expected), 1e-13) << spread;
      EXPECT_LE(max_difference(prox(without, theta, 0.4), prox(Tsallis{1.5}, theta, 0.4)), 1e-10) << spread;
    }
    EXPECT_NEAR(*AnyRegularizer(with).margin(5), 2, 1e-14);
  }
  EXPECT_TRUE(traits_of(Separable{g, g_prime}).sparse);
  const Separable shannon{[](double t) { return t > 0 ? t * std::log(t) : 0; },
                          [](double t) { return std::log(t) + 1; }};
  EXPECT_FALSE(traits_of(shannon).sparse);
  EXPECT_EQ(AnyRegularizer(shannon).margin(3), std::nullopt);
  const Vector theta = normal_vector(random, 7);
  EXPECT_LE(max_difference(predict(shannon, theta), predict(Shannon{}, theta)), 1e-13);
}

TEST(UserOmega, SmoothOverEveryDomain) {
  const auto quadratic = [](std::span<const double> mu, std::span<double> gradient) {
    double total = 0;
    for (std::size_t j = 0; j < mu.size(); ++j) {
      total += 0.5 * mu[j] * mu[j];
      gradient[j] = mu[j];
    }
    return total;
  };
  Random random(4);
  Vector theta = normal_vector(random, 6, 2);
  EXPECT_LE(max_difference(predict(Smooth{quadratic}, theta), predict(Tsallis{2}, theta)), 1e-9);
  EXPECT_LE(max_difference(predict(Smooth{quadratic, Domain::cone}, theta), predict(Relu{}, theta)), 1e-9);
  EXPECT_LE(max_difference(predict(Smooth{quadratic, Domain::reals}, theta), theta), 1e-9);
  const Vector clipped = predict(Smooth{quadratic, Domain::cube}, theta);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(clipped[j], std::clamp(theta[j], 0.0, 1.0), 1e-9);
  EXPECT_LE(max_difference(prox(Smooth{quadratic}, theta, 0.5), prox(Tsallis{2}, theta, 0.5)), 1e-9);
  theta[2] = mask;
  EXPECT_EQ(predict(Smooth{quadratic}, theta)[2], 0);
  EXPECT_EQ(predict(Smooth{quadratic, Domain::cube}, theta)[2], 0);
}

TEST(UserOmega, WrongDefinitions) {
  EXPECT_THAT(message_of([] { AnyRegularizer(Separable{}); }),
              testing::HasSubstr("g and g_prime must be set"));
  EXPECT_THAT(message_of([] { AnyRegularizer(Smooth{}); }), testing::HasSubstr("function must be set"));
  const Separable concave{[](double t) { return -t * t; }, [](double t) { return -2 * t; }};
  EXPECT_THAT(message_of([&] { AnyRegularizer{concave}; }), testing::HasSubstr("strictly convex"));
  const Separable newton{
      [](double t) { return t * t; }, [](double t) { return 2 * t; }, {}, RootMethod::newton};
  EXPECT_THAT(message_of([&] { AnyRegularizer{newton}; }), testing::HasSubstr("newton"));
}

}  // namespace
}  // namespace fenchel::test
