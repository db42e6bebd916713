// SPDX-License-Identifier: Apache-2.0
// Soft-DTW against the enumeration of all alignments and against differences.
#include "fenchel/polytopes/soft_dtw.hpp"

#include <gtest/gtest.h>

#include "messages.hpp"
#include "polytopes/alignment_reference.hpp"

namespace fenchel::test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Numbers squares(Random& random, std::size_t size, double scale) {
  Numbers cost = normal_scores(random, size, 1);
  for (double& entry : cost) entry *= scale * entry;
  return cost;
}

Numbers scaled(Numbers values, double factor) {
  for (double& entry : values) entry *= factor;
  return values;
}

MatrixView<const double> view(const Numbers& values, std::size_t rows) {
  return {values.data(), rows, values.size() / rows};
}
MatrixView<double> view(Numbers& values, std::size_t rows) {
  return {values.data(), rows, values.size() / rows};
}

TEST(SoftDtw, MatchesEnumerationAtEveryTemperature) {
  Random random(1);
  for (const Alignment& set :
       {Alignment{.m = 5, .n = 4}, Alignment{.m = 4, .n = 6, .band = 1}, Alignment{}}) {
    for (const double gamma : {1e-3, 0.1, 1.0, 30.0, 1e3}) {
      for (const double scale : {0.1, 1.0, 1e3}) {
        const Numbers cost = squares(random, set.dimension(), scale);
        const AlignmentEnumeration all(set, scaled(cost, -1 / gamma));
        Numbers gradient(cost.size());
        const SoftDtwOptions options{.gamma = gamma, .band = set.band};
        const double value = soft_dtw(view(cost, set.m), view(gradient, set.m), options);
        const auto expected = static_cast<double>(-gamma * all.log_partition);
        // −1/γ and the scaled costs of the reference are rounded, which the size of the exponents multiplies.
        const auto size = static_cast<double>(std::abs(all.log_partition));
        EXPECT_NEAR(value, expected, gamma * 1e-14 * (1 + size));
        EXPECT_EQ(soft_dtw(view(cost, set.m), options), value);
        EXPECT_LE(largest_error(gradient, all.mean), 1e-14 * (1 + size));
      }
    }
  }
}

TEST(SoftDtw, TendsToDtwAndDtwIsTheLeastCost) {
  Random random(2);
  for (const Alignment& set : {Alignment{.m = 5, .n = 5}, Alignment{.m = 3, .n = 7, .band = 1}}) {
    const Numbers cost = squares(random, set.dimension(), 1);
    const AlignmentEnumeration all(set, scaled(cost, -1));
    const WarpingPath best = dtw(view(cost, set.m), set.band);
    EXPECT_NEAR(best.value, static_cast<double>(-all.paths.front().score), 1e-14);
    EXPECT_EQ(set.structure(best.path).indices, all.paths.front().cells);
    const double cold = soft_dtw(view(cost, set.m), {.gamma = 1e-6, .band = set.band});
    EXPECT_NEAR(cold, best.value, 1e-5);
    EXPECT_LE(cold, best.value);
  }
}

TEST(SoftDtw, GradientsOfSeriesAreDifferences) {
  Random random(3);
  constexpr std::size_t m = 7;
  constexpr std::size_t n = 9;
  constexpr std::size_t p = 3;
  const Numbers a = normal_scores(random, m * p, 1);
  const Numbers b = normal_scores(random, n * p, 1);
  for (const SoftDtwOptions& options :
       {SoftDtwOptions{.gamma = 0.5}, SoftDtwOptions{.gamma = 2, .band = 2}}) {
    Numbers for_a(a.size());
    Numbers for_b(b.size());
    const double value = soft_dtw_series(view(a, m), view(b, n), {view(for_a, m), view(for_b, n)}, options);
    EXPECT_EQ(soft_dtw_series(view(a, m), view(b, n), {}, options), value);
    constexpr double h = 1e-5;
    const auto difference = [&](bool first, std::size_t k) {
      double values[2];
      for (const int side : {0, 1}) {
        Numbers moved_a = a;
        Numbers moved_b = b;
        (first ? moved_a : moved_b)[k] += side == 0 ? h : -h;
        values[side] = soft_dtw_series(view(moved_a, m), view(moved_b, n), {}, options);
      }
      return (values[0] - values[1]) / (2 * h);
    };
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(for_a[k], difference(true, k), 1e-7);
    for (std::size_t k = 0; k < b.size(); ++k) EXPECT_NEAR(for_b[k], difference(false, k), 1e-7);
    Numbers alone(b.size());
    soft_dtw_series(view(a, m), view(b, n), {{}, view(alone, n)}, options);
    EXPECT_EQ(alone, for_b);
  }
}

TEST(SoftDtw, SquaredEuclideanCost) {
  const Numbers a{1, 2, 0, -1};
  const Numbers b{0, 0, 1, 2, 3, 0};
  Numbers cost(6);
  squared_euclidean_cost(view(a, 2), view(b, 3), view(cost, 2));
  EXPECT_EQ(cost, (Numbers{5, 0, 8, 1, 10, 10}));
}

TEST(SoftDtw, TakesViewsWithGaps) {
  Random random(4);
  const Numbers cost = squares(random, 4 * 5, 1);
  Numbers wide(4 * 8, NAN);
  for (std::size_t k = 0; k < cost.size(); ++k) wide[k / 5 * 8 + k % 5] = cost[k];
  Numbers gradient(cost.size());
  Numbers wide_gradient(4 * 9, 7);
  const double value = soft_dtw(view(cost, 4), view(gradient, 4));
  EXPECT_EQ(soft_dtw(MatrixView<const double>(wide.data(), 4, 5, 8),
                     MatrixView<double>(wide_gradient.data(), 4, 5, 9)),
            value);
  EXPECT_EQ(dtw(MatrixView<const double>(wide.data(), 4, 5, 8)).value, dtw(view(cost, 4)).value);
  for (std::size_t k = 0; k < wide_gradient.size(); ++k) {
    EXPECT_EQ(wide_gradient[k], k % 9 < 5 ? gradient[k / 9 * 5 + k % 9] : 7);
  }
}

TEST(SoftDtw, ForbiddenPairs) {
  for (const double gamma : {1e-3, 1.0, 1e3, 1e12}) {
    Numbers cost{1, 2, 3, 4};
    cost[1] = inf;
    Numbers gradient(4);
    const SoftDtwOptions options{.gamma = gamma};
    const double value = soft_dtw(view(cost, 2), view(gradient, 2), options);
    EXPECT_NEAR(value, 5 - gamma * std::log1p(std::exp(-3 / gamma)), 1e-14 * (1 + gamma));
    EXPECT_EQ(gradient[1], 0);
    EXPECT_EQ(dtw(view(cost, 2)).value, 5);
    cost[0] = inf;
    EXPECT_EQ(soft_dtw(view(cost, 2), view(gradient, 2), options), inf);
    EXPECT_EQ(gradient, Numbers(4));
    EXPECT_EQ(dtw(view(cost, 2)).value, inf);
    EXPECT_TRUE(dtw(view(cost, 2)).path.empty());
  }
}

TEST(SoftDtw, RefusesBadInput) {
  Numbers cost{1, 2, NAN, 4};
  Numbers gradient(4);
  const auto complaint = [&](const SoftDtwOptions& options) {
    return message_of([&] { soft_dtw(view(cost, 2), view(gradient, 2), options); });
  };
  EXPECT_NE(complaint({}).find("cost[1, 0] is nan"), std::string::npos);
  EXPECT_NE(message_of([&] { dtw(view(cost, 2)); }).find("cost[1, 0] is nan"), std::string::npos);
  cost[2] = -inf;
  EXPECT_NE(complaint({}).find("cost[1, 0] is -inf"), std::string::npos);
  cost[2] = 0;
  EXPECT_EQ(complaint({}), "");
  for (const double gamma : {0.0, -1.0, inf, static_cast<double>(NAN)}) {
    EXPECT_NE(complaint({.gamma = gamma}).find("gamma"), std::string::npos);
  }
  EXPECT_NE(message_of([] { soft_dtw(MatrixView<const double>()); }).find("cost"), std::string::npos);
  Numbers narrow(2);
  EXPECT_NE(message_of([&] { soft_dtw(view(cost, 2), view(narrow, 2)); }).find("gradient is 2 x 1"),
            std::string::npos);
  EXPECT_NE(
      message_of([&] { squared_euclidean_cost(view(cost, 2), view(cost, 1), view(narrow, 2)); }).find("b"),
      std::string::npos);
}

}  // namespace
}  // namespace fenchel::test
