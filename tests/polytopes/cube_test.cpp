// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/cube.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages.hpp"
#include "polytopes/enumeration.hpp"

namespace fenchel::test {
namespace {

using namespace enumeration;

Vertices corners(std::size_t d) {
  Vertices all;
  for (std::size_t bits = 0; bits < std::size_t{1} << d; ++bits) {
    Numbers& y = all.emplace_back(d);
    for (std::size_t i = 0; i < d; ++i) y[i] = (bits >> i & 1) != 0 ? 1 : 0;
  }
  return all;
}

TEST(Cube, MatchesEnumeration) {
  for (const Cube& set : Cube::examples()) expect_everything(set, corners(set.d));
}

TEST(Cube, AMaskMeansNo) {
  const Cube set{4};
  const Numbers v{1, -2, 0.5, 3};
  for (const Numbers& theta : {Numbers{1, masked, -0.5, 0.25}, Numbers(4, masked)}) {
    expect_map(set, corners(4), theta);
    expect_marginals(set, corners(4), theta, v);
    expect_projection(set, corners(4), theta);
    expect_kl_projection(set, corners(4), theta);
    expect_k_best(set, corners(4), theta);
    expect_samples(set, corners(4), theta, 1);
  }
}

TEST(Cube, Samples) {
  Random random(2);
  for (const double scale : {0.0, 1.0, 3.0})
    expect_samples(Cube{6}, corners(6), random_scores(random, 6, scale), 3);
}

// The number of corners does not fit an integer; the few best are still found.
TEST(Cube, BestOfVeryMany) {
  Random random(4);
  const Cube set{1000};
  const Numbers theta = random_scores(random, 1000, 1);
  std::vector<Structure> structures;
  set.k_best(theta, 200, structures, thread_workspace());
  ASSERT_EQ(structures.size(), 200);
  for (std::size_t i = 1; i < 200; ++i) {
    EXPECT_LE(dot(structures[i], theta), dot(structures[i - 1], theta) + 1e-9);
    EXPECT_NE(structures[i], structures[i - 1]);
  }
}

TEST(Cube, BadInput) {
  EXPECT_THAT(message_of([] { Cube{0}.check(); }), testing::HasSubstr("d is 0; expected"));
  EXPECT_THAT(message_of([] {
                (Cube{2}.check_point("y", Numbers{0.5, 1.5}));
              }),
              testing::HasSubstr("y[1] is 1.5"));
}

}  // namespace
}  // namespace fenchel::test
