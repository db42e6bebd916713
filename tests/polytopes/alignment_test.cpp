// SPDX-License-Identifier: Apache-2.0
// Alignments against the enumeration of all paths, and large ones against sums in long double.
#include "fenchel/polytopes/alignment.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "messages.hpp"
#include "polytopes/alignment_reference.hpp"
#include "polytopes/chi_squared.hpp"

namespace fenchel::test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

std::vector<Alignment> small_sets() {
  std::vector<Alignment> sets = Alignment::examples();
  for (const std::size_t band : {0U, 1U, 2U, 3U}) {
    sets.push_back({.m = 2, .n = 6, .band = band});
    sets.push_back({.m = 6, .n = 5, .band = band});
    sets.push_back({.m = 1, .n = 7, .band = band});
  }
  return sets;
}

std::string describe(const Alignment& set, double scale) {
  return std::to_string(set.m) + " x " + std::to_string(set.n) + " band " + std::to_string(set.band) +
         " scale " + std::to_string(scale);
}

/// Every oracle at one θ against the enumeration.
void expect_oracles(const Alignment& set, const Numbers& theta, const std::string& what) {
  SCOPED_TRACE(what);
  Workspace scratch;
  const AlignmentEnumeration all(set, theta);
  Numbers mu(set.dimension());
  Structure best;
  const double log_z = set.marginals(theta, mu, scratch);
  const double value = set.map(theta, best, scratch);
  EXPECT_EQ(set.log_partition(theta, scratch), log_z);
  if (all.paths.empty()) {
    EXPECT_EQ(log_z, -inf);
    EXPECT_EQ(value, -inf);
    std::vector<Structure> none(3);
    set.k_best(theta, 5, none, scratch);
    EXPECT_TRUE(none.empty());
    return;
  }
  const auto size = static_cast<double>(std::abs(all.log_partition));
  EXPECT_NEAR(log_z, static_cast<double>(all.log_partition), 1e-14 * (1 + size));
  EXPECT_LE(largest_error(mu, all.mean), 1e-14);
  for (std::size_t k = 0; k < mu.size(); ++k) {
    if (all.mean[k] == 0) {
      EXPECT_EQ(mu[k], 0) << k;
    }
  }
  const auto top = static_cast<double>(all.paths.front().score);
  EXPECT_NEAR(value, top, 1e-14 * (1 + std::abs(top)));
  EXPECT_EQ(dot(best, theta), value);
  EXPECT_EQ(set.structure(set.cells(best)), best);
  set.check_point("mu", mu);

  Random random(5);
  const Numbers v = normal_scores(random, theta.size(), 1);
  Numbers product(theta.size());
  set.marginals_jvp(theta, mu, v, product, scratch);
  EXPECT_LE(largest_error(product, all.covariance_times(v)), 2e-14);
}

TEST(Alignment, MatchesEnumeration) {
  Random random(1);
  for (const Alignment& set : small_sets()) {
    for (const double scale : {0.0, 0.05, 1.0, 8.0, 1e3}) {
      for (int seed = 0; seed < 2; ++seed) {
        const Numbers theta = normal_scores(random, set.dimension(), scale);
        expect_oracles(set, theta, describe(set, scale));
        expect_oracles(set, with_masked(random, theta, 0.15), describe(set, scale) + " masked");
      }
    }
    Numbers shifted = normal_scores(random, set.dimension(), 1);
    for (double& score : shifted) score += 1e6;
    expect_oracles(set, shifted, describe(set, 1) + " shifted");
    expect_oracles(set, Numbers(set.dimension(), masked_score), describe(set, 0) + " all masked");
  }
}

TEST(Alignment, BandHoldsTheCellsOfItsDefinition) {
  for (std::size_t m = 1; m <= 9; ++m) {
    for (std::size_t n = 1; n <= 9; ++n) {
      for (std::size_t band = 0; band <= 10; ++band) {
        const Alignment set{.m = m, .n = n, .band = band};
        for (std::size_t i = 0; i < m; ++i) {
          const auto [begin, end] = set.columns(i);
          for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(in_band(set, i, j), j >= begin && j < end);
        }
        EXPECT_GT(set.log_partition(Numbers(m * n), thread_workspace()), -inf);
      }
    }
  }
}

TEST(Alignment, BestPathsComeInOrderAndOnce) {
  Random random(2);
  Workspace scratch;
  for (const Alignment& set : small_sets()) {
    for (const double scale : {0.0, 1.0, 1e3}) {
      const Numbers theta = with_masked(random, normal_scores(random, set.dimension(), scale), 0.05);
      const AlignmentEnumeration all(set, theta);
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{7}, all.paths.size() + 10}) {
        std::vector<Structure> best(2);
        set.k_best(theta, k, best, scratch);
        ASSERT_EQ(best.size(), std::min(k, all.paths.size())) << describe(set, scale);
        std::set<std::vector<std::uint32_t>> seen;
        for (std::size_t r = 0; r < best.size(); ++r) {
          const auto score = static_cast<double>(all.paths[r].score);
          EXPECT_NEAR(dot(best[r], theta), score, 1e-14 * (1 + scale + std::abs(score)));
          EXPECT_EQ(set.structure(set.cells(best[r])), best[r]);
          EXPECT_TRUE(seen.insert(best[r].indices).second);
        }
      }
    }
  }
}

TEST(Alignment, ManyBestPathsOfALargeGrid) {
  // Far too many paths to list, all with the same score: nothing may depend on their number.
  const Alignment set{.m = 60, .n = 70};
  std::vector<Structure> best;
  set.k_best(Numbers(set.dimension(), 0.1), 300, best, thread_workspace());
  ASSERT_EQ(best.size(), 300U);
  std::set<std::vector<std::uint32_t>> seen;
  for (const Structure& path : best) EXPECT_TRUE(seen.insert(path.indices).second);
  EXPECT_EQ(best.front().size(), 129U);  // the longest paths score highest
  EXPECT_EQ(best.back().size(), 129U);
}

void expect_samples(const Alignment& set, const Numbers& theta, std::uint64_t seed) {
  const AlignmentEnumeration all(set, theta);
  std::map<std::vector<std::uint32_t>, std::size_t> counts;
  Random random(seed);
  std::vector<Structure> draws(20000);
  set.sample(theta, random, draws, thread_workspace());
  for (const Structure& draw : draws) ++counts[draw.indices];
  double statistic = 0;
  double rest_expected = 0;
  std::size_t rest_count = draws.size();
  std::size_t cells = 0;
  for (const ScoredPath& path : all.paths) {
    const double expected = static_cast<double>(path.probability) * static_cast<double>(draws.size());
    if (expected < 5) {
      rest_expected += expected;
      continue;
    }
    const std::size_t count = counts[path.cells];
    rest_count -= count;
    statistic += std::pow(static_cast<double>(count) - expected, 2) / expected;
    ++cells;
  }
  if (rest_expected > 5) {
    statistic += std::pow(static_cast<double>(rest_count) - rest_expected, 2) / rest_expected;
    ++cells;
  }
  ASSERT_GT(cells, 3U);
  EXPECT_GT(chi_squared_tail(statistic, static_cast<double>(cells - 1)), 1e-4);
}

TEST(Alignment, SamplesFollowTheDistribution) {
  Random random(3);
  for (const Alignment& set :
       {Alignment{.m = 4, .n = 4}, Alignment{.m = 3, .n = 5}, Alignment{.m = 5, .n = 5, .band = 1}}) {
    const Numbers theta = normal_scores(random, set.dimension(), 1);
    expect_samples(set, theta, 11);
    Numbers with_mask = theta;
    with_mask[1] = masked_score;
    expect_samples(set, with_mask, 12);
  }
  const Alignment set{.m = 3, .n = 3};
  Structure draw;
  draw.indices = {7};
  set.sample(Numbers(9, masked_score), random, {&draw, 1}, thread_workspace());
  EXPECT_EQ(draw.size(), 0U);
}

TEST(Alignment, DerivativesAreDifferences) {
  Random random(4);
  Workspace scratch;
  for (const Alignment& set : {Alignment{.m = 23, .n = 31}, Alignment{.m = 140, .n = 135, .band = 6}}) {
    const Numbers theta = normal_scores(random, set.dimension(), 1);
    const Numbers v = normal_scores(random, set.dimension(), 1);
    Numbers mu(theta.size());
    Numbers product(theta.size());
    set.marginals(theta, mu, scratch);
    set.marginals_jvp(theta, mu, v, product, scratch);
    constexpr double h = 1e-4;  // balances h² of the difference with 1e-13/h of rounding
    Numbers forward = theta;
    Numbers backward = theta;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      forward[k] += h * v[k];
      backward[k] -= h * v[k];
    }
    Numbers mu_forward(theta.size());
    Numbers mu_backward(theta.size());
    const double slope =
        (set.marginals(forward, mu_forward, scratch) - set.marginals(backward, mu_backward, scratch)) /
        (2 * h);
    double expected = 0;
    double error = 0;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      expected += mu[k] * v[k];
      error = std::max(error, std::abs(product[k] - (mu_forward[k] - mu_backward[k]) / (2 * h)));
    }
    EXPECT_NEAR(slope, expected, 1e-5);
    EXPECT_LE(error, 1e-5);
  }
}

TEST(Alignment, LargeGridsMatchSumsInLongDouble) {
  Random random(6);
  Workspace scratch;
  for (const Alignment& set :
       {Alignment{.m = 257, .n = 140}, Alignment{.m = 130, .n = 300},
        Alignment{.m = 300, .n = 300, .band = 9}, Alignment{.m = 400, .n = 131, .band = 2}}) {
    for (const double scale : {1.0, 1e3}) {
      const Numbers theta = with_masked(random, normal_scores(random, set.dimension(), scale), 0.01);
      const AlignmentSums expected(set, theta);
      Numbers mu(theta.size());
      const double log_z = set.marginals(theta, mu, scratch);
      EXPECT_NEAR(log_z / static_cast<double>(expected.log_partition), 1, 1e-14) << describe(set, scale);
      EXPECT_LE(largest_error(mu, expected.mean), 1e-12) << describe(set, scale);
    }
  }
}

TEST(Alignment, FiniteScoresOfAnySizeGiveNumbers) {
  Random random(7);
  Workspace scratch;
  const Alignment set{.m = 6, .n = 5};
  for (const double size : {1e9, 1e18, 1e200, 1e300, 1.7e308}) {
    Numbers theta = normal_scores(random, set.dimension(), 1);
    for (double& score : theta) score = score > 0.5 ? size : score < -0.5 ? -size : score;
    Numbers mu(theta.size());
    Numbers product(theta.size());
    std::vector<Structure> best;
    EXPECT_FALSE(std::isnan(set.marginals(theta, mu, scratch)));
    set.marginals_jvp(theta, mu, Numbers(theta.size(), 1), product, scratch);
    for (const double entry : mu) EXPECT_TRUE(entry >= 0 && entry <= 1 + 1e-12) << entry;
    for (const double entry : product) EXPECT_TRUE(std::isfinite(entry)) << entry;
    set.k_best(with_masked(random, theta, 0.1), 50, best, scratch);
    for (const Structure& path : best) EXPECT_EQ(set.structure(set.cells(path)), path);
    if (size < 1e10) {  // beyond it, sums in long double have no digits left for small scores
      const AlignmentEnumeration all(set, theta);
      EXPECT_LE(largest_error(mu, all.mean), 1e-8);
    }
  }
}

TEST(Alignment, RefusesBadParametersAndPoints) {
  EXPECT_NE(message_of([] { Alignment{.m = 0, .n = 2}.check(); }).find("m is 0"), std::string::npos);
  EXPECT_NE(message_of([] { Alignment{.m = 2, .n = 0}.check(); }).find("n is 0"), std::string::npos);
  EXPECT_NE(message_of([] { Alignment{.m = 1 << 17, .n = 1 << 17}.check(); }).find("2^32"),
            std::string::npos);
  EXPECT_NE(message_of([] { Alignment{.m = std::size_t{1} << 63, .n = 4}.check(); }).find("2^32"),
            std::string::npos);
  const Alignment set{.m = 3, .n = 3, .band = 1};
  const auto complaint = [&](const Numbers& mu) { return message_of([&] { set.check_point("y", mu); }); };
  EXPECT_EQ(complaint({1, 0.5, 0, 0.5, 1, 0, 0, 0.25, 1}), "");
  EXPECT_NE(complaint({1, 0, 0, 0, 1, 0, 0, 0}).find("y"), std::string::npos);
  EXPECT_NE(complaint({1, 1.5, 0, 0, 1, 0, 0, 0, 1}).find("y[0, 1] is 1.5"), std::string::npos);
  EXPECT_NE(complaint({1, 0, NAN, 0, 1, 0, 0, 0, 1}).find("y[0, 2] is nan"), std::string::npos);
  EXPECT_NE(complaint({1, 0, 0.5, 0, 1, 0, 0, 0, 1}).find("band"), std::string::npos);
  EXPECT_NE(complaint({1, 0.5, 0, 0.5, 0, 0, 0, 0.5, 1}).find("row 1"), std::string::npos);
  EXPECT_NE(complaint({1, 0, 0, 1, 0, 0.2, 0, 0.8, 1}).find("column 1"), std::string::npos);
  EXPECT_NE(complaint({0.5, 0.5, 0, 1, 1, 0, 0, 0, 1}).find("corner"), std::string::npos);
}

TEST(Alignment, EncodesPathsAndRefusesOthers) {
  using Cells = std::vector<Alignment::Cell>;
  const Alignment set{.m = 3, .n = 3, .band = 1};
  const Cells path{{0, 0}, {0, 1}, {1, 1}, {2, 2}};
  const Structure y = set.structure(path);
  EXPECT_EQ(y.indices, (std::vector<std::uint32_t>{0, 1, 4, 8}));
  EXPECT_EQ(set.cells(y), path);
  EXPECT_EQ(set.structure(std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2}), y);
  EXPECT_NE(message_of([&] {
              static_cast<void>(set.structure(std::vector<int>{0, 0, -1, 1, 2, 2}));
            }).find("(-1, 1); expected no negative numbers"),
            std::string::npos);
  const auto complaint = [&](const Cells& cells) {
    return message_of([&] { static_cast<void>(set.structure(cells)); });
  };
  EXPECT_NE(complaint({}).find("from (0, 0) to (2, 2)"), std::string::npos);
  EXPECT_NE(complaint({{0, 0}, {1, 1}}).find("from (0, 0) to (2, 2)"), std::string::npos);
  EXPECT_NE(complaint({{0, 0}, {2, 2}}).find("moves are"), std::string::npos);
  EXPECT_NE(complaint({{0, 0}, {1, 1}, {1, 0}, {2, 1}, {2, 2}}).find("moves are"), std::string::npos);
  EXPECT_NE(complaint({{0, 0}, {0, 0}, {1, 1}, {2, 2}}).find("moves are"), std::string::npos);
  EXPECT_NE(complaint({{0, 0}, {0, 1}, {0, 2}, {1, 2}, {2, 2}}).find("outside the band"), std::string::npos);
  const auto refuses = [&](const Structure& bad) {
    return message_of([&] { static_cast<void>(set.cells(bad)); });
  };
  EXPECT_NE(refuses({{0, 4, 9}, {}}).find("expected below 9"), std::string::npos);
  EXPECT_NE(refuses({{0, 4, 8}, {1, 0.5, 1}}).find("expected 1"), std::string::npos);
}

TEST(Alignment, GoldenCases) {
  std::ifstream stream(std::string(FENCHEL_GOLDEN_DIR) + "/structured.jsonl");
  std::size_t count = 0;
  for (std::string line; std::getline(stream, line);) {
    const auto golden = nlohmann::json::parse(line);
    const auto& omega = golden["omega"];
    if (!omega.contains("polytope") || omega["polytope"]["name"] != "alignment" || omega.contains("cost"))
      continue;
    const Alignment set{.m = omega["polytope"]["m"], .n = omega["polytope"]["n"]};
    const auto theta = golden["theta"].get<Numbers>();
    Numbers out(theta.size());
    if (omega["name"] == "marginal" && golden["op"] == "conjugate") {
      EXPECT_NEAR(set.log_partition(theta, thread_workspace()), golden["expect"].get<double>(), 1e-13);
    } else if (omega["name"] == "marginal" && golden["op"] == "predict") {
      set.marginals(theta, out, thread_workspace());
      const auto expected = golden["expect"].get<Numbers>();
      for (std::size_t k = 0; k < out.size(); ++k) EXPECT_NEAR(out[k], expected[k], 1e-14);
    } else if (omega["name"] == "map" && golden["op"] == "predict") {
      Structure best;
      set.map(theta, best, thread_workspace());
      write(best, out);
      EXPECT_EQ(out, golden["expect"].get<Numbers>());
    } else {
      continue;
    }
    ++count;
  }
  EXPECT_GE(count, 9U);
}

}  // namespace
}  // namespace fenchel::test
