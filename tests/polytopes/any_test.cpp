// SPDX-License-Identifier: Apache-2.0
// A set of the user's own, known by its MAP oracle alone, gets everything that can be derived; what cannot is
// refused with a reason. Wrong input is an error that names it.
#include "fenchel/polytopes/any.hpp"

#include <gtest/gtest.h>

#include "fenchel/core/numeric.hpp"
#include "fenchel/losses/structured_margin.hpp"
#include "messages.hpp"
#include "structures.hpp"

namespace fenchel::test {
namespace {

// The three corners of a triangle, one of them not binary.
struct Triangle {
  std::size_t dimension() const { return 2; }
  void map(std::span<const double> theta, std::span<double> vertex) const {
    const double corners[3][2] = {{0, 0}, {2, 0}, {0, 1}};
    double best = -infinity;
    for (const auto& corner : corners) {
      const double score =
          (corner[0] == 0 ? 0 : theta[0] * corner[0]) + (corner[1] == 0 ? 0 : theta[1] * corner[1]);
      if (score <= best) continue;
      best = score;
      vertex[0] = corner[0];
      vertex[1] = corner[1];
    }
  }
};

TEST(OwnPolytope, HasMapSparseMapAndEntropic) {
  const AnyPolytope set = Triangle{};
  EXPECT_EQ(predict(Map{set}, {1, 1}), (Vector{2, 0}));
  EXPECT_LE(max_difference(predict(SparseMap{set}, {3, 0.5}), {2, 0}), 1e-12);
  EXPECT_LE(max_difference(predict(SparseMap{set}, {0.5, 0.5}), {0.5, 0.5}), 1e-12);
  EXPECT_LE(max_difference(predict(SparseMap{set}, {2, 2}), {1.2, 0.4}), 1e-12);
  EXPECT_NEAR(loss_value(SparseMap{set}, {2, 2}, {2, 0}), 0.4, 1e-12);
  // On the edge from (2, 0) to (0, 1): J projects on its direction.
  EXPECT_LE(max_difference(jvp(SparseMap{set}, {2, 2}, {1, 0}), {0.8, -0.4}), 1e-12);
  // argmax of ⟨θ, μ⟩ − Σ μ log μ inside: e^{θ−1}.
  const Vector theta{-1, -0.5};
  const Vector expected{std::exp(-2.0), std::exp(-1.5)};
  EXPECT_LE(max_difference(predict(Entropic{set}, theta), expected), 1e-5);
  EXPECT_LE(max_difference(jvp(Entropic{set}, theta, {1, 2}), {expected[0], 2 * expected[1]}), 1e-4);
}

TEST(OwnPolytope, MissingOraclesAreRefused) {
  const AnyPolytope set = Triangle{};
  EXPECT_EQ(message_of([&] { AnyRegularizer{Marginal{set}}; }), "user has no log-partition function");
  EXPECT_EQ(message_of([&] { AnyRegularizer{StructuredSparsemax{set}}; }), "user has no k-best oracle");
  Vector cost(2);
  EXPECT_NE(message_of([&] { set.hamming_cost(Vector{2, 0}, cost); }), "");
  EXPECT_NE(message_of([&] { AnyRegularizer{Marginal{Birkhoff{3}}}; }).find("#P"), std::string::npos);
}

TEST(Polytopes, BadParametersAreNamed) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {R"({"name": "sequence", "n": 0, "m": 2})", "n is 0"},
           {R"({"name": "sequence", "n": 2, "m": -1})", "m is -1"},
           {R"({"name": "sequence", "n": 2.5, "m": 1})", "n is 2.5"},
           {R"({"name": "sequence", "n": "x", "m": 1})", "n is 'x'"},
           {R"({"name": "sequence", "n": 4000000000, "m": 4000000})", "n"},
           {R"({"name": "alignment", "m": 0, "n": 3})", "m is 0"},
           {R"({"name": "arborescence", "n": 0})", "n is 0"},
           {R"({"name": "arborescence", "n": 3, "single_root": 2})", "single_root is 2"},
           {R"({"name": "birkhoff", "n": 0})", "n is 0"},
           {R"({"name": "k_subsets", "d": 3, "k": 4})", "k is 4"},
           {R"({"name": "permutahedron", "w": []})", "w"},
           {R"({"name": "permutahedron", "w": [1, "inf"]})", "w"},
           {R"({"name": "transport", "a": [1, 2], "b": [1, 1]})", "sum"},
           {R"({"name": "transport", "a": [1, -1], "b": [0]})", "a"},
           {R"({"name": "sequence", "n": 2, "m": 2, "k": 1})", "sequence has no parameter 'k'"},
           {R"({"name": "sequense", "n": 2, "m": 2})", "did you mean 'sequence'?"}}) {
    const std::string message = message_of([&, t = text] { make_polytope(t); });
    EXPECT_NE(message.find(expected), std::string::npos) << text << ": " << message;
  }
  EXPECT_NE(message_of([] { make_regularizer("marginal"); }).find("marginal needs polytope"),
            std::string::npos);
  EXPECT_NE(
      message_of([] { make_regularizer(R"({"name": "marginal", "polytope": 3})"); }).find("polytope is 3"),
      std::string::npos);
}

TEST(Polytopes, WrongSizesAreNamed) {
  const Loss loss{SparseMap{Sequence{3, 2}}};
  Vector out(5);
  EXPECT_EQ(message_of([&] { loss.predict(Vector(5, 0.0), out); }).substr(0, 34),
            "theta has 5 entries; expected 12, ");
  const Vector theta(12, 0.0);
  EXPECT_NE(message_of([&] { loss.value(theta, Vector(11, 0.0)); }), "");
  EXPECT_NE(message_of([&] { loss.value(theta, std::int64_t{1}); }), "");
  EXPECT_NE(message_of([&] { GibbsDistribution(Sequence{3, 2}, Vector(11)); }), "");
}

TEST(Polytopes, TargetsOutsideAreRefused) {
  for (const NamedSet& named : every_polytope()) {
    Vector y(named.set.dimension(), 7.5);
    EXPECT_NE(message_of([&] { loss_value(SparseMap{named.set}, Vector(y.size(), 0.0), y); }), "") << named;
  }
}

TEST(Polytopes, BadScoresAreErrors) {
  for (const NamedSet& named : every_polytope()) {
    for (const Named& omega : omegas_over(named)) {
      for (const double bad : {std::nan(""), infinity}) {
        Vector theta(named.set.dimension(), 0.0);
        theta.back() = bad;
        EXPECT_NE(message_of([&] { predict(omega.omega, theta); }), "") << omega.name;
      }
    }
  }
}

TEST(Polytopes, MasksThatLeaveNothingAreErrors) {
  for (const NamedSet& named : every_polytope()) {
    for (const Named& omega : omegas_over(named)) {
      // Where the zero vector is a point of the domain, it is what remains.
      const auto zero = [&] { omega.omega.check_point("y", Vector(omega.d, 0.0)); };
      if (named.set.traits().masks && message_of(zero).empty()) continue;
      const std::string message = message_of([&] { predict(omega.omega, Vector(omega.d, mask)); });
      EXPECT_NE(message.find(named.set.traits().masks ? "masks every structure" : "must be finite"),
                std::string::npos)
          << omega.name << ": " << message;
    }
  }
}

TEST(Polytopes, MaskedEntriesGetNothing) {
  for (const NamedSet& named : every_polytope()) {
    if (!named.set.traits().masks) continue;
    for (const Named& omega : omegas_over(named)) {
      Random random(11);
      // Everything outside two structures is masked, so that at least one is left in every set.
      const Vector first = random_vertex(named.set, random), second = random_vertex(named.set, random);
      Vector theta = normal_vector(random, omega.d);
      for (std::size_t j = 0; j < omega.d; ++j) {
        if (first[j] == 0 && second[j] == 0) theta[j] = mask;
      }
      const Vector mu = predict(omega.omega, theta);
      for (std::size_t j = 0; j < omega.d; ++j) {
        EXPECT_TRUE(std::isfinite(mu[j])) << omega.name;
        if (theta[j] == mask) {
          EXPECT_EQ(mu[j], 0) << omega.name;
        }
      }
      EXPECT_TRUE(std::isfinite(loss_value(omega.omega, theta, first))) << omega.name;
      Vector elsewhere = first;
      for (std::size_t j = 0; j < omega.d; ++j) elsewhere[j] = first[j] == 0 ? theta[j] : mask;
      EXPECT_NE(message_of([&] { loss_value(omega.omega, elsewhere, first); }), "") << omega.name;
    }
  }
}

// Definition 5 and Proposition 8; §7.4 has the unit margin of SparseMAP.
TEST(StructuredMargin, OfKnownLosses) {
  for (const AnyPolytope& set :
       std::vector<AnyPolytope>{Sequence{3, 2}, Arborescence{3}, Birkhoff{3}, KSubsets{5, 2}}) {
    EXPECT_NEAR(structured_margin(SparseMap{set}, set).value(), 1, 1e-8) << set.traits().name;
    EXPECT_NEAR(structured_margin({Map{set}, hamming_cost(set)}, set).value(), 2, 1e-8) << set.traits().name;
    EXPECT_NEAR(structured_margin({Map{set}, hamming_cost(set, 0.5)}, set).value(), 1, 1e-8)
        << set.traits().name;
    EXPECT_NEAR(structured_margin(Temperature{SparseMap{set}, 3}, set).value(), 3, 1e-7) << set.traits().name;
    if (set.offers(Oracle::marginals)) {
      EXPECT_FALSE(structured_margin(Marginal{set}, set)) << set.traits().name;
    }
  }
  const AnyPolytope ranking = Permutahedron{{3, 2, 1}};
  EXPECT_NEAR(structured_margin(SparseMap{ranking}, ranking).value(), 1, 1e-8);
  // Σ μ log μ has slope 1 + log w at a permutation of w: neighbours of w differ by log 2 and log 3/2 of slope
  // for a difference of one, so that m = log 2 is needed.
  EXPECT_NEAR(Entropic{ranking}.margin(3).value(), std::log(2), 1e-7);
  EXPECT_FALSE(Entropic{Birkhoff{3}}.margin(9));
}

}  // namespace
}  // namespace fenchel::test
