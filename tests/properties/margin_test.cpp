// SPDX-License-Identifier: Apache-2.0
// Separation margins (paper §5): the loss is zero where the truth leads by the margin and positive below it;
// the numerical search agrees with the closed forms.
#include "fenchel/losses/cost.hpp"
#include "fenchel/polytopes/all.hpp"
#include "fenchel/regularizers/all.hpp"
#include "properties/property.hpp"

namespace fenchel::test {
namespace {

bool on_simplex(const Named& named) { return named.traits().domain == Domain::simplex; }

class MarginProperty : public testing::TestWithParam<Named> {
 protected:
  const Named& named() const { return GetParam(); }
  const AnyRegularizer& omega() const { return GetParam().omega; }
  std::vector<std::size_t> classes() const {
    return named().d != 0 ? std::vector<std::size_t>{named().d} : std::vector<std::size_t>{2, 3, 5, 10};
  }
};

// The largest loss over the truths when the truth leads all others by `lead`.
double largest_loss(const AnyRegularizer& omega, std::size_t d, double lead) {
  double largest = 0;
  for (std::size_t k = 0; k < d; ++k) {
    largest = std::max(largest, loss_value(omega, scaled(vertex(d, k), lead), vertex(d, k)));
  }
  return largest;
}

TEST_P(MarginProperty, MarginZeroAtMPositiveBelow) {
  for (const std::size_t d : classes()) {
    const auto margin = omega().margin(d);
    if (!margin) {
      for (const double lead : {1.0, 10.0, 30.0}) {
        EXPECT_GT(largest_loss(omega(), d, lead), 0)
            << named() << " claims no margin, d=" << d << " lead=" << lead;
      }
      continue;
    }
    EXPECT_LE(largest_loss(omega(), d, *margin), 1e-11 * (1 + *margin))
        << named() << " at the margin, d=" << d;
    EXPECT_LE(largest_loss(omega(), d, 2 * *margin + 1), 1e-11 * (1 + *margin))
        << named() << " beyond it, d=" << d;
    if (*margin == 0 || *margin > 1e3) continue;  // zero everywhere beyond; or a loss below every rounding
    EXPECT_GT(largest_loss(omega(), d, 0.5 * *margin), 0) << named() << " half way, d=" << d;
    if (*margin < 20) {
      EXPECT_GT(largest_loss(omega(), d, 0.9 * *margin), 0) << named() << " just below, d=" << d;
    }
  }
}

TEST_P(MarginProperty, SearchAgreesWithClosedForms) {
  for (const std::size_t d : {std::size_t{2}, std::size_t{4}}) {
    if (named().d != 0 && named().d != d) continue;
    const auto margin = omega().margin(d);
    if (margin && *margin > 1e3) continue;  // α or β within 1e-3 of 1 look like a logarithm
    const auto found =
        operations::margin_by_search([&](std::span<const double> p) { return omega().value(p); }, d);
    ASSERT_EQ(margin.has_value(), found.has_value()) << named() << " d=" << d;
    const double tolerance = named().traits().convex ? 1e-4 : 1e-2;  // β > 1: the supremum is inside
    if (margin) {
      EXPECT_NEAR(*margin, *found, tolerance * (1 + *margin)) << named() << " d=" << d;
    }
  }
}

// The same with costs of each kind: zero loss where the truth leads by the margin, for every truth, and for
// one of them positive just below it.
TEST_P(MarginProperty, CostsCount) {
  const std::size_t d = named().d != 0 ? named().d : 3;
  Random random(11);
  std::vector<std::vector<double>> matrix(d, Vector(d));
  for (std::size_t k = 0; k < d; ++k) {
    for (std::size_t j = 0; j < d; ++j) matrix[k][j] = j == k ? 0 : 0.1 + 3 * random.uniform();
  }
  const std::vector<Cost> costs{zero_one_cost(), matrix, normal_vector(random, d),
                                [](std::span<const double> y, std::span<double> cost) {
                                  for (std::size_t j = 0; j < y.size(); ++j)
                                    cost[j] = 0.25 * double(j) - y[j];
                                }};
  for (std::size_t c = 0; c < costs.size(); ++c) {
    const FenchelYoungLoss loss(omega(), costs[c]);
    const auto margin = loss.margin(d);
    ASSERT_EQ(margin.has_value(), omega().margin(d).has_value()) << named();
    if (!margin || *margin > 1e3) continue;
    const auto largest = [&](double lead) {
      double result = 0;
      for (std::size_t k = 0; k < d; ++k) {
        result = std::max(result, loss.value(scaled(vertex(d, k), lead), static_cast<std::int64_t>(k)));
      }
      return result;
    };
    const double scale = 1 + std::abs(*margin);
    EXPECT_LE(largest(*margin), 1e-11 * scale) << named() << " at the margin " << *margin << ", cost " << c;
    EXPECT_LE(largest(*margin + scale), 1e-11 * scale) << named() << " beyond it, cost " << c;
    if (*margin > 20) continue;  // α near 1: losses below every rounding
    EXPECT_GT(largest(*margin - 0.1 * scale), 0) << named() << " below " << *margin << ", cost " << c;
  }
}

TEST(Margin, OfUsualLossesWithCosts) {
  const std::vector<std::vector<double>> matrix{{0, 1, 4}, {1, 0, 2}, {4, 2, 0}};
  EXPECT_EQ(FenchelYoungLoss(Argmax{}, zero_one_cost()).margin(3), 1);
  EXPECT_EQ(FenchelYoungLoss(Argmax{}, matrix).margin(3), 4);
  EXPECT_EQ(FenchelYoungLoss(Tsallis{2}, zero_one_cost()).margin(3), 2);
  EXPECT_EQ(FenchelYoungLoss(Shannon{}, zero_one_cost()).margin(3), std::nullopt);
  const AnyPolytope set = fenchel::Sequence{3, 2};
  const Cost hamming = hamming_cost(set);
  EXPECT_EQ(FenchelYoungLoss(Map{set}, hamming).margin(set.dimension()), 2);
  EXPECT_EQ(FenchelYoungLoss(SparseMap{set}, hamming).margin(set.dimension()), 3);
  // Rényi with β > 1 needs less than both margins together where few classes cost much.
  const auto renyi = FenchelYoungLoss(Renyi{20}, std::vector<double>{3, 0, 0, 0, 0, 0}).margin(6);
  ASSERT_TRUE(renyi.has_value());
  EXPECT_LT(*renyi, *Renyi{20}.margin(6) + 3);
  EXPECT_GT(*renyi, *Renyi{20}.margin(2) + 3 - 1e-9);
}

TEST_P(MarginProperty, OneClassNeedsNone) {
  if (named().d != 0) GTEST_SKIP() << "its parameters fix the number of classes";
  EXPECT_EQ(omega().margin(1), 0);
}

INSTANTIATE_TEST_SUITE_P(All, MarginProperty, testing::ValuesIn(regularizers_where(on_simplex)), name_of);

}  // namespace
}  // namespace fenchel::test
