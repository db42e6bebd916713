// SPDX-License-Identifier: Apache-2.0
// Structured separation margins against the definition: sets whose structures have several norms, sets of one
// structure, costs, and margins in closed form.
#include "fenchel/losses/structured_margin.hpp"

#include <gtest/gtest.h>

#include "regularizers/margin_search.hpp"
#include "structures.hpp"

namespace fenchel::test {
namespace {

// y = 1, z = 0 on the line: ½‖μ‖² has slope 1 at y, and ½‖y − z‖² is ½. Likewise wherever a structure has one
// entry more than another.
TEST(StructuredMargin, OfBinarySetsWithSeveralNorms) {
  for (const AnyPolytope& set :
       std::vector<AnyPolytope>{Cube{1}, Cube{4}, Alignment{2, 2}, Alignment{3, 4}, Alignment{4, 4, 1}}) {
    SCOPED_TRACE(set.traits().name);
    EXPECT_NEAR(SparseMap{set}.margin(0).value(), 2, 1e-8);
    EXPECT_NEAR(structured_margin(SparseMap{set}, set).value(), 2, 1e-8);
    EXPECT_NEAR(structured_margin(Temperature{SparseMap{set}, 3}, set).value(), 6, 1e-7);
    EXPECT_NEAR(structured_margin({Map{set}, hamming_cost(set)}, set).value(), 2, 1e-8);
    EXPECT_NEAR(structured_margin({Map{set}, hamming_cost(set, 0.5)}, set).value(), 1, 1e-8);
    EXPECT_FALSE(structured_margin(Marginal{set}, set));
    EXPECT_FALSE(structured_margin(Entropic{set}, set));
  }
}

TEST(StructuredMargin, OfOneStructure) {
  for (const AnyPolytope& set : std::vector<AnyPolytope>{Sequence{3, 1}, KSubsets{4, 4}, Birkhoff{1},
                                                         Permutahedron{{2, 2, 2}}, Alignment{1, 4}}) {
    SCOPED_TRACE(set.traits().name);
    EXPECT_TRUE(single_structure(set));
    EXPECT_EQ(SparseMap{set}.margin(0), 0.0);
    EXPECT_EQ(structured_margin(SparseMap{set}, set), 0.0);
    EXPECT_EQ(structured_margin({Map{set}, hamming_cost(set)}, set), 0.0);
    if (set.offers(Oracle::k_best)) {
      EXPECT_EQ((AnyRegularizer{MaximumEntropy{set, Tsallis{1.5}}}.margin(set.dimension())), 0.0);
    }
  }
  EXPECT_FALSE(single_structure(Cube{1}));
  EXPECT_FALSE(single_structure(Sequence{1, 2}));
}

// 1 + max |‖y‖² − ‖z‖²|/‖y − z‖² over the edges. Of all one tag to another one in the last place: the counts
// of transitions are (n − 1, 0) and (n − 2, 1), the rest of the difference is two tags.
TEST(StructuredMargin, WhereTheDistanceIsNotLinear) {
  for (const std::size_t n : {3, 5, 8}) {
    const auto length = static_cast<double>(n);
    EXPECT_NEAR((SparseMap{Chain{n, 2}}.margin(0).value()), 1 + (2 * length - 4) / 4, 1e-6);
  }
  // Equal transitions in another order, such as 0010 and 0100, differ in their tags alone.
  const AnyPolytope chain = Chain{5, 2};
  EXPECT_NEAR(structured_margin({Map{chain}, hamming_cost(chain)}, chain).value(), 2, 1e-6);
  EXPECT_FALSE(structured_margin(Marginal{chain}, chain));
  // Plans (t, 1 − t; 1 − t, 1 + t) for t in [0, 1]: ‖y‖² is 6 at t = 1 and 4 at t = 0, which are 2 apart.
  const AnyPolytope plans = Transport{{1, 2}, {1, 2}};
  EXPECT_NEAR(SparseMap{plans}.margin(0).value(), 1.5, 1e-7);
}

// Tsallis entropies: 1/(α − 1) on the simplex, over half the squared distance of the closest structures.
TEST(StructuredMargin, OfMaximumEntropy) {
  const auto margin = [](const AnyPolytope& set, double alpha) {
    return AnyRegularizer{MaximumEntropy{set, Tsallis{alpha}}}.margin(set.dimension()).value();
  };
  for (const double alpha : {1.1, 1.5, 2.0}) {
    const double simplex = 1 / (alpha - 1);
    EXPECT_NEAR(margin(Sequence{3, 2}, alpha), simplex, 1e-9 * simplex);   // the last tag: 1
    EXPECT_NEAR(margin(Birkhoff{3}, alpha), simplex / 2, 1e-9 * simplex);  // a transposition: 2
    EXPECT_NEAR(margin(Permutahedron{{0.1, 0}}, alpha), simplex / 0.01, 1e-6 * simplex);
    EXPECT_NEAR(margin(Cube{3}, alpha), simplex / 0.5, 1e-9 * simplex);
  }
}

// Below its margin the projection mixes a thousand trees: a search would take minutes.
TEST(StructuredMargin, OfLargeSetsWithTheHammingCost) {
  const AnyPolytope set = Arborescence{60};
  EXPECT_NEAR(structured_margin({SparseMap{set}, hamming_cost(set)}, set).value(), 3, 1e-9);
  EXPECT_NEAR(structured_margin({Map{set}, hamming_cost(set)}, set).value(), 2, 1e-9);
  EXPECT_FALSE(structured_margin({Marginal{set}, hamming_cost(set)}, set));
}

// The search finds the known margins.
TEST(StructuredMargin, CostsByTheDefinition) {
  Workspace& scratch = thread_workspace();
  for (const AnyPolytope& set :
       std::vector<AnyPolytope>{Cube{3}, Arborescence{3}, Permutahedron{{3, 2, 1}}}) {
    for (const AnyRegularizer& omega : std::vector<AnyRegularizer>{SparseMap{set}, Map{set}}) {
      const Cost cost = hamming_cost(set, 0.7);
      const auto search = search_structured_margin(
          set,
          [&](std::span<const double> theta, std::span<const double> y, std::span<double> mu) {
            Vector augmented(theta.size());
            cost.write(y, augmented);
            for (std::size_t j = 0; j < theta.size(); ++j) augmented[j] += theta[j];
            omega.predict(augmented, mu, scratch);
          },
          {});
      EXPECT_NEAR(structured_margin({omega, cost}, set).value(), search.value(), 1e-7) << set.traits().name;
    }
    // A cost other than the distance, twice as high where y has no entry: at least the margin of half of it.
    const Cost uneven(Cost::Callable([](std::span<const double> y, std::span<double> cost) {
      for (std::size_t j = 0; j < y.size(); ++j) cost[j] = y[j] == 0 ? 2 : -y[j];
    }));
    EXPECT_GT(structured_margin({Map{set}, uneven}, set).value(), 0) << set.traits().name;
  }
}

// Rényi entropies with β > 1 are not concave: far structures need less than the closest one would, if all
// were as close. The numbers are sup H(p)/Σ p_z ½‖y − z‖² by enumeration.
TEST(StructuredMargin, OfMaximumEntropyThatIsNotConcave) {
  const auto margin = [](const AnyPolytope& set) {
    return AnyRegularizer{MaximumEntropy{set, Renyi{2}}}.margin(set.dimension()).value();
  };
  EXPECT_NEAR(margin(Sequence{3, 2}), 2.0, 1e-6);
  EXPECT_NEAR(margin(Birkhoff{3}), 1.1053, 1e-4);
}

// Where structures have several norms, scores with several rivals need more than any edge does: at separation
// 1.01, where edges ask for 1, Rényi's loss is 0.2.
TEST(StructuredMargin, IsNotToldWhereEdgesDoNotTell) {
  const AnyPolytope chain = Chain{2, 3};
  const Vector theta{0, -1.01, -1.01, 0, -2.02, -2.02, 0, 0, 0, -1.01, 0, 0, -1.01, 0, 0};
  Vector y(15);
  for (const std::size_t j : {0, 3, 6}) y[j] = 1;
  EXPECT_GT(FenchelYoungLoss{MaximumEntropy(chain, Renyi{2})}.value(theta, y), 0.1);
  for (const AnyRegularizer& omega :
       std::vector<AnyRegularizer>{MaximumEntropy{chain, Renyi{2}}, MaximumEntropy{chain, Renyi{3}},
                                   SmoothedPaths{chain, Tsallis{2}}, StructuredSparsemax{chain}}) {
    SCOPED_TRACE(omega.refined_traits().name);
    EXPECT_THROW((void)omega.margin(15), std::invalid_argument);
    EXPECT_THROW((void)structured_margin({omega, hamming_cost(chain)}, chain), std::invalid_argument);
  }
  // Tsallis entropies have a closed form.
  EXPECT_TRUE((AnyRegularizer{MaximumEntropy{chain, Tsallis{2}}}.margin(15)));
}

TEST(StructuredMargin, CostsMakeNone) {
  for (const AnyPolytope& set : std::vector<AnyPolytope>{Chain{3, 2}, Sequence{2, 2}, Birkhoff{3}}) {
    EXPECT_FALSE(structured_margin(Conic{set}, set));
    EXPECT_FALSE(structured_margin({Conic{set}, hamming_cost(set)}, set));
  }
}

// A structure that needs no margin ties with others at 0.
TEST(StructuredMargin, CostsOfOneEntry) {
  for (std::size_t j = 0; j < 4; ++j) {
    Vector cost(4, 0.0);
    cost[j] = 1;
    EXPECT_NEAR(FenchelYoungLoss(Map{Cube{4}}, cost).margin(4).value_or(-1), 2, 1e-6);
  }
  Vector cost(300, 0.0);
  cost[7] = -1;
  EXPECT_NEAR(FenchelYoungLoss(Map{Simplex{300}}, cost).margin(300).value_or(-1), 1, 1e-6);
}

TEST(StructuredMargin, EveryStructureOfSmallSetsIsLookedAt) {
  Random random(9);
  const Vector cost = normal_vector(random, 300);  // fixed: the worst truth is the class with the least cost
  const auto [least, most] = std::ranges::minmax(cost);
  EXPECT_NEAR(FenchelYoungLoss(Map{Simplex{300}}, cost).margin(300).value_or(-1), most - least, 1e-6);
  for (const AnyPolytope& set :
       std::initializer_list<AnyPolytope>{ProjectiveTree{4}, Arborescence{4}, Alignment{5, 5}}) {
    const FenchelYoungLoss loss{MaximumEntropy{set, Renyi{2}}};
    const double margin = loss.margin(set.dimension()).value();
    std::vector<Structure> all;
    set.k_best(Vector(set.dimension(), 0.0), 2000, all, thread_workspace());
    const double shift = set.traits().sphere ? 0 : 0.5;
    for (const Structure& structure : all) {
      Vector y(set.dimension()), theta(set.dimension());
      write(structure, y);
      for (std::size_t j = 0; j < y.size(); ++j) theta[j] = (1 + 1e-6) * margin * (y[j] - shift);
      EXPECT_LE(loss.value(theta, y), 1e-7) << set.traits().name;
    }
  }
}

TEST(StructuredMargin, OfCostsInTheRegularizer) {
  const Vector cost{1, -1, 0.5};
  const AnyPolytope set = Permutahedron{{3, 1, 0.5}};
  for (const AnyRegularizer& omega : {AnyRegularizer(Map{set}), AnyRegularizer(SparseMap{set})}) {
    const double margin = AnyRegularizer(CostSensitive{omega, cost}).margin(3).value_or(-1);
    EXPECT_NEAR(margin, FenchelYoungLoss(omega, cost).margin(3).value_or(-2), 1e-6);
  }
  EXPECT_NEAR(AnyRegularizer(CostSensitive{Map{set}, cost}).margin(3).value_or(-1), 4, 1e-6);
}

// The closed form is what the definition asks for: just above it the prediction is y, just below it is not.
TEST(StructuredMargin, OfMaximumEntropyIsSharp) {
  const AnyPolytope set = Permutahedron{{0.1, 0}};
  const AnyRegularizer omega = MaximumEntropy{set, Tsallis{1.5}};
  const double margin = omega.margin(2).value();
  EXPECT_LE(max_difference(predict(omega, {1.001 * margin * 0.1, 0}), {0.1, 0}), 1e-15);
  EXPECT_GE(max_difference(predict(omega, {0.99 * margin * 0.1, 0}), {0.1, 0}), 1e-8);
}

}  // namespace
}  // namespace fenchel::test
