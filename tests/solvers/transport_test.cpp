// SPDX-License-Identifier: Apache-2.0
// The network simplex against its dual certificate, and small problems against the enumeration of basic
// plans.
#include "solvers/transport.hpp"

#include <optional>
#include <string>

#include "solvers/plan_reference.hpp"

namespace fenchel::test::plans {
namespace {

struct Solved {
  Structure plan;
  Numbers mu, row_prices, column_prices;
  double score = 0;
};

Solved solve(const Numbers& theta, const Numbers& a, const Numbers& b) {
  Workspace scratch;
  Solved solved{{}, Numbers(theta.size()), Numbers(a.size()), Numbers(b.size())};
  solved.score =
      solve_transport(theta, a, b, {solved.plan, solved.row_prices, solved.column_prices}, scratch);
  if (solved.score > masked) write(solved.plan, solved.mu);
  return solved;
}

void expect_certified(const Numbers& theta, const Numbers& a, const Numbers& b, const Solved& solved) {
  const double mass = std::accumulate(a.begin(), a.end(), 0.0);
  const double size = 1 + largest_finite(theta);
  const double tolerance = 1e-13 * size * static_cast<double>(a.size() + b.size());
  EXPECT_LE(violation(solved.mu, a, b), 1e-13 * mass);
  EXPECT_NEAR(product(theta, solved.mu), solved.score, tolerance * mass);
  double dual = 0;
  for (std::size_t i = 0; i < a.size(); ++i) dual += a[i] * solved.row_prices[i];
  for (std::size_t j = 0; j < b.size(); ++j) dual += b[j] * solved.column_prices[j];
  EXPECT_NEAR(dual, solved.score, tolerance * mass);
  for (std::size_t k = 0; k < theta.size(); ++k) {
    const double price = solved.row_prices[k / b.size()] + solved.column_prices[k % b.size()];
    ASSERT_LE(theta[k], price + tolerance) << k;
  }
  EXPECT_LT(solved.plan.size(), a.size() + b.size());  // a forest
}

/// The plan whose positive entries are within the chosen ones, if there is exactly one: Gaussian elimination.
std::optional<Numbers> plan_on(const std::vector<std::size_t>& chosen, const Numbers& a, const Numbers& b) {
  Numbers left(a);
  left.insert(left.end(), b.begin(), b.end());
  Numbers mu(a.size() * b.size());
  std::vector<std::size_t> rest(chosen);
  while (!rest.empty()) {  // leaf by leaf; a cycle has none
    bool found = false;
    for (std::size_t x = 0; x < rest.size() && !found; ++x) {
      const std::size_t ends[] = {rest[x] / b.size(), a.size() + rest[x] % b.size()};
      for (const std::size_t end : ends) {
        const auto uses = std::ranges::count_if(rest, [&](std::size_t entry) {
          return entry / b.size() == end || a.size() + entry % b.size() == end;
        });
        if (uses != 1 || found) continue;
        const double mass = left[end];
        mu[rest[x]] = mass;
        left[ends[0]] -= mass;
        left[ends[1]] -= mass;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(x));
        found = true;
      }
    }
    if (!found) return std::nullopt;
  }
  if (std::ranges::any_of(left, [](double mass) { return std::abs(mass) > 1e-12; })) return std::nullopt;
  if (std::ranges::any_of(mu, [](double mass) { return mass < -1e-12; })) return std::nullopt;
  return mu;
}

/// max ⟨θ, μ⟩ over every basic plan that avoids the masks.
double best_by_enumeration(const Numbers& theta, const Numbers& a, const Numbers& b) {
  double best = masked;
  for (std::uint32_t subset = 0; subset < (1U << theta.size()); ++subset) {
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      if ((subset >> k & 1U) != 0) chosen.push_back(k);
    }
    if (chosen.size() >= a.size() + b.size()) continue;
    if (const auto mu = plan_on(chosen, a, b)) best = std::max(best, product(theta, *mu));
  }
  return best;
}

TEST(TransportSolver, BestOfAllBasicPlans) {
  Random random(1);
  for (int run = 0; run < 12; ++run) {
    const std::size_t rows = 1 + random.below(3);
    const std::size_t columns = 1 + random.below(3);
    const Numbers a = random_sums(random, rows, 1.5, run % 4 == 3);
    const Numbers b = random_sums(random, columns, 1.5);
    Numbers theta = random_scores(random, rows * columns, 2);
    if (run % 3 == 1) {
      for (double& entry : theta) entry = random.uniform() < 0.3 ? masked : entry;
    }
    const double best = best_by_enumeration(theta, a, b);
    const Solved solved = solve(theta, a, b);
    if (best == masked) {
      EXPECT_EQ(solved.score, masked);
      continue;
    }
    EXPECT_NEAR(solved.score, best, 1e-12);
    expect_certified(theta, a, b, solved);
  }
}

TEST(TransportSolver, LargeProblemsAreCertified) {
  Random random(2);
  for (const double scale : {0.05, 1.0, 1e3, 1e6}) {
    for (const bool zeros : {false, true}) {
      const Numbers a = random_sums(random, 30, 7, zeros);
      const Numbers b = random_sums(random, 41, 7, zeros);
      Numbers theta = random_scores(random, a.size() * b.size(), scale);
      expect_certified(theta, a, b, solve(theta, a, b));
      for (double& entry : theta) entry = random.uniform() < 0.5 ? masked : entry + 1e6;
      const Solved solved = solve(theta, a, b);
      ASSERT_GT(solved.score, masked);
      expect_certified(theta, a, b, solved);
    }
  }
}

TEST(TransportSolver, EqualSumsAreAnAssignment) {
  Random random(3);
  const Numbers theta = random_scores(random, 25, 1);
  const Solved solved = solve(theta, Numbers(5, 0.5), Numbers(5, 0.5));
  EXPECT_NEAR(solved.score, 0.5 * permutations(theta, 5).front().score, 1e-14);
  expect_certified(theta, Numbers(5, 0.5), Numbers(5, 0.5), solved);
}

// Parts that no plan connects, and one entry that no plan can use: prices stay bounded.
TEST(TransportSolver, DisconnectedPartsKeepTheirDigits) {
  const Numbers theta{1, 2, masked, masked, 3, masked, masked, masked, 4};
  const Numbers sums{1, 1, 2};
  const Solved solved = solve(theta, sums, sums);
  EXPECT_NEAR(solved.score, 12, 1e-12);
  expect_certified(theta, sums, sums, solved);
  EXPECT_LT(largest_finite(solved.row_prices), 100);
}

TEST(TransportSolver, MasksThatLeaveNoPlan) {
  EXPECT_EQ(solve({1, masked, 1, masked}, {1, 1}, {1, 1}).score, masked);
  EXPECT_EQ(solve({1, masked, 1, 1}, {1.5, 0.5}, {1, 1}).score, masked);
  EXPECT_EQ(solve({1, 1, masked, masked}, {2, 0}, {1.25, 0.75}).score, 2);
}

TEST(TransportSolver, TinyAndLargeMasses) {
  Random random(4);
  for (const double total : {1e-200, 1e-3, 1e200}) {
    const Numbers a = random_sums(random, 4, total);
    const Numbers b = random_sums(random, 6, total);
    const Numbers theta = random_scores(random, 24, 1);
    expect_certified(theta, a, b, solve(theta, a, b));
  }
}

}  // namespace
}  // namespace fenchel::test::plans
