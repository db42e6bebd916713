// SPDX-License-Identifier: Apache-2.0
// What Ω knows beside its values: traits that follow from its members, its coordinatewise form, and itself
// over another set of structures.
#include "fenchel/regularizers/any.hpp"

#include "fenchel/regularizers/one_vs_all.hpp"
#include "structures.hpp"

namespace fenchel::test {
namespace {

// The least that an Ω can be.
struct Least {
  static constexpr Traits traits{.name = "least"};
  double value(std::span<const double> p) const { return Shannon{}.value(p); }
  void predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
    Shannon{}.predict(theta, out, scratch);
  }
};

TEST(AnyRegularizer, KnowsWhatDifferencesReplace) {
  for (const AnyRegularizer& omega : std::vector<AnyRegularizer>{Least{}, Temperature{Least{}, 2}}) {
    EXPECT_TRUE(omega.refined_traits().gradient_by_differences);
    EXPECT_TRUE(omega.refined_traits().jvp_by_differences);
  }
  EXPECT_FALSE(AnyRegularizer(Shannon{}).refined_traits().gradient_by_differences);
  EXPECT_FALSE(AnyRegularizer(Poisson{}).refined_traits().jvp_by_differences);
  EXPECT_TRUE(AnyRegularizer(user_separable()).refined_traits().jvp_by_differences);
}

TEST(AnyRegularizer, CombinatorsPassTraitsOn) {
  const AnyRegularizer limit = Constant{Temperature{Renyi{0}, 2}, 1};
  EXPECT_FALSE(limit.refined_traits().attained);
  EXPECT_TRUE(AnyRegularizer(Renyi{0.5}).refined_traits().attained);
  const double scores = Poisson::traits.score_limit;
  EXPECT_EQ(AnyRegularizer(Temperature{Poisson{}, 2}).refined_traits().score_limit, 2 * scores);
  EXPECT_EQ(AnyRegularizer(CostSensitive{Poisson{}, {1, 3}}).refined_traits().score_limit, scores - 3);
  EXPECT_TRUE(std::isfinite(Loss(Poisson{}).conjugate(Vector{scores})));
}

TEST(AnyRegularizer, CoordinatewiseIsOneVsAll) {
  int checked = 0;
  Random random(1);
  for (const Named& named : every_regularizer()) {
    if (named.traits().domain != Domain::simplex) continue;
    const Vector theta = normal_vector(random, 4);
    std::optional<AnyRegularizer> each;
    try {
      each = named.omega.coordinatewise(4);
    } catch (const std::invalid_argument&) {
      continue;  // α = ∞ has no sigmoid
    }
    if (!each) continue;
    ++checked;
    EXPECT_LE(max_difference(predict(*each, theta), predict(OneVsAll{named.omega}, theta)), 1e-12) << named;
  }
  EXPECT_GT(checked, 5);
}

TEST(AnyRegularizer, OverAnotherSet) {
  const AnyPolytope first = KSubsets{4, 2}, second = Simplex{3};
  const AnyRegularizer omega = Constant{Temperature{SparseMap{first}, 2}, 1};
  const auto moved_on = omega.over(second);
  ASSERT_TRUE(moved_on);
  EXPECT_EQ(to_json(moved_on->spec()),
            to_json(AnyRegularizer(Constant{Temperature{SparseMap{second}, 2}, 1}).spec()));
  EXPECT_FALSE(AnyRegularizer(Shannon{}).over(second));
  EXPECT_FALSE(AnyRegularizer(Temperature{Shannon{}, 2}).over(second));
}

}  // namespace
}  // namespace fenchel::test
