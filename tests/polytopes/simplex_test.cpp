// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/simplex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages.hpp"
#include "polytopes/enumeration.hpp"

namespace fenchel::test {
namespace {

using namespace enumeration;

Vertices units(std::size_t d) {
  Vertices all(d, Numbers(d));
  for (std::size_t i = 0; i < d; ++i) all[i][i] = 1;
  return all;
}

TEST(Simplex, MatchesEnumeration) {
  for (const Simplex& set : Simplex::examples()) expect_everything(set, units(set.d));
}

TEST(Simplex, Masks) {
  const Simplex set{5};
  const Numbers v{1, -2, 0.5, 3, 1};
  for (const Numbers& theta :
       {Numbers{1, masked, 0.5, masked, 1}, Numbers{masked, masked, masked, -3, masked}}) {
    expect_map(set, units(5), theta);
    expect_marginals(set, units(5), theta, v);
    expect_projection(set, units(5), theta);
    expect_kl_projection(set, units(5), theta);
    expect_k_best(set, units(5), theta);
    expect_samples(set, units(5), theta, 1);
  }
  const Numbers none(5, masked);
  Numbers out(5);
  expect_map(set, units(5), none);
  EXPECT_EQ(set.marginals(none, out, thread_workspace()), masked);
  EXPECT_EQ(set.log_partition(none, thread_workspace()), masked);
  EXPECT_EQ(set.project(none, out, thread_workspace()).residual, -masked);
  EXPECT_EQ(set.project_kl(none, out, thread_workspace()).residual, -masked);
}

TEST(Simplex, Samples) {
  Random random(2);
  for (const double scale : {0.0, 1.0, 3.0})
    expect_samples(Simplex{7}, units(7), random_scores(random, 7, scale), 3);
}

TEST(Simplex, FirstOfEqualScores) {
  Structure y;
  EXPECT_EQ((Simplex{4}.map(Numbers{1, 2, 2, 0}, y, thread_workspace())), 2);
  EXPECT_EQ(y.indices, (std::vector<std::uint32_t>{1}));
}

TEST(Simplex, BadInput) {
  EXPECT_THAT(message_of([] { Simplex{0}.check(); }), testing::HasSubstr("d is 0; expected"));
  EXPECT_THAT(message_of([] {
                (Simplex{2}.check_point("y", Numbers{0.5, 0.6}));
              }),
              testing::HasSubstr("y sums to 1.1"));
}

}  // namespace
}  // namespace fenchel::test
