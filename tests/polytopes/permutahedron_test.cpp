// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/permutahedron.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages.hpp"
#include "polytopes/enumeration.hpp"
#include "polytopes/golden_sets.hpp"

namespace fenchel::test {
namespace {

using namespace enumeration;

Vertices permutations_of(Numbers w) {
  Vertices all;
  std::ranges::sort(w);
  do all.push_back(w);
  while (std::next_permutation(w.begin(), w.end()));
  return all;
}

TEST(Permutahedron, MatchesEnumeration) {
  for (const Permutahedron& set : Permutahedron::examples()) expect_everything(set, permutations_of(set.w));
  for (const Numbers& w :
       {Numbers{0.1, 4, 0, 0, 1}, Numbers{0, 0, 0}, Numbers{1, 1, 1, 1}, Numbers{2, 1e-3, 7, 7, 2}}) {
    expect_everything(Permutahedron{w}, permutations_of(w));
  }
}

TEST(Permutahedron, NegativeWeightsWithoutEntropy) {
  const Permutahedron set{{-1, 3, -1, 0.5}};
  const Vertices all = permutations_of(set.w);
  Random random(1);
  for (const double scale : {0.0, 0.3, 2.0, 50.0}) {
    const Numbers theta = random_scores(random, 4, scale);
    expect_map(set, all, theta);
    expect_projection(set, all, theta);
    expect_k_best(set, all, theta);
  }
  Numbers out(4);
  EXPECT_THAT(message_of([&] { set.project_kl(out, out, thread_workspace()); }),
              testing::HasSubstr("w[0] is -1"));
}

TEST(Permutahedron, Presets) {
  EXPECT_EQ(Permutahedron::top_one(3).w, (Numbers{1, 0, 0}));
  EXPECT_EQ(Permutahedron::k_subsets(4, 2).w, (Numbers{0.5, 0.5, 0, 0}));
  EXPECT_EQ(Permutahedron::ranking(3).w, (Numbers{3, 2, 1}));
  expect_close(Permutahedron::full_ranking(3).w, {3. / 6, 2. / 6, 1. / 6}, 1e-16, "full ranking");
  expect_close(Permutahedron::partial_ranking(4, 2).w, {2. / 3, 1. / 3, 0, 0}, 1e-16, "partial ranking");
  EXPECT_THAT(message_of([] { Permutahedron::k_subsets(3, 4); }),
              testing::HasSubstr("k is 4; expected a number in 1..3"));
}

TEST(Permutahedron, RanksAndBack) {
  const Permutahedron set{{10, 1, 5, 0}};
  const std::vector<int> ranks{1, 0, 3, 2};
  const Structure y = set.structure(ranks);
  Numbers dense(4);
  write(y, dense);
  EXPECT_EQ(dense, (Numbers{5, 10, 0, 1}));
  EXPECT_EQ(set.ranks(y), ranks);
  EXPECT_EQ((Permutahedron{{2, 2, 1}}.ranks(Permutahedron{{2, 2, 1}}.structure(std::vector<int>{1, 0, 2}))),
            (std::vector<int>{0, 1, 2}));
  EXPECT_THAT(message_of([&] {
                set.structure(std::vector<int>{0, 1});
              }),
              testing::HasSubstr("there are 2 ranks; expected 4"));
  for (const auto& wrong : std::vector<std::vector<int>>{{0, 0, 1, 2}, {0, 1, 2, 4}, {-1, 0, 1, 2}}) {
    EXPECT_THAT(message_of([&] { set.structure(wrong); }), testing::HasSubstr("a permutation of 0 to 3"));
  }
}

TEST(Permutahedron, TiesGoToTheFirst) {
  Structure y;
  const Permutahedron set{{1, 3, 2}};  // in no order
  EXPECT_EQ(set.map(Numbers{5, 5, 7}, y, thread_workspace()), 36);
  EXPECT_EQ(dense(y, 3), (Numbers{2, 1, 3}));
  EXPECT_EQ(set.map(Numbers{0.0, -0.0, 0.0}, y, thread_workspace()), 0);
  EXPECT_EQ(dense(y, 3), (Numbers{3, 2, 1}));
}

TEST(Permutahedron, OrderedWeightedAverages) {
  EXPECT_EQ(Permutahedron::top_one(3).owa(Numbers{1, 5, 2}, thread_workspace()), 5);  // the maximum
  EXPECT_NEAR((Permutahedron{{0.25, 0.25, 0.25, 0.25}}.owa(Numbers{1, 5, 2, 4}, thread_workspace())), 3,
              1e-15);
  EXPECT_EQ((Permutahedron{{0, 0, 1, 0, 0}}.owa(Numbers{9, 1, 4, 3, 8}, thread_workspace())),
            9);  // w is sorted
}

// From far to near the regularization goes from one block to d blocks; every stage against the variational
// inequality with its MAP oracle (which has been tested against enumeration).
TEST(Permutahedron, LargeProjectionsAreOptimal) {
  Random random(5);
  for (const std::size_t d : {63UL, 64UL, 200UL, 1000UL, 40000UL}) {
    const Permutahedron set = Permutahedron::ranking(d);
    for (const double scale : {1e-3, 1.0, 0.1 * static_cast<double>(d), static_cast<double>(d), 1e6}) {
      const Numbers theta = random_scores(random, d, scale);
      const Numbers mu = project(set, theta);
      EXPECT_NO_THROW(set.check_point("mu", mu));
      const Numbers residual = moved(theta, -1, mu);
      const double gap = set.owa(residual, thread_workspace()) - product(residual, mu);
      // Rounding of a sum of d products.
      const double rounding = 1e-13 * static_cast<double>(d) * largest(residual) * largest(mu);
      EXPECT_LE(std::abs(gap), rounding) << d << " " << scale;
      const Numbers scores = moved(Numbers(d), 1 / scale, theta);
      const Numbers kl = project_kl(set, scores);
      Numbers slopes = scores;
      for (std::size_t i = 0; i < d; ++i) slopes[i] -= std::log(kl[i]);
      EXPECT_NEAR(set.owa(slopes, thread_workspace()), product(slopes, kl),
                  1e-13 * static_cast<double>(d) * largest(slopes) * largest(kl));
      EXPECT_NO_THROW(set.check_point("kl", kl));
    }
  }
}

// ‖w‖ is what counts, not ‖θ‖: the shift by 1e6 and scores far apart leave twelve digits.
TEST(Permutahedron, ShiftsAndSpreadsCostNothing) {
  const Permutahedron set = Permutahedron::full_ranking(5);
  const Numbers theta{0.3125, -0.25, 0.125, 0.34375, -0.0625};
  const Numbers expected = project(set, theta);
  const Numbers expected_kl = project_kl(set, theta);
  Numbers moved_theta = theta;
  for (double& entry : moved_theta) entry += 1048576;  // exact for these scores
  EXPECT_EQ(project(set, moved_theta), expected);
  EXPECT_EQ(project_kl(set, moved_theta), expected_kl);
  const Numbers spread{1e6, -1e6, 0, 5e5, -5e5};
  Numbers sorted = set.w;
  EXPECT_EQ(project(set, spread), (Numbers{sorted[0], sorted[4], sorted[2], sorted[1], sorted[3]}));
  EXPECT_EQ(project_kl(set, spread), project(set, spread));
}

// The same projection with and without the shortcut that skips the sort.
TEST(Permutahedron, OneBlockNeedsNoSort) {
  Random random(6);
  const Permutahedron set = Permutahedron::ranking(300);
  const Numbers theta = random_scores(random, 300, 1);
  const Numbers mu = project(set, theta);
  double mean = 0;
  for (const double entry : theta) mean += entry / 300;
  for (std::size_t i = 0; i < 300; ++i) EXPECT_NEAR(mu[i], theta[i] - mean + 150.5, 1e-12);
  const Numbers v = random_scores(random, 300, 1);
  expect_projection_jacobians(set, theta, v);
}

TEST(Permutahedron, LargeJacobians) {
  Random random(7);
  const Permutahedron set = Permutahedron::ranking(150);
  for (const double scale : {1.0, 30.0, 100.0}) {
    const Numbers theta = random_scores(random, 150, scale);
    const Numbers mu = project(set, theta);
    const Numbers v = random_scores(random, 150, 1);
    Numbers once(150);
    Numbers twice(150);
    set.project_jvp(theta, mu, v, once, thread_workspace());
    set.project_jvp(theta, mu, once, twice, thread_workspace());
    expect_close(twice, once, 1e-12, "a projection has an idempotent Jacobian");
    expect_projection_jacobians(set, theta, v);
  }
}

TEST(Permutahedron, ZeroWeightsAreShared) {
  // w = (1, 0, …, 0): the simplex, where the entropic projection is softmax.
  const Numbers theta{1, -2, 0.5, 700};
  const Numbers mu = project_kl(Permutahedron::top_one(4), theta);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(mu[i], std::exp(theta[i] - 700), 1e-15);
  EXPECT_EQ(project_kl(Permutahedron{{0, 0}}, Numbers{3, 4}), (Numbers{0, 0}));
}

TEST(Permutahedron, BestOfManyItems) {
  Random random(8);
  const std::size_t d = 200;
  const Permutahedron set = Permutahedron::ranking(d);
  const Numbers theta = random_scores(random, d, 1);
  std::vector<Structure> structures;
  set.k_best(theta, 500, structures, thread_workspace());
  ASSERT_EQ(structures.size(), 500);
  for (std::size_t i = 1; i < structures.size(); ++i) {
    EXPECT_LE(product(theta, dense(structures[i], d)), product(theta, dense(structures[i - 1], d)) + 1e-9);
    EXPECT_NE(structures[i], structures[i - 1]);
  }
}

TEST(Permutahedron, Points) {
  const Permutahedron set{{1, 2, 3}};
  EXPECT_TRUE(set.is_vertex(Numbers{2, 3, 1}));
  EXPECT_FALSE(set.is_vertex(Numbers{2, 2, 2}));
  EXPECT_NO_THROW(set.check_point("y", Numbers{2, 2, 2}));
  EXPECT_THAT(message_of([&] {
                set.check_point("y", Numbers{4, 1, 1});
              }),
              testing::HasSubstr("the 1 largest entries sum to 4; those of w only to 3"));
  EXPECT_THAT(message_of([&] {
                set.check_point("y", Numbers{1, 1, 1});
              }),
              testing::HasSubstr("sums to 3; expected 6"));
  EXPECT_THAT(message_of([&] {
                set.check_point("y", Numbers{1, 1});
              }),
              testing::HasSubstr("2 entries; expected 3"));
  EXPECT_THAT(message_of([] { Permutahedron{{}}.check(); }), testing::HasSubstr("w is empty"));
  EXPECT_THAT(message_of([] {
                Permutahedron{{1, std::nan("")}}.check();
              }),
              testing::HasSubstr("w[1] is nan"));
}

TEST(Permutahedron, GoldenValues) {
  int checked = 0;
  for (const GoldenSet& golden : golden_over("permutahedron")) {
    const Permutahedron& set = *golden.set.get_if<Permutahedron>();
    if (golden.op != "predict") continue;
    Numbers mu(golden.theta.size());
    if (golden.omega == "sparsemap") mu = project(set, golden.theta);
    if (golden.omega == "entropic") mu = project_kl(set, golden.theta);
    if (golden.omega == "map") {
      Structure y;
      set.map(golden.theta, y, thread_workspace());
      mu = dense(y, golden.theta.size());
    }
    expect_close(mu, golden.expect, 1e-12, golden.id);
    ++checked;
  }
  EXPECT_GT(checked, 5);
}

}  // namespace
}  // namespace fenchel::test
