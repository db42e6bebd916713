// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/projections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

TEST(Projections, Simplex) {
  Vector point{0.5, 2, mask};
  project_simplex(point);
  EXPECT_EQ(point, (Vector{0, 1, 0}));
  Vector bad{std::nan(""), 1};
  EXPECT_THAT(message_of([&] { project_simplex(bad); }), testing::HasSubstr("no projection"));
}

TEST(Projections, KullbackLeibler) {
  Vector point{1, 3};
  project_simplex_kl(point);
  EXPECT_EQ(point, (Vector{0.25, 0.75}));
  Vector zero{0, 0};
  EXPECT_THAT(message_of([&] { project_simplex_kl(zero); }), testing::HasSubstr("sums to 0"));
}

TEST(Projections, BoxAndBall) {
  Vector point{-2, 0.5, 3};
  project_box(point, -1, 1);
  EXPECT_EQ(point, (Vector{-1, 0.5, 1}));
  Vector far{3e200, 4e200};
  project_ball(far, 1);
  EXPECT_NEAR(far[0], 0.6, 1e-15);
  EXPECT_NEAR(far[1], 0.8, 1e-15);
  Vector near{0.1, -0.1};
  project_ball(near, 1);
  EXPECT_EQ(near, (Vector{0.1, -0.1}));
  Vector zero{0, 0};
  project_ball(zero, 1);
  EXPECT_EQ(zero, (Vector{0, 0}));
}

}  // namespace
}  // namespace fenchel::test
