// SPDX-License-Identifier: Apache-2.0
// The oracles over permutation matrices against all permutations, the golden cases and finite differences.
#include "fenchel/polytopes/birkhoff.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "messages.hpp"
#include "solvers/plan_reference.hpp"

namespace fenchel::test::plans {
namespace {

Numbers dense(const Structure& y, std::size_t d) {
  Numbers out(d);
  write(y, out);
  return out;
}

TEST(Birkhoff, MapAndKBestAgainstEnumeration) {
  Random random(1);
  Workspace scratch;
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U}) {
    const Birkhoff set{n};
    for (const double scale : {0.05, 1.0, 8.0, 1e3}) {
      for (const bool masks : {false, true}) {
        Numbers theta = random_scores(random, n * n, scale);
        if (masks) {
          for (double& entry : theta) entry = random.uniform() < 0.3 ? masked : entry;
        }
        const auto all = permutations(theta, n);
        Structure best;
        const double score = set.map(theta, best, scratch);
        std::vector<Structure> ranked;
        set.k_best(theta, 200, ranked, scratch);
        ASSERT_EQ(ranked.size(), all.size());
        if (all.empty()) {
          EXPECT_EQ(score, masked);
          continue;
        }
        EXPECT_EQ(set.columns(best), all.front().columns);
        EXPECT_NEAR(score, all.front().score, 1e-12 * scale);
        for (std::size_t k = 0; k < all.size(); ++k) {
          EXPECT_NEAR(dot(ranked[k], theta), all[k].score, 1e-11 * scale);
          EXPECT_EQ(set.structure(set.columns(ranked[k])), ranked[k]);
        }
        set.k_best(theta, 2, ranked, scratch);
        EXPECT_EQ(ranked.size(), std::min<std::size_t>(2, all.size()));
      }
    }
  }
}

TEST(Birkhoff, TiesGiveTheSamePermutationEveryTime) {
  Workspace scratch;
  const Birkhoff set{4};
  const Numbers theta(16, 2.0);
  Structure first;
  Structure second;
  EXPECT_EQ(set.map(theta, first, scratch), 8);
  set.map(theta, second, scratch);
  EXPECT_EQ(first, second);
}

/// The dual of ½‖μ‖² and Σ μ log μ over a single row and column, and the centre for constant scores.
TEST(Birkhoff, ProjectionsKnownByHand) {
  Workspace scratch;
  Numbers one(1);
  EXPECT_TRUE(Birkhoff{1}.project(Numbers{-7}, one, scratch).converged());
  EXPECT_EQ(one[0], 1);
  EXPECT_TRUE(Birkhoff{1}.project_kl(Numbers{1e6}, one, scratch).converged());
  EXPECT_EQ(one[0], 1);
  Numbers mu(9);
  const Numbers constant(9, -3.0);
  Birkhoff{3}.project(constant, mu, scratch);
  for (const double entry : mu) EXPECT_NEAR(entry, 1.0 / 3, 1e-15);
  Birkhoff{3}.project_kl(constant, mu, scratch);
  for (const double entry : mu) EXPECT_NEAR(entry, 1.0 / 3, 1e-15);
  // 2 × 2: μ₀₀ = p with logit p = (θ₀₀ + θ₁₁ − θ₀₁ − θ₁₀)/2, and p = clip((that + 1)/2) for the projection.
  Numbers two(4);
  const Numbers theta{0.3, -0.2, 0.1, 0.5};
  Birkhoff{2}.project_kl(theta, two, scratch);
  EXPECT_NEAR(two[0], 1 / (1 + std::exp(-0.45)), 1e-14);
  Birkhoff{2}.project(theta, two, scratch);
  EXPECT_NEAR(two[0], 0.725, 1e-15);
}

TEST(Birkhoff, ProjectionsAreCertified) {
  Random random(2);
  Workspace scratch;
  for (const std::size_t n : {3U, 5U, 25U}) {
    const Birkhoff set{n};
    const Numbers ones(n, 1.0);
    for (const double scale : {0.05, 1.0, 8.0, 1e3}) {
      const Numbers theta = random_scores(random, n * n, scale);
      Numbers mu(n * n);
      EXPECT_TRUE(set.project(theta, mu, scratch).converged());
      EXPECT_LE(violation(mu, ones, ones), 2e-13 * static_cast<double>(n));
      EXPECT_LE(linear_gap(quadratic_gradient(theta, mu), mu, ones, ones), 1e-11 * (1 + scale));
      set.check_point("mu", mu);
      EXPECT_TRUE(set.project_kl(theta, mu, scratch).converged());
      EXPECT_LE(violation(mu, ones, ones), 2e-12 * static_cast<double>(n));
      EXPECT_LE(linear_gap(entropic_gradient(theta, mu), mu, ones, ones), 1e-8 * (1 + scale));
      set.check_point("mu", mu);
    }
  }
}

/// Central differences of a projection along v, against its Jacobian times v.
template <class Project, class Jvp>
void expect_derivative(const Birkhoff& set, const Numbers& theta, Project project, Jvp jvp,
                       double tolerance) {
  Random random(7);
  Workspace scratch;
  constexpr double h = 1e-5;
  const Numbers v = random_scores(random, theta.size(), 1);
  const Numbers w = random_scores(random, theta.size(), 1);
  Numbers up(theta);
  Numbers down(theta);
  for (std::size_t k = 0; k < theta.size(); ++k) {
    up[k] += h * v[k];
    down[k] -= h * v[k];
  }
  Numbers mu(theta.size());
  Numbers mu_up(theta.size());
  Numbers mu_down(theta.size());
  project(theta, mu);
  project(up, mu_up);
  project(down, mu_down);
  Numbers derivative(theta.size());
  Numbers other(theta.size());
  jvp(mu, v, derivative);
  jvp(mu, w, other);
  for (std::size_t k = 0; k < theta.size(); ++k) {
    EXPECT_NEAR(derivative[k], (mu_up[k] - mu_down[k]) / (2 * h), tolerance) << set.n << ' ' << k;
  }
  EXPECT_NEAR(product(w, derivative), product(v, other), 1e-12 * static_cast<double>(theta.size()));
}

TEST(Birkhoff, DerivativesOfBothProjections) {
  Random random(3);
  Workspace scratch;
  for (const std::size_t n : {1U, 2U, 3U, 6U, 12U}) {
    const Birkhoff set{n};
    for (const double scale : {0.05, 1.0, 3.0}) {
      Numbers theta = random_scores(random, n * n, scale);
      if (n == 12) theta[1] = theta[40] = masked;
      expect_derivative(
          set, theta, [&](const Numbers& x, Numbers& mu) { set.project(x, mu, scratch); },
          [&](const Numbers& mu, const Numbers& v, Numbers& out) {
            set.project_jvp(theta, mu, v, out, scratch);
          },
          1e-9);
      expect_derivative(
          set, theta, [&](const Numbers& x, Numbers& mu) { set.project_kl(x, mu, scratch); },
          [&](const Numbers& mu, const Numbers& v, Numbers& out) {
            set.project_kl_jvp(theta, mu, v, out, scratch);
          },
          1e-6);
    }
  }
}

TEST(Birkhoff, GoldenPredictions) {
  std::ifstream stream(std::string(FENCHEL_GOLDEN_DIR) + "/structured.jsonl");
  Workspace scratch;
  int seen = 0;
  for (std::string line; std::getline(stream, line);) {
    const auto golden = nlohmann::json::parse(line);
    if (golden["op"] != "predict" || golden["omega"]["polytope"]["name"] != "birkhoff") continue;
    const Birkhoff set{golden["omega"]["polytope"]["n"].get<std::size_t>()};
    const auto theta = golden["theta"].get<Numbers>();
    const auto expected = golden["expect"].get<Numbers>();
    const std::string name = golden["omega"]["name"];
    Numbers mu(theta.size());
    Structure best;
    if (name == "map") {
      set.map(theta, best, scratch);
      mu = dense(best, theta.size());
    } else if (name == "sparsemap") {
      EXPECT_TRUE(set.project(theta, mu, scratch).converged());
    } else {
      ASSERT_EQ(name, "entropic");
      EXPECT_TRUE(set.project_kl(theta, mu, scratch).converged());
    }
    for (std::size_t k = 0; k < mu.size(); ++k) EXPECT_NEAR(mu[k], expected[k], 1e-11) << golden["id"];
    ++seen;
  }
  EXPECT_EQ(seen, 12);
}

TEST(Birkhoff, MasksThatLeaveNoPermutation) {
  Workspace scratch;
  const Birkhoff set{3};
  const Numbers theta{1, masked, masked, 2, masked, masked, 3, 4, 5};
  Structure best;
  Numbers mu(9);
  EXPECT_EQ(set.map(theta, best, scratch), masked);
  EXPECT_FALSE(set.project(theta, mu, scratch).converged());
  EXPECT_FALSE(set.project_kl(theta, mu, scratch).converged());
  std::vector<Structure> ranked(2);
  set.k_best(theta, 3, ranked, scratch);
  EXPECT_TRUE(ranked.empty());
}

TEST(Birkhoff, BadInput) {
  EXPECT_NE(message_of([] { Birkhoff{0}.check(); }).find("n is 0"), std::string::npos);
  EXPECT_NE(message_of([] { Birkhoff{70000}.check(); }).find("n is 70000"), std::string::npos);
  const Birkhoff set{2};
  EXPECT_NE(message_of([&] {
              set.structure(std::vector<int>{0, 0});
            }).find("columns[1] is 0"),
            std::string::npos);
  EXPECT_FALSE(message_of([&] { set.structure(std::vector<int>{0, 2}); }).empty());
  EXPECT_FALSE(message_of([&] { set.structure(std::vector<int>{0}); }).empty());
  EXPECT_EQ(message_of([&] { set.check_point("y", Numbers{0.5, 0.5, 0.5, 0.5}); }), "");
  EXPECT_NE(message_of([&] {
              set.check_point("y", Numbers{1, 0, 1, 0});
            }).find("column 0"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              set.check_point("y", Numbers{0.5, 0, 0.5, 1});
            }).find("row 0"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              set.check_point("y", Numbers{2, -1, -1, 2});
            }).find("y[0, 1] is -1"),
            std::string::npos);
  EXPECT_FALSE(message_of([&] { set.check_point("y", Numbers{std::nan(""), 1, 1, 0}); }).empty());
}

}  // namespace
}  // namespace fenchel::test::plans
