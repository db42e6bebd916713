// SPDX-License-Identifier: Apache-2.0
// Points: zeros and ones are a structure or an error that says why not, other points outside conv(Y) are
// found where a value has to be searched for, and scores whose sums overflow are an error of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "fenchel/polytopes/gibbs.hpp"
#include "messages.hpp"
#include "structures.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string point_message(const AnyPolytope& set, const Vector& y) {
  return message_of([&] { set.check_point("y", y); });
}

// A vector of zeros and ones passes if and only if it is one of Y.
TEST(Points, ZerosAndOnesAreStructuresOrRefused) {
  for (const AnyPolytope& set : std::vector<AnyPolytope>{
           Sequence{2, 2}, Chain{2, 2}, Chain{3, 2}, Chain{2, 2, true}, Alignment{3, 3}, Alignment{3, 4},
           Alignment{.m = 3, .n = 4, .band = 1}, Arborescence{3}, Arborescence{3, true}, ProjectiveTree{3},
           ProjectiveTree{3, true}, KSubsets{5, 2}, Cube{4}, Simplex{5}, Birkhoff{3}}) {
    const std::size_t d = set.dimension();
    ASSERT_LE(d, 12U);
    std::set<Vector> all;
    std::vector<Structure> structures;
    set.k_best(Vector(d), 100'000, structures, thread_workspace());
    for (const Structure& structure : structures) {
      Vector y(d);
      write(structure, y);
      all.insert(y);
      EXPECT_EQ(point_message(set, y), "") << set.traits().name;
    }
    for (std::size_t code = 0; code < std::size_t{1} << d; ++code) {
      Vector y(d);
      for (std::size_t j = 0; j < d; ++j) y[j] = static_cast<double>(code >> j & 1);
      EXPECT_EQ(point_message(set, y).empty(), all.contains(y)) << set.traits().name << " " << code;
    }
  }
}

TEST(Points, MessagesSayWhatIsWrong) {
  const Vector cycle{1, 1, 0, 0,  //
                     0, 0, 0, 0,  //
                     0, 0, 0, 1,  //
                     0, 0, 1, 0};
  EXPECT_EQ(point_message(Arborescence{4}, cycle), "y is not an arborescence: words 2 and 3 form a cycle");
  EXPECT_EQ(point_message(ProjectiveTree{4}, cycle),
            "y is not a projective tree: words 2 and 3 form a cycle");
  const Vector crossing{1, 0, 1, 0,  //
                        0, 1, 0, 1,  //
                        0, 0, 0, 0,  //
                        0, 0, 0, 0};
  EXPECT_EQ(point_message(Arborescence{4}, crossing), "");
  EXPECT_EQ(point_message(ProjectiveTree{4}, crossing),
            "y is not a projective tree: the arcs to words 2 and 1 cross");
  EXPECT_EQ(point_message(Alignment{3, 3}, {1, 1, 0, 1, 1, 0, 0, 0, 1}),
            "y is not an alignment: it uses 5 cells, of which 4 lie on one path");
  EXPECT_THAT(point_message(Alignment{3, 3}, {1, 0, 1, 0, 1, 0, 1, 0, 1}), HasSubstr("5 cells, of which 3"));
  EXPECT_THAT(point_message(Alignment{4, 4}, {1, 1, 0, 0,  //
                                              0, 0, 0, 1,  //
                                              1, 0, 1, 0,  //
                                              0, 1, 0, 1}),
              HasSubstr("to the right of (0, 1)"));
  EXPECT_EQ(point_message(Chain{4, 2}, {1, 0, 0, 1, 1, 0, 1, 0, 0, 2, 0, 1}).substr(0, 1), "y");
  EXPECT_EQ(point_message(Chain{3, 2}, {1, 0, 0, 1, 1, 0, 1, 0, 0, 1}),
            "y has 1 transitions from state 0 to state 0; its states make 0");
}

// A cycle is refused however long it is.
TEST(Points, LongCyclesAreNamedInShort) {
  const std::size_t n = 40;
  Vector y(n * n);
  y[0] = 1;
  for (std::size_t m = 1; m < n; ++m) y[(m + 1 == n ? 1 : m + 1) * n + m] = 1;
  EXPECT_EQ(point_message(Arborescence{n}, y),
            "y is not an arborescence: words 1, 2, 3, 4, 5, 6, 7, 8, … form a cycle");
}

// Nearly a structure counts as one: predictions, and input of few digits.
TEST(Points, RoundedStructuresPass) {
  for (const AnyPolytope& set : std::vector<AnyPolytope>{Arborescence{3}, Alignment{3, 3}, Chain{3, 2}}) {
    Structure best;
    set.map(Vector(set.dimension(), 0.1), best, thread_workspace());
    Vector y(set.dimension());
    write(best, y);
    for (double& entry : y) entry = entry > 0 ? entry - 1e-8 : 1e-9;
    EXPECT_EQ(point_message(set, y), "") << set.traits().name;
  }
}

// The columns sum to one and the root has a child, but words 1 and 2 are each other's heads too often.
const Vector outside{0.9, 0,    0,     //
                     0,   0.05, 0.95,  //
                     0.1, 0.95, 0.05};

TEST(Points, SearchedValuesTellWhatIsOutside) {
  const std::vector<AnyRegularizer> omegas{Marginal{Arborescence{3}}, StructuredSparsemax{Arborescence{3}},
                                           MaximumEntropy{Arborescence{3}}};
  for (const AnyRegularizer& omega : omegas) {
    const FenchelYoungLoss loss{omega};
    // The two arcs of the cycle may have 1 together, not 1.9: each gives 0.45 to the two other heads of its
    // word. √(2 (0.45² + 2 · 0.225²)).
    const std::string value = message_of([&] { static_cast<void>(loss.regularizer(outside)); });
    EXPECT_THAT(value, StartsWith("mu lies outside conv(Y) of arborescence: its distance is 0.77942"));
    const std::string target = message_of([&] { static_cast<void>(loss.value(Vector(9), outside)); });
    EXPECT_THAT(target, StartsWith("y lies outside conv(Y) of arborescence"));
    // On the border: the value is found.
    const Vector inside{1, 0, 0, 0, 0.5, 0.5, 0, 0.5, 0.5};
    EXPECT_EQ(message_of([&] { static_cast<void>(loss.regularizer(inside)); }), "");
  }
}

// The arcs that have a share lead from the root to word 0 only: no structure keeps to them.
TEST(Points, NoStructureInTheSupportIsAnErrorOfThePoint) {
  const Vector mu{1, 0, 0,   0,    //
                  0, 0, 0.5, 0.5,  //
                  0, 1, 0,   0.5,  //
                  0, 0, 0.5, 0};
  for (const AnyRegularizer& omega :
       std::vector<AnyRegularizer>{Marginal{Arborescence{4}}, StructuredSparsemax{Arborescence{4}},
                                   MaximumEntropy{Arborescence{4}}}) {
    const FenchelYoungLoss loss{omega};
    EXPECT_THAT(message_of([&] { static_cast<void>(loss.regularizer(mu)); }),
                StartsWith("mu lies outside conv(Y) of arborescence"));
  }
  Vector link(mu.size());
  EXPECT_THAT(message_of([&] { Loss(Marginal{Arborescence{4}}).link(mu, link); }),
              StartsWith("mu lies outside conv(Y)"));
}

// A user's own set that knows its structures.
struct TwoOfThree {
  static constexpr PolytopeTraits traits{.name = "two of three"};
  std::size_t dimension() const { return 3; }
  void map(std::span<const double> theta, std::span<double> vertex) const {
    std::ranges::fill(vertex, 1.0);
    vertex[static_cast<std::size_t>(std::ranges::min_element(theta) - theta.begin())] = 0;
  }
  bool is_vertex(std::span<const double> mu) const { return mu[0] + mu[1] + mu[2] == 2; }
};

TEST(Points, OwnSetsSayWhichZerosAndOnesAreStructures) {
  EXPECT_EQ(point_message(TwoOfThree{}, {1, 0, 1}), "");
  EXPECT_EQ(point_message(TwoOfThree{}, {0.5, 0.5, 0.9}), "");
  EXPECT_EQ(point_message(TwoOfThree{}, {1, 1, 1}), "y has the entries of no structure of two of three");
}

TEST(Scores, SumsThatOverflowAreNotMasks) {
  for (const AnyPolytope& set :
       std::vector<AnyPolytope>{Sequence{3, 2}, Chain{3, 2}, Alignment{3, 2}, Arborescence{3},
                                ProjectiveTree{3}, Cube{3}, KSubsets{4, 2}}) {
    const std::size_t d = set.dimension();
    for (const double score : {1.7e308, -1.7e308}) {
      Vector theta(d, score);
      const std::string expected = score > 0 ? "theta[0] is 1.7e+308" : "theta[0] is -1.7e+308";
      const auto complaint = [&](auto ask) { return message_of([&] { static_cast<void>(ask()); }); };
      EXPECT_THAT(complaint([&] { return GibbsDistribution(set, theta); }),
                  testing::AllOf(StartsWith(expected), HasSubstr("overflow")));
      for (const AnyRegularizer& omega :
           std::vector<AnyRegularizer>{Marginal{set}, Map{set}, StructuredSparsemax{set}}) {
        const FenchelYoungLoss loss{omega};
        EXPECT_THAT(complaint([&] { return loss.predict(theta); }),
                    testing::AllOf(StartsWith(expected), HasSubstr("overflow")))
            << set.traits().name << " " << omega.spec().name;
      }
    }
  }
}

// All scores equal c: log Z = log Σ exp(c |y|), which at this size is the largest c |y|.
TEST(Scores, HugeScoresWhoseSumsFitHaveTheirLogPartition) {
  struct Case {
    AnyPolytope set;
    double most;  // entries of a structure
    double least;
  };
  for (const auto& [set, most, least] : std::vector<Case>{{Sequence{3, 2}, 3, 3},
                                                          {Chain{3, 2}, 5, 5},
                                                          {Alignment{3, 2}, 4, 3},
                                                          {Arborescence{3}, 3, 3},
                                                          {ProjectiveTree{3}, 3, 3},
                                                          {Alignment{1, 1}, 1, 1}}) {
    for (const double size : {1e100, 1e289, 1e296, 1e300, 1e306}) {
      const GibbsDistribution up(set, Vector(set.dimension(), size));
      EXPECT_NEAR(up.log_partition() / size, most, 1e-12) << set.traits().name << " " << size;
      const GibbsDistribution down(set, Vector(set.dimension(), -size));
      EXPECT_NEAR(down.log_partition() / size, -least, 1e-12) << set.traits().name << " " << size;
      double sum = 0;
      const Vector mu = down.marginals();
      for (const double share : mu) sum += share;
      EXPECT_NEAR(sum, least, 1e-9) << set.traits().name << " " << size;
      EXPECT_EQ(point_message(set, mu), "");
    }
  }
}

TEST(Scores, HugeScoresOfAlignmentsKeepTheDistribution) {
  // A corner is on every path: its score says nothing about the others, however large it is.
  for (const Alignment& set : {Alignment{3, 4}, Alignment{.m = 5, .n = 5, .band = 1}, Alignment{150, 3}}) {
    Random random(7);
    const Vector direction = normal_vector(random, set.dimension());
    Vector theta = normal_vector(random, set.dimension());
    for (double& score : theta) score = std::round(4 * score);
    theta.front() = 0;
    const GibbsDistribution plain(set, theta);
    theta.back() = 1e300;  // known only at the end
    const GibbsDistribution last(set, theta);
    EXPECT_LE(max_difference(last.marginals(), plain.marginals()), 1e-12);
    EXPECT_LE(max_difference(last.covariance_product(direction), plain.covariance_product(direction)), 1e-10);
    EXPECT_EQ(last.sample(20, 3), plain.sample(20, 3));
  }
}

}  // namespace
}  // namespace fenchel::test
