// SPDX-License-Identifier: Apache-2.0
// Every check names the argument, the value and what was expected.
#include "fenchel/core/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

const double nan = std::nan("");
const double inf = std::numeric_limits<double>::infinity();

TEST(Check, Numbers) {
  EXPECT_EQ(message_of([] { check_greater("alpha", 0, 0); }), "alpha is 0; expected a number > 0");
  EXPECT_EQ(message_of([] { check_at_least("beta", -1, 0); }), "beta is -1; expected a number >= 0");
  EXPECT_THAT(message_of([] { check_greater("alpha", nan, 0); }), HasSubstr("alpha is nan"));
  EXPECT_THAT(message_of([] { check_at_least("beta", nan, 0); }), HasSubstr("beta is nan"));
  EXPECT_EQ(message_of([] { check_finite("tau", inf); }), "tau is inf; expected a finite number");
  EXPECT_EQ(message_of([] { check_greater("q", 2, 1); }), "");
}

TEST(Check, SizesAndLabels) {
  EXPECT_EQ(message_of([] { check_size("y", 2, 3); }), "y has 2 entries; expected 3");
  EXPECT_EQ(message_of([] { check_size("y", 1, 3); }), "y has 1 entry; expected 3");
  EXPECT_EQ(message_of([] { check_not_empty("d", 0); }), "d is empty; expected at least one entry");
  EXPECT_EQ(message_of([] { check_label("y", 3, 3, 7); }), "y[7] is 3; expected a label in 0..2");
  EXPECT_EQ(message_of([] { check_label("y", -1, 3); }), "y is -1; expected a label in 0..2");
  EXPECT_EQ(message_of([] { check_label("y", 2, 3); }), "");
}

TEST(Check, Scores) {
  const auto scores = [](Vector theta, Domain domain) {
    return message_of([&] { check_scores("theta", std::span<const double>(theta), domain); });
  };
  EXPECT_EQ(scores({0, 1, 2, nan}, Domain::simplex), "theta[3] is nan; scores must be finite or -inf");
  EXPECT_EQ(scores({inf, 1}, Domain::cube), "theta[0] is inf; scores must be finite or -inf");
  EXPECT_EQ(scores({-inf, 1}, Domain::reals), "theta[0] is -inf; scores must be finite");
  EXPECT_THAT(scores({-inf, -inf}, Domain::simplex), HasSubstr("at least one score must be finite"));
  EXPECT_EQ(scores({-inf, -inf}, Domain::cube), "");  // coordinates are independent there
  EXPECT_EQ(scores({-inf, 1}, Domain::simplex), "");
}

TEST(Check, Points) {
  const auto point = [](Vector mu, Domain domain) {
    return message_of([&] { check_point("y", std::span<const double>(mu), domain, 4); });
  };
  EXPECT_EQ(point({0.5, -0.5, 1}, Domain::simplex), "y[4, 1] is -0.5; expected a value >= 0");
  EXPECT_EQ(point({0.5, 0.4}, Domain::simplex), "y sums to 0.9 in row 4; expected 1");
  EXPECT_EQ(point({0.5, 1.5}, Domain::cube), "y[4, 1] is 1.5; expected a value in [0, 1]");
  EXPECT_EQ(point({nan}, Domain::reals), "y[4, 0] is nan; values must be finite");
  EXPECT_EQ(point({1.0 / 3, 1.0 / 3, 1.0 / 3}, Domain::simplex), "");
  EXPECT_EQ(point({0.333333, 0.333333, 0.333334}, Domain::simplex), "");
  EXPECT_EQ(point({-3, 7}, Domain::reals), "");
}

TEST(Check, MassOnMasks) {
  const Vector theta{0, -inf}, y{0.5, 0.5};
  EXPECT_EQ(message_of([&] { check_mass_on_masks(std::span<const double>(theta), y, 2); }),
            "y[2, 1] is 0.5 but theta[2, 1] is -inf; a masked output can have no mass");
}

TEST(Check, Overlap) {
  Vector memory(10);
  EXPECT_THAT(message_of([&] { check_overlap("out", memory.data(), memory.data() + 1, 5 * sizeof(double)); }),
              HasSubstr("out overlaps the input partly"));
  EXPECT_EQ(message_of([&] { check_overlap("out", memory.data(), memory.data(), 80); }), "");
  EXPECT_EQ(message_of([&] { check_overlap("out", memory.data(), memory.data() + 5, 5 * sizeof(double)); }),
            "");
}

}  // namespace
}  // namespace fenchel::test
