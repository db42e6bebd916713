// SPDX-License-Identifier: Apache-2.0
// What is true of Ω = Σ φ(μ) over conv(Y) alone; the properties of every Ω over every set are tested with the
// others.
#include "fenchel/regularizers/bregman.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "messages.hpp"
#include "structures.hpp"

namespace fenchel::test {
namespace {

// Your own: φ(t) = cosh t, on all of R.
struct CoshGenerator {
  static constexpr std::string_view name = "cosh";
  double lower() const { return -infinity; }
  double upper() const { return infinity; }
  double value(double t) const { return std::cosh(t); }
  double slope(double t) const { return std::sinh(t); }
  double inverse(double s) const { return std::asinh(s); }
  double curvature(double t) const { return std::cosh(t); }
};

std::vector<AnyPolytope> sets() {
  return {Permutahedron{{3, 2, 1, 0}},
          Permutahedron::partial_ranking(6, 3),
          Birkhoff{4},
          Transport{{0.4, 0, 0.6}, {0.1, 0.7, 0.2}},
          KSubsets{6, 2},
          Simplex{5}};
}

// ŷ_Ω(θ), and that it is the maximiser: max over structures of ⟨θ − ∇Ω(ŷ), y − ŷ⟩ vanishes.
Vector certified(const AnyRegularizer& omega, const Vector& theta) {
  const Vector mu = predict(omega, theta);
  Vector scores = moved(theta, -1, link(omega, mu));
  for (double& score : scores) score = std::isfinite(score) ? score : 0;
  Structure best;
  const double gap = omega.polytope()->map(scores, best, thread_workspace()) - dot(scores, mu);
  EXPECT_LE(gap, 1e-10 * (1 + max_abs(scores)));
  return mu;
}

TEST(Bregman, OrderOneIsEntropicAndOrderTwoSparseMap) {
  Random random(1);
  for (const AnyPolytope& set : sets()) {
    for (const double scale : {0.1, 1.0, 10.0}) {
      const Vector theta = normal_vector(random, set.dimension(), scale), y = random_vertex(set, random);
      const Vector v = normal_vector(random, set.dimension());
      for (const double alpha : {1.0, 2.0}) {
        const AnyRegularizer omega = Bregman{set, "tsallis", alpha};
        const AnyRegularizer own = alpha == 1 ? AnyRegularizer(Entropic{set}) : SparseMap{set};
        EXPECT_EQ(predict(omega, theta), predict(own, theta));
        EXPECT_EQ(jvp(omega, theta, v), jvp(own, theta, v));
        const double loss = loss_value(own, theta, y);
        EXPECT_NEAR(loss_value(omega, theta, y), loss, 1e-12 * (1 + loss));
      }
      // No jump where the general method takes over.
      for (const double alpha : {1 - 1e-9, 1 + 1e-9, 2 - 1e-9, 2 + 1e-9}) {
        const AnyRegularizer omega = Bregman{set, "tsallis", alpha};
        const AnyRegularizer own = alpha < 1.5 ? AnyRegularizer(Entropic{set}) : SparseMap{set};
        EXPECT_LE(max_difference(certified(omega, theta), predict(own, theta)), 1e-6);
      }
    }
  }
}

// However far apart scores are, where single steps of a search are below the rounding of its place.
TEST(Bregman, FarApartScoresGiveVertices) {
  const Vector directions{0.3, -1, 0.9, 0.1, -0.5, 1};
  for (const AnyPolytope& set : std::vector<AnyPolytope>{Simplex{6}, KSubsets{6, 2}, KSubsets{6, 5}}) {
    for (const double alpha : {1.01, 1.5, 2.5, 5.0, 40.0}) {
      for (const double scale : {1e3, 1e10, 1e18, 1e40, 1e100, 1e300}) {
        Vector theta;
        for (const double entry : directions) theta.push_back(scale * entry);
        EXPECT_EQ(predict(Bregman{set, "tsallis", alpha}, theta), predict(Map{set}, theta))
            << set.traits().name << " alpha " << alpha << " scale " << scale;
      }
    }
  }
}

// Powers of small entries are small beside 1, and may underflow.
TEST(Bregman, SmallEntriesOfHighOrders) {
  for (const double alpha : {2.5, 5.0, 8.0, 50.0, 200.0}) {
    for (const std::size_t d : {10U, 1000U, 100000U}) {
      for (const double entry : predict(Bregman{Simplex{d}, "tsallis", alpha}, Vector(d))) {
        ASSERT_NEAR(entry * static_cast<double>(d), 1, 1e-12) << alpha << " " << d;
      }
    }
    for (const double scale : {1e-2, 1e-4, 1e-8}) {
      const AnyRegularizer omega = Bregman{Permutahedron{{scale, scale / 2, scale / 4}}, "tsallis", alpha};
      for (const double entry : predict(omega, Vector(3))) {
        EXPECT_NEAR(entry / scale, 1.75 / 3, 1e-12) << alpha << " " << scale;
      }
    }
  }
}

TEST(Bregman, OverTheSimplexIsTsallis) {
  Random random(2);
  for (const double alpha : {0.5, 1.3, 1.5, 3.0}) {
    const AnyRegularizer omega = Bregman{Simplex{6}, "tsallis", alpha};
    const Vector theta = normal_vector(random, 6, 2, 1e6), y = simplex_point(random, 6);
    EXPECT_LE(max_difference(predict(omega, theta), predict(Tsallis{alpha}, theta)), 1e-13);
    const double loss = loss_value(Tsallis{alpha}, theta, y);
    EXPECT_NEAR(loss_value(omega, theta, y), loss, 1e-9 * (1 + loss));
  }
}

TEST(Bregman, FermiDiracOverTheCubeIsSigmoid) {
  const AnyRegularizer omega = Bregman{Cube{3}, "fermi_dirac"};
  const Vector theta{-2, 0.3, 40}, y{0, 1, 1};
  EXPECT_LE(max_difference(predict(omega, theta), predict(Sigmoid{}, theta)), 1e-16);
  EXPECT_NEAR(loss_value(omega, theta, y), loss_value(Sigmoid{}, theta, y), 1e-12);
}

// Orders above 1 give sparse plans, the sparser the larger.
TEST(Bregman, SparsePlans) {
  Random random(3);
  const Vector theta = normal_vector(random, 400, 1);
  std::ptrdiff_t last = 401;
  for (const double alpha : {1.0, 1.2, 1.5, 2.0}) {
    const Vector mu = certified(Bregman{Birkhoff{20}, "tsallis", alpha}, theta);
    const auto support = std::ranges::count_if(mu, [](double entry) { return entry > 0; });
    EXPECT_LT(support, last) << alpha;
    last = support;
  }
}

TEST(Bregman, YourOwnGenerator) {
  Random random(4);
  for (const AnyPolytope& set : {AnyPolytope(Permutahedron{{2, 0.5, -1, -1.5}}), AnyPolytope(Birkhoff{3}),
                                 AnyPolytope(KSubsets{5, 2})}) {
    Bregman given{set};
    given.own = CoshGenerator{};
    const AnyRegularizer omega = given;
    EXPECT_THAT(to_json(omega.spec()), testing::HasSubstr("\"cosh\""));
    for (const double scale : {0.2, 2.0}) {
      const Vector theta = normal_vector(random, set.dimension(), scale);
      const Vector v = normal_vector(random, set.dimension());
      certified(omega, theta);
      constexpr double h = 1e-6;
      const Vector slope = scaled(
          moved(predict(omega, moved(theta, h, v)), -1, predict(omega, moved(theta, -h, v))), 1 / (2 * h));
      EXPECT_LE(max_difference(jvp(omega, theta, v), slope), 1e-6);
    }
  }
}

TEST(Bregman, ShiftsAndTies) {
  Random random(5);
  for (const AnyPolytope& set : sets()) {
    for (const std::string_view generator : {"tsallis", "fermi_dirac"}) {
      const AnyPolytope used = generator == "fermi_dirac" && set.entry_range().highest > 1
                                   ? AnyPolytope(Permutahedron{{1, 0.5, 0.5, 0}})
                                   : set;
      const AnyRegularizer omega = Bregman{used, std::string(generator)};
      const Vector theta = normal_vector(random, used.dimension());
      const Vector mu = certified(omega, theta);
      for (const double shift : {1e6, -1e6})
        EXPECT_LE(max_difference(predict(omega, shifted(theta, shift)), mu), 1e-9);
      certified(omega, Vector(used.dimension(), 3.0));
    }
  }
}

TEST(Bregman, BadInput) {
  const auto message = [](const Bregman& omega) {
    return message_of([&] { const AnyRegularizer made = omega; });
  };
  EXPECT_THAT(message({}), testing::HasSubstr("bregman has no polytope"));
  EXPECT_THAT(message({Birkhoff{2}, "tsalis"}), testing::HasSubstr("did you mean 'tsallis'?"));
  for (const double alpha : {0.0, 1e-16, 1e-300, 1e4, 1e300}) {
    EXPECT_THAT(message({Birkhoff{2}, "tsallis", alpha}),
                testing::HasSubstr("expected a number from 1e-06 to 1000"));
  }
  EXPECT_THAT(message({Permutahedron{{3, 1}}, "fermi_dirac"}),
              testing::HasSubstr("entries from 1 to 3; fermi_dirac is finite on [0, 1] only"));
  EXPECT_THAT(message({Permutahedron{{1, -1}}}), testing::HasSubstr("entries from -1 to 1"));
  EXPECT_THAT(message({Birkhoff{2}, "burg"}), testing::HasSubstr("burg is finite above 0 only"));
  EXPECT_THAT(message({Transport{{2, 2}, {3, 1}}, "fermi_dirac"}), testing::HasSubstr("from 0 to 2"));
  EXPECT_THAT(message({Sequence{2, 2}}), testing::HasSubstr("sequence has no Bregman projections"));
  EXPECT_THAT(message_of([] {
                predict(Bregman{Birkhoff{2}}, {mask, mask, 0, 0});
              }),
              testing::HasSubstr("masks every structure"));
  EXPECT_THAT(message_of([] {
                predict(Bregman{Permutahedron{{2, 1}}}, {mask, 0});
              }),
              testing::HasSubstr("theta[0] is -inf"));
}

TEST(Bregman, Constants) {
  EXPECT_EQ((AnyRegularizer(Bregman{Birkhoff{2}, "fermi_dirac"}).strong_convexity()), 4.0);
  EXPECT_EQ((AnyRegularizer(Bregman{Birkhoff{2}, "tsallis", 1.5}).strong_convexity()), 1.0);
  EXPECT_EQ((AnyRegularizer(Bregman{Birkhoff{2}, "tsallis", 3}).strong_convexity()), std::nullopt);
  EXPECT_EQ((AnyRegularizer(Bregman{Permutahedron{{4, 2}}, "tsallis", 3}).strong_convexity()), 2.0);
  EXPECT_EQ((AnyRegularizer(Bregman{Birkhoff{3}, "tsallis", 1}).margin(9)), std::nullopt);
}

// The loss vanishes from the margin on, at scores m · y, and not below.
TEST(Bregman, Margins) {
  EXPECT_EQ((AnyRegularizer(Bregman{Simplex{3}, "tsallis", 1.5}).margin(3)), 2.0);
  EXPECT_EQ((AnyRegularizer(Bregman{Birkhoff{3}, "tsallis", 2}).margin(9)), 1.0);
  EXPECT_EQ((AnyRegularizer(Bregman{Birkhoff{3}, "tsallis", 1}).margin(9)), std::nullopt);
  EXPECT_EQ((AnyRegularizer(Bregman{Birkhoff{1}, "fermi_dirac"}).margin(1)), 0.0);
  Random random(6);
  for (const Bregman& given : {Bregman{Birkhoff{3}, "tsallis", 1.5}, Bregman{KSubsets{5, 2}, "tsallis", 3},
                               Bregman{Permutahedron{{3, 2, 1}}, "tsallis", 0.5},
                               Bregman{Permutahedron{{3, 1, 1, 0}}, "tsallis", 1.7},
                               Bregman{Permutahedron{{0.9, 0.5, 0.2}}, "fermi_dirac"}}) {
    const AnyRegularizer omega = given;
    const auto margin = omega.margin(omega.polytope()->dimension());
    ASSERT_TRUE(margin.has_value());
    const Vector y = random_vertex(*omega.polytope(), random);
    EXPECT_LE(max_difference(predict(omega, scaled(y, *margin * (1 + 1e-9))), y), 1e-7);
    EXPECT_GT(max_difference(predict(omega, scaled(y, *margin * 0.97)), y), 1e-7);
  }
}

}  // namespace
}  // namespace fenchel::test
