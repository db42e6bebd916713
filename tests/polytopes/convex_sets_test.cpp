// SPDX-License-Identifier: Apache-2.0
// Projections onto convex sets: known points, optimality by random points of the set, and Jacobians by
// differences.
#include "fenchel/polytopes/convex_sets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/projections.hpp"
#include "messages.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr std::size_t size = 6;

const std::vector<ConvexSet>& sets() {
  static const std::vector<ConvexSet> list{
      Box{{-0.5}, {0.8}},
      Box{{-inf, 0, -1, 0.5, -2, 0}, {0, inf, 1, 0.5, 3, 2}},
      Ball{1, 1.5},
      Ball{2, 0.7},
      Ball{inf, 0.4},
      HalfSpace{{1, -2, 0, 0.5, 3, 1}, -0.3},
      Hyperplane{{1}, 2},
      BoxSection{{0}, {inf}, {1}, 1},
      BoxSection{{0}, {1}, {1}, 2.5},
      BoxSection{{-1, 0, 0, -inf, 0, 0}, {1, 2, 0.3, 1, inf, 1}, {1, -2, 0, 0.5, 3, 1}, 0.7}};
  return list;
}

Vector projected(const ConvexSet& set, const Vector& x) {
  Vector out(x.size());
  project(set, x, out);
  return out;
}

Vector random_point(Random& random, double scale) {
  Vector x(size);
  for (double& entry : x) entry = scale * random.normal();
  return x;
}

// ⟨x − P(x), z − P(x)⟩ ≤ 0 for every z of the set: what defines the projection. Points of the set are
// projections of others, which are in it because they project to themselves.
TEST(ConvexSets, ProjectionsAreOptimal) {
  Random random(1);
  for (std::size_t s = 0; s < sets().size(); ++s) {
    for (int trial = 0; trial < 50; ++trial) {
      const Vector x = random_point(random, trial % 2 == 0 ? 1 : 10);
      const Vector p = projected(sets()[s], x);
      const Vector again = projected(sets()[s], p);
      for (std::size_t j = 0; j < size; ++j) EXPECT_NEAR(again[j], p[j], 1e-12) << s;
      const Vector z = projected(sets()[s], random_point(random, 3));
      double inner = 0;
      for (std::size_t j = 0; j < size; ++j) inner += (x[j] - p[j]) * (z[j] - p[j]);
      EXPECT_LE(inner, 1e-11) << s;
    }
  }
}

TEST(ConvexSets, JacobiansAreDifferences) {
  Random random(2);
  constexpr double h = 1e-6;
  for (std::size_t s = 0; s < sets().size(); ++s) {
    for (int trial = 0; trial < 20; ++trial) {
      const Vector x = random_point(random, 1), v = random_point(random, 1);
      const Vector ahead = projected(sets()[s], moved(x, h, v)),
                   behind = projected(sets()[s], moved(x, -h, v));
      Vector out(size);
      project_jvp(sets()[s], x, v, out);
      for (std::size_t j = 0; j < size; ++j) EXPECT_NEAR(out[j], (ahead[j] - behind[j]) / (2 * h), 1e-6) << s;
    }
  }
}

TEST(ConvexSets, KnownPoints) {
  EXPECT_EQ(projected(Ball{1, 1}, {2, 0.5, -1}), (Vector{1, 0, 0}));
  EXPECT_EQ(projected(Ball{1, 1}, {0.5, -0.25}), (Vector{0.5, -0.25}));
  EXPECT_EQ(projected(Ball{2, 0}, {3, 4}), (Vector{0, 0}));
  EXPECT_EQ(projected(HalfSpace{{1, 1}, 1}, {1, 1}), (Vector{0.5, 0.5}));
  EXPECT_EQ(projected(HalfSpace{{1, 1}, 3}, {1, 1}), (Vector{1, 1}));
  EXPECT_EQ(projected(BoxSection{{0}, {1}, {1}, 2}, {5, 0.5, 0.5}), (Vector{1, 0.5, 0.5}));
  EXPECT_EQ(projected(BoxSection{{0}, {1}, {1}, 3}, {-5, 0.5, 9}), (Vector{1, 1, 1}));  // one point is left
  Vector simplex{0.7, 0.2, -0.4};
  const Vector section = projected(BoxSection{{0}, {inf}, {1}, 1}, simplex);
  project_simplex(simplex);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(section[j], simplex[j], 1e-15);
}

TEST(ConvexSets, LargeAndSmallScores) {
  const Vector p = projected(BoxSection{{0}, {inf}, {1}, 1}, {1e6 + 0.25, 1e6, -1e6});
  EXPECT_NEAR(p[0], 0.625, 1e-9);
  EXPECT_NEAR(p[1], 0.375, 1e-9);
  EXPECT_EQ(p[2], 0);
  EXPECT_EQ(projected(Ball{2, 1}, {1e200, 0}), (Vector{1, 0}));
}

TEST(ConvexSets, NamesAndMistakes) {
  EXPECT_EQ(projected(make_convex_set("box:lower=-1,upper=inf"), {-3, 4}), (Vector{-1, 4}));
  EXPECT_EQ(projected(make_convex_set(R"({"name": "box", "lower": [0, 1], "upper": 2})"), {-3, -3}),
            (Vector{0, 1}));
  const auto message = [](const ConvexSet& set, Vector x) { return message_of([&] { projected(set, x); }); };
  EXPECT_THAT(message_of([] { make_convex_set("bal"); }), HasSubstr("did you mean 'ball'"));
  EXPECT_THAT(message_of([] { make_convex_set("ball:radus=1"); }), HasSubstr("radius"));
  EXPECT_THAT(message(Ball{3, 1}, {1}), HasSubstr("norm is 3"));
  EXPECT_THAT(message(Box{{1}, {0}}, {1}), HasSubstr("lower[0] is 1 and upper[0] 0"));
  EXPECT_THAT(message(Box{{0, 0}, {1}}, {1}), HasSubstr("lower"));
  EXPECT_THAT(message(HalfSpace{{0}, 1}, {1}), HasSubstr("w is 0"));
  EXPECT_THAT(message(BoxSection{{0}, {1}, {1}, 3}, {1, 1}), HasSubstr("from 0 to 2"));
  EXPECT_THAT(message(Box{}, {std::nan("")}), HasSubstr("x[0] is nan"));
  EXPECT_THAT(message(Box{}, {}), HasSubstr("x"));
}

}  // namespace
}  // namespace fenchel::test
