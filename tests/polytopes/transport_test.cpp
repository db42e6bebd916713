// SPDX-License-Identifier: Apache-2.0
// The oracles over transport plans: certificates, derivatives, vertices and bad input.
#include "fenchel/polytopes/transport.hpp"

#include <string>

#include "fenchel/polytopes/birkhoff.hpp"
#include "messages.hpp"
#include "solvers/plan_reference.hpp"

namespace fenchel::test::plans {
namespace {

std::vector<Transport> sets() {
  std::vector<Transport> all = Transport::examples();
  Random random(1);
  all.push_back({random_sums(random, 9, 3), random_sums(random, 14, 3)});
  all.push_back({random_sums(random, 14, 3, true), random_sums(random, 9, 3, true)});
  return all;
}

TEST(Transport, MapGivesVerticesThatAreBest) {
  Random random(2);
  Workspace scratch;
  for (const Transport& set : sets()) {
    set.check();
    for (const double scale : {0.05, 1.0, 1e3}) {
      const Numbers theta = random_scores(random, set.dimension(), scale);
      Structure best;
      const double score = set.map(theta, best, scratch);
      Numbers mu(set.dimension());
      write(best, mu);
      set.check_point("y", mu);
      EXPECT_TRUE(set.is_vertex(mu));
      EXPECT_LE(violation(mu, set.a, set.b), 1e-13);
      EXPECT_NEAR(product(theta, mu), score, 1e-12 * scale);
      EXPECT_LE(std::abs(linear_gap(theta, mu, set.a, set.b)), 1e-12 * scale);
    }
  }
}

TEST(Transport, ProjectionsAreCertified) {
  Random random(3);
  Workspace scratch;
  for (const Transport& set : sets()) {
    for (const double scale : {0.05, 1.0, 8.0, 1e3}) {
      const Numbers theta = random_scores(random, set.dimension(), scale);
      Numbers mu(theta.size());
      EXPECT_TRUE(set.project(theta, mu, scratch).converged());
      EXPECT_LE(violation(mu, set.a, set.b), 1e-12);
      EXPECT_LE(linear_gap(quadratic_gradient(theta, mu), mu, set.a, set.b), 1e-11 * (1 + scale));
      EXPECT_TRUE(set.project_kl(theta, mu, scratch).converged());
      EXPECT_LE(violation(mu, set.a, set.b), 1e-11);
      EXPECT_LE(linear_gap(entropic_gradient(theta, mu), mu, set.a, set.b), 1e-9 * (1 + scale));
    }
  }
}

TEST(Transport, DerivativesOfBothProjections) {
  Random random(4);
  Workspace scratch;
  constexpr double h = 1e-5;
  for (const Transport& set : sets()) {
    const Numbers theta = random_scores(random, set.dimension(), 0.5);
    const Numbers v = random_scores(random, set.dimension(), 1);
    for (const bool entropic : {false, true}) {
      const auto project = [&](double t) {
        Numbers moved(theta);
        for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += t * v[k];
        Numbers mu(theta.size());
        entropic ? set.project_kl(moved, mu, scratch) : set.project(moved, mu, scratch);
        return mu;
      };
      const Numbers mu = project(0);
      const Numbers up = project(h);
      const Numbers down = project(-h);
      Numbers out(theta.size());
      if (entropic) {
        set.project_kl_jvp(theta, mu, v, out, scratch);
      } else {
        set.project_jvp(theta, mu, v, out, scratch);
      }
      for (std::size_t k = 0; k < out.size(); ++k) {
        EXPECT_NEAR(out[k], (up[k] - down[k]) / (2 * h), entropic ? 1e-6 : 1e-8);
      }
    }
  }
}

TEST(Transport, EqualSumsAreTheBirkhoffPolytope) {
  Random random(5);
  Workspace scratch;
  const Transport set{Numbers(4, 1.0), Numbers(4, 1.0)};
  const Numbers theta = random_scores(random, 16, 1);
  Structure plan;
  Structure permutation;
  EXPECT_EQ(set.map(theta, plan, scratch), Birkhoff{4}.map(theta, permutation, scratch));
  EXPECT_EQ(plan, permutation);
}

TEST(Transport, VerticesAreForests) {
  const Transport set{{0.5, 0.5}, {0.5, 0.5}};
  EXPECT_TRUE(set.is_vertex(Numbers{0.5, 0, 0, 0.5}));
  EXPECT_FALSE(set.is_vertex(Numbers{0.25, 0.25, 0.25, 0.25}));
  const Transport wide{{0.5, 0.5}, {0.25, 0.75}};
  EXPECT_TRUE(wide.is_vertex(Numbers{0.25, 0.25, 0, 0.5}));
}

TEST(Transport, TotalsThatDifferByRoundingAreScaled) {
  Workspace scratch;
  const Transport set{{0.1, 0.2, 0.7}, {0.5 + 1e-10, 0.5}};
  set.check();
  Numbers mu(6);
  EXPECT_TRUE(set.project(Numbers(6, 0.0), mu, scratch).converged());
  EXPECT_TRUE(set.project_kl(Numbers(6, 0.0), mu, scratch).converged());
  EXPECT_LE(violation(mu, set.a, set.b), 3e-10);
  const Transport single{{0.1F, 0.2F, 0.7F}, {0.3F, 0.30000004F, 0.4F}};  // as sums of float32 are
  single.check();
  const double total = 0.3F + double{0.30000004F} + 0.4F, other = double{0.1F} + 0.2F + 0.7F;
  ASSERT_GT(std::abs(total - other), 1e-8);
  mu.assign(9, 0);
  EXPECT_TRUE(single.project_kl(Numbers(9, 0.0), mu, scratch).converged());
  EXPECT_NO_THROW(single.check_point("mu", mu));
  EXPECT_NE(message_of([] {
              Transport{{1}, {0.5, 0.4999}}.check();
            }).find("expected equal sums"),
            std::string::npos);
}

TEST(Transport, BadInput) {
  EXPECT_NE(message_of([] { Transport{{1, -1}, {0}}.check(); }).find("a[1] is -1"), std::string::npos);
  EXPECT_NE(message_of([] {
              Transport{{1}, {0.5, 0.4}}.check();
            }).find("a sums to 1 and b to 0.9"),
            std::string::npos);
  EXPECT_FALSE(message_of([] { Transport{{}, {1}}.check(); }).empty());
  EXPECT_FALSE(message_of([] { Transport{{1}, {}}.check(); }).empty());
  EXPECT_FALSE(message_of([] { Transport{{0}, {0}}.check(); }).empty());
  EXPECT_FALSE(message_of([] { Transport{{1}, {std::nan("")}}.check(); }).empty());
  EXPECT_FALSE(message_of([] { Transport{{-masked}, {-masked}}.check(); }).empty());
  const Transport set{{1, 2}, {3}};
  EXPECT_NE(message_of([&] {
              set.check_point("y", Numbers{2, 1});
            }).find("row 0 sums to 2; expected 1"),
            std::string::npos);
}

// Scores and masses of any size are whole numbers to the network simplex method.
TEST(Transport, TinyAndHugeNumbers) {
  Workspace scratch;
  Structure best, expected;
  const Numbers scores{1, 3, masked, 2, 0, 5};
  Transport{{2, 1}, {1, 1, 1}}.map(scores, expected, scratch);
  for (const double scale : {1e-320, 1e-300, 1e-150, 1e150, 1e300}) {
    Numbers theta = scores;
    for (double& score : theta) score *= scale;
    Transport{{2, 1}, {1, 1, 1}}.map(theta, best, scratch);
    EXPECT_EQ(best, expected) << scale;
    const double mass = std::max(scale, 1e-300);
    Transport{{2 * mass, mass}, {mass, mass, mass}}.map(scores, best, scratch);
    EXPECT_EQ(best.indices, expected.indices) << scale;
  }
}

TEST(Transport, MasksThatLeaveNoPlan) {
  Workspace scratch;
  const Transport set{{0.75, 0.25}, {0.5, 0.5}};
  const Numbers theta{0, masked, 1, 1};
  Structure best;
  Numbers mu(4);
  EXPECT_EQ(set.map(theta, best, scratch), masked);
  EXPECT_FALSE(set.project(theta, mu, scratch).converged());
  EXPECT_FALSE(set.project_kl(theta, mu, scratch).converged());
}

}  // namespace
}  // namespace fenchel::test::plans
