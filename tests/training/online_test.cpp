// SPDX-License-Identifier: Apache-2.0
// Learning from one row after the other: steps by hand, parts of any size, penalties, states.
#include "fenchel/training/online.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fenchel/regularizers/all.hpp"
#include "messages.hpp"
#include "support.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

TEST(Online, TheFirstStepsByHand) {
  OnlineLinear learner(Squared{}, 1, 1,
                       {.penalty = L2(0.5), .intercept = false, .rate = 0.5, .smoothing = 1});
  const Matrix<double> x(1, 1, {2}), y(1, 1, {3});
  // θ = 0, g = 2 (0 − 3) = −6: z = −6, Σ g² = 36, w = 6/((1 + 6)/0.5 + 0.5).
  EXPECT_DOUBLE_EQ(learner.learn(FeaturesView<double>(x), y.view()), 4.5);
  const double w = 6 / 14.5;
  EXPECT_DOUBLE_EQ(learner.parameters()[0], w);
  const double g = 2 * (2 * w - 3), after = std::sqrt(36 + g * g), z = -6 + g - (after - 6) / 0.5 * w;
  learner.learn(FeaturesView<double>(x), y.view());
  EXPECT_DOUBLE_EQ(learner.parameters()[0], -z / ((1 + after) / 0.5 + 0.5));
  EXPECT_EQ(learner.state().rows, 2U);
}

TEST(Online, PartsOfAnySizeAndStorage) {
  const SmallData data = small_data(60, 5, 3, 4);
  const auto learned = [&](std::size_t size, bool sparse) {
    OnlineLinear learner(Tsallis{1.5}, 5, 3, {.penalty = ElasticNet(0.1, 0.5)});
    for (std::size_t first = 0; first < 60; first += size) {
      const std::size_t count = std::min(size, 60 - first);
      const FeaturesView<double> x =
          sparse ? FeaturesView<double>(data.sparse) : FeaturesView<double>(data.dense);
      learner.learn(x.block(first, count), Targets<double>(data.labels).block(first, count),
                    std::span(data.weights).subspan(first, count));
    }
    return learner.parameters();
  };
  const std::vector<double> expected = learned(60, false);
  EXPECT_EQ(learned(7, false), expected);
  EXPECT_EQ(learned(60, true), expected);
}

TEST(Online, StatesGoOnAndAreChecked) {
  const SmallData data = small_data(40, 5, 3, 4);
  const Targets<double> y(data.labels);
  const FeaturesView<double> x(data.dense);
  OnlineLinear whole(Shannon{}, 5, 3), first(Shannon{}, 5, 3), second(Shannon{}, 5, 3);
  whole.learn(x, y);
  first.learn(x.block(0, 20), y.block(0, 20));
  second.restore(first.state());
  EXPECT_EQ(second.parameters(), first.parameters());
  second.learn(x.block(20, 20), y.block(20, 20));
  EXPECT_EQ(second.parameters(), whole.parameters());
  OnlineState state = whole.state();
  state.squares[3] = -1;
  EXPECT_THAT(message_of([&] { second.restore(state); }), HasSubstr("squares"));
  state.squares[3] = std::nan("");
  EXPECT_THROW(second.restore(state), std::invalid_argument);
  state.squares.pop_back();
  EXPECT_THROW(second.restore(state), std::invalid_argument);
  EXPECT_EQ(second.parameters(), whole.parameters());
}

TEST(Online, StartsAtWeights) {
  OnlineLinear learner(Shannon{}, 2, 2, {.penalty = ElasticNet(0.3, 2), .intercept = true});
  const std::vector<double> weights{0.5, -0.25, 0, 2, 1, -1};
  learner.start_at(weights);
  for (std::size_t k = 0; k < weights.size(); ++k) EXPECT_NEAR(learner.parameters()[k], weights[k], 1e-15);
}

TEST(Online, ComesNearTheOptimum) {
  const SmallData data = small_data(400, 5, 3, 7);
  const LinearProblem<double> problem{.x = FeaturesView<double>(data.dense),
                                      .y = Targets<double>(data.labels),
                                      .outputs = 3,
                                      .loss = Shannon{}};
  const auto objective = make_objective(problem, 1);
  const auto value = [&](const std::vector<double>& w) {
    std::vector<double> gradient(w.size());
    return objective->evaluate(w, gradient) + L2(1).value(std::span(w).first(15), 3);
  };
  OnlineLinear learner(Shannon{}, 5, 3, {.penalty = L2(1)});
  learner.learn(problem.x, problem.y);
  const double one = value(learner.parameters());
  for (int pass = 0; pass < 20; ++pass) learner.learn(problem.x, problem.y);
  const double many = value(learner.parameters());
  EXPECT_LT(one, value(std::vector<double>(18)));
  EXPECT_LT(many, one);
}

TEST(Online, Mistakes) {
  OnlineLinear learner(Squared{}, 1, 1);
  const Matrix<double> large(1, 1, {1e200}), wide(1, 2, {1, 2}), y(1, 1, {1e200});
  EXPECT_THAT(message_of([&] { learner.learn(FeaturesView<double>(large), y.view()); }),
              HasSubstr("too large"));
  EXPECT_EQ(learner.parameters(), (std::vector<double>{0, 0}));
  EXPECT_THROW(learner.learn(FeaturesView<double>(wide), y.view()), std::invalid_argument);
  EXPECT_THROW(OnlineLinear(Squared{}, 1, 1, {.penalty = GroupLasso(1)}), std::invalid_argument);
  EXPECT_THROW(OnlineLinear(Squared{}, 1, 1, {.rate = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace fenchel::test
