// SPDX-License-Identifier: Apache-2.0
// Costs that losses add to the scores (paper §3.4): a vector, a matrix by label, a callable of y.
#include "fenchel/losses/cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "messages.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

TEST(Cost, ThreeKindsMeanLossesAtShiftedScores) {
  const std::vector<Vector> by_label{{0, 1, 2}, {3, 0, 1}, {1, 1, 0}};
  const Vector theta{0.3, -0.2, 0.8};
  for (const AnyRegularizer& omega :
       std::vector<AnyRegularizer>{Argmax{}, Shannon{}, Tsallis{1.5}, Norm{2}}) {
    const Loss loss(omega);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto label = static_cast<std::int64_t>(k);
      const double expected = loss.value(moved(theta, 1, by_label[k]), label);
      EXPECT_NEAR(loss.with_cost(by_label).value(theta, label), expected, 1e-14);
      EXPECT_NEAR(loss.with_cost(by_label[k]).value(theta, label), expected, 1e-14);
      const Cost::Callable of_y = [&](std::span<const double> y, std::span<double> cost) {
        const auto truth = static_cast<std::size_t>(std::ranges::find(y, 1.0) - y.begin());
        std::ranges::copy(by_label[truth], cost.begin());
      };
      EXPECT_NEAR(loss.with_cost(of_y).value(theta, label), expected, 1e-14);
      Vector gradient(3);
      loss.with_cost(by_label).value_and_gradient(theta, label, gradient);
      EXPECT_LE(
          max_difference(gradient, moved(predict(omega, moved(theta, 1, by_label[k])), -1, vertex(3, k))),
          1e-15);
    }
    EXPECT_EQ(loss.with_cost(by_label).predict(theta), loss.predict(theta));  // predictions leave costs out
  }
}

TEST(Cost, ZeroOneCostMakesTheHinge) {
  const Loss hinge = Loss(Argmax{}).with_cost(zero_one_cost());
  EXPECT_NEAR(hinge.value(Vector{2, 0.5, 0}, std::int64_t{0}), 0, 1e-15);
  EXPECT_NEAR(hinge.value(Vector{1, 0.5, 0}, std::int64_t{0}), 0.5, 1e-15);
  EXPECT_NEAR(hinge.value(Vector{0, 0.5, mask}, std::int64_t{0}), 1.5, 1e-15);
}

TEST(Cost, MatrixIsMixedAsTheTargetMixesLabels) {
  const std::vector<Vector> by_label{{-0.0, 1, 2}, {3, 0, 1}, {1, 1, 0}};
  const Cost cost(by_label);
  Vector found(3);
  for (std::size_t k = 0; k < 3; ++k) {
    cost.write(vertex(3, k), found);
    EXPECT_EQ(found, by_label[k]);
    EXPECT_EQ(std::signbit(found[0]), k == 0);  // the very bits
  }
  cost.write(Vector{0.5, 0.25, 0.25}, found);
  EXPECT_EQ(found, (Vector{1, 0.75, 1.25}));
  cost.write(Vector{0, 0, 0}, found);
  EXPECT_EQ(found, (Vector{0, 0, 0}));
  const Vector theta{0.3, -0.2, 0.8}, y{0.5, 0.25, 0.25};
  const Loss loss(Shannon{});
  EXPECT_NEAR(loss.with_cost(by_label).value(theta, y), loss.value(moved(theta, 1, {1, 0.75, 1.25}), y),
              1e-14);
}

TEST(Cost, WrongCosts) {
  const Loss loss(Shannon{});
  const Vector theta{0, 1};
  EXPECT_THAT(message_of([] { Cost(Vector{std::nan("")}); }), HasSubstr("cost[0] is nan"));
  EXPECT_THAT(message_of([] {
                Cost(std::vector<Vector>{{0, 1}, {1}});
              }),
              HasSubstr("cost[1] has 1 entry; expected 2"));
  EXPECT_THAT(message_of([&] {
                loss.with_cost(Vector{1, 2, 3}).value(theta, std::int64_t{0});
              }),
              HasSubstr("cost has 3 entries"));
  const Cost matrix(std::vector<Vector>{{0, 1}, {1, 0}});
  Vector two(2), three(3);
  EXPECT_THAT(message_of([&] { matrix.write(vertex(2, 0), three); }), HasSubstr("cost has 2 entries"));
  EXPECT_THAT(message_of([&] { matrix.write(vertex(3, 0), two); }), HasSubstr("y has 3 entries"));
  const Cost::Callable bad = [](std::span<const double>, std::span<double> cost) {
    std::ranges::fill(cost, std::nan(""));
  };
  EXPECT_THAT(message_of([&] { loss.with_cost(bad).value(theta, std::int64_t{0}); }),
              HasSubstr("cost[0] is nan"));
}

}  // namespace
}  // namespace fenchel::test
