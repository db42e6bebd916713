// SPDX-License-Identifier: Apache-2.0
// Sequences against the enumeration of all of them.
#include "fenchel/polytopes/sequence.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "polytopes/chain_reference.hpp"

namespace fenchel::test {
namespace {

TEST(Sequence, MatchesEnumeration) { expect_examples<Sequence>(); }

TEST(Sequence, MatchesEnumerationForEveryRowLength) {
  Random random(3);
  for (std::size_t m = 1; m <= 13; ++m) {
    const Sequence set{.n = 3, .m = m};
    expect_inference(set, random_numbers(random, set.dimension(), 2), 1e-13, "m=" + std::to_string(m));
    expect_inference(set, random_numbers(random, set.dimension(), 400), 1e-12, "m=" + std::to_string(m));
  }
}

TEST(Sequence, DerivativesAreDifferences) {
  expect_derivatives(Sequence{.n = 30, .m = 7}, 1);
  expect_derivatives(Sequence{.n = 12, .m = 10}, 3);
  expect_derivatives(Sequence{.n = 6, .m = 3}, 150);  // in the log domain
}

TEST(Sequence, SamplesFollowTheDistribution) {
  Random random(2);
  const Sequence set{.n = 4, .m = 3};
  expect_samples(set, random_numbers(random, set.dimension(), 1), 1);
  expect_samples(set, with_masks(random, random_numbers(random, set.dimension(), 1), 0.1), 2);
}

TEST(Sequence, IgnoresWhatCannotPrecedeTheFirstStep) {
  Random random(4);
  const Sequence set{.n = 3, .m = 4};
  const Numbers theta = random_numbers(random, set.dimension(), 1);
  const Numbers mu = marginals_of(set, theta);
  for (const double strange : {masked, 1e300, -1e300, 1e5}) {
    Numbers changed = theta;
    for (std::size_t i = 0; i < set.m; ++i) {
      for (std::size_t j = 1; j < set.m; ++j) changed[i * set.m + j] = strange;
    }
    EXPECT_EQ(marginals_of(set, changed), mu);
    Structure a;
    Structure b;
    EXPECT_EQ(set.map(theta, a, thread_workspace()), set.map(changed, b, thread_workspace()));
    EXPECT_EQ(a, b);
    for (double& entry : changed) entry *= 1000;  // the log domain
    Numbers scaled = theta;
    for (double& entry : scaled) entry *= 1000;
    EXPECT_EQ(marginals_of(set, changed), marginals_of(set, scaled));
  }
}

// Only left-to-right moves, and the way to the last state is unlikely at every step: α underflows long before
// its end, which the one path that is allowed to end there needs.
TEST(Sequence, LongMaskedChainsDoNotUnderflow) {
  const Sequence set{.n = 60, .m = 2};
  Numbers theta(set.dimension(), masked);
  for (std::size_t t = 0; t < set.n; ++t) {
    double* step = theta.data() + t * 4;
    if (t == 0) step[0] = 0, step[2] = 0;
    if (t > 0) step[0] = 0, step[3] = -50;
    if (t + 1 == set.n) step[0] = masked;
  }
  Numbers mu(set.dimension());
  EXPECT_NEAR(set.marginals(theta, mu, thread_workspace()), -50.0 * 59, 1e-10);
  for (std::size_t t = 1; t < set.n; ++t) EXPECT_NEAR(mu[t * 4 + 3], 1, 1e-15);
}

TEST(Sequence, HugeScoresGiveNoNan) {
  Random random(8);
  const Sequence set{.n = 5, .m = 4};
  for (const double scale : {1e6, 1e100, 1e300}) {
    const Numbers theta = random_numbers(random, set.dimension(), scale);
    for (const double entry : marginals_of(set, theta)) EXPECT_TRUE(entry >= 0 && entry <= 1 + 1e-12);
  }
}

TEST(Sequence, Golden) {
  std::ifstream stream(std::string(FENCHEL_GOLDEN_DIR) + "/structured.jsonl");
  int cases = 0;
  for (std::string line; std::getline(stream, line);) {
    const nlohmann::json golden = nlohmann::json::parse(line);
    const nlohmann::json& omega = golden["omega"];
    if (!omega.contains("polytope") || omega["polytope"]["name"] != "sequence") continue;
    const Sequence set{omega["polytope"]["n"], omega["polytope"]["m"]};
    const std::string key = omega["name"].get<std::string>() + " " + golden["op"].get<std::string>();
    Numbers theta;
    if (!golden.contains("theta") || omega.contains("temperature") || omega.contains("cost")) continue;
    for (const auto& entry : golden["theta"])
      theta.push_back(entry.is_string() ? masked : entry.get<double>());
    if (key == "marginal conjugate") {
      EXPECT_NEAR(set.log_partition(theta, thread_workspace()), golden["expect"].get<double>(), 1e-12)
          << golden["id"];
    } else if (key == "marginal predict") {
      EXPECT_LE(largest_difference(marginals_of(set, theta), golden["expect"].get<Numbers>()), 1e-13)
          << golden["id"];
    } else if (key == "map predict") {
      Structure best;
      set.map(theta, best, thread_workspace());
      EXPECT_EQ(dense(set, best), golden["expect"].get<Numbers>()) << golden["id"];
    } else {
      continue;
    }
    ++cases;
  }
  EXPECT_GE(cases, 6);
}

TEST(Sequence, TagsThereAndBack) {
  const Sequence set{.n = 3, .m = 4};
  for (const Tags& tags : all_tags(set.n, set.m)) EXPECT_EQ(set.tags(set.structure(tags)), tags);
  EXPECT_THROW(set.structure(Tags{0, 1}), std::invalid_argument);
  EXPECT_THROW(set.structure(Tags{0, 1, 4}), std::invalid_argument);
  EXPECT_THROW(set.structure(Tags{0, -1, 2}), std::invalid_argument);
  Structure y = set.structure(Tags{0, 1, 2});
  ++y.indices[1];
  EXPECT_THROW(set.tags(y), std::invalid_argument);
  y.indices.pop_back();
  EXPECT_THROW(set.tags(y), std::invalid_argument);
}

TEST(Sequence, ChecksParametersAndPoints) {
  EXPECT_THROW((Sequence{.n = 0, .m = 2}.check()), std::invalid_argument);
  EXPECT_THROW((Sequence{.n = 2, .m = 0}.check()), std::invalid_argument);
  EXPECT_THROW((Sequence{.n = 5, .m = 100000}.check()), std::invalid_argument);
  EXPECT_THROW((Sequence{.n = std::size_t{1} << 62, .m = 4}.check()), std::invalid_argument);
  const Sequence set{.n = 2, .m = 2};
  const Numbers vertex = vector_of(set, {1, 0});
  EXPECT_NO_THROW(set.check_point("mu", vertex));
  for (std::size_t k = 0; k < vertex.size(); ++k) {
    Numbers moved = vertex;
    moved[k] += 0.1;
    EXPECT_THROW(set.check_point("mu", moved), std::invalid_argument) << k;
    moved[k] = -0.1;
    EXPECT_THROW(set.check_point("mu", moved), std::invalid_argument) << k;
  }
}

}  // namespace
}  // namespace fenchel::test
