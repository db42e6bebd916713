// SPDX-License-Identifier: Apache-2.0
// The generator's streams are fixed, and its distributions have the right moments.
#include "fenchel/core/random.hpp"

#include <gtest/gtest.h>

#include <array>

namespace fenchel {
namespace {

TEST(Random, StreamsAreReproducible) {
  Random a(42), b(42), c(43);
  for (int i = 0; i < 100; ++i) {
    const auto bits = a.bits();
    EXPECT_EQ(bits, b.bits());
    EXPECT_NE(bits, c.bits());
  }
  // The splitmix64 and xoshiro256++ reference code gives this for seed 0; it must never change.
  EXPECT_EQ(Random(0).bits(), 0x53175d61490b23dfu);
}

TEST(Random, Moments) {
  Random random(7);
  constexpr int draws = 200000;
  double uniform = 0, normal = 0, square = 0, exponential = 0;
  std::array<int, 5> counts{};
  for (int i = 0; i < draws; ++i) {
    const double u = random.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    uniform += u;
    const double z = random.normal();
    normal += z;
    square += z * z;
    exponential += random.exponential();
    ++counts[random.below(5)];
  }
  EXPECT_NEAR(uniform / draws, 0.5, 0.005);
  EXPECT_NEAR(normal / draws, 0, 0.01);
  EXPECT_NEAR(square / draws, 1, 0.02);
  EXPECT_NEAR(exponential / draws, 1, 0.01);
  for (const int count : counts) EXPECT_NEAR(static_cast<double>(count) / draws, 0.2, 0.005);
}

}  // namespace
}  // namespace fenchel
