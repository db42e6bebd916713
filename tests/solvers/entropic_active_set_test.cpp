// SPDX-License-Identifier: Apache-2.0
// The Kullback-Leibler projection by a MAP oracle alone: closed forms, the sets with an algorithm of their
// own, optimality over every structure at every scale of the scores, Jacobian products, masks, warm starts.
#include "solvers/entropic_active_set.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "solvers/enumerated.hpp"
#include "structures.hpp"

namespace fenchel::test {
namespace {

struct Solution {
  Report report;
  Mixture mixture;
  Vector mu;
};

template <class Oracle>
Solution solve(const Oracle& map, const Vector& theta, Mixture start = {}) {
  Solution result;
  result.mixture = std::move(start);
  result.mu.assign(theta.size(), 7);
  result.report = EntropicActiveSet{}.minimize(theta, map, result.mixture, result.mu, thread_workspace());
  return result;
}

auto oracle_of(const AnyPolytope& set) {
  return [&set](std::span<const double> scores, Structure& best) {
    return set.map(scores, best, thread_workspace());
  };
}

std::vector<AnyPolytope> iterative_sets() {
  return {Sequence{3, 3}, Sequence{2, 4}, Chain{3, 3}, Arborescence{4}, ProjectiveTree{4}, Alignment{4, 4}};
}

// ⟨θ, μ⟩ − Σ μ log μ.
double gain(const Vector& theta, const Vector& mu) {
  double sum = 0;
  for (std::size_t j = 0; j < mu.size(); ++j) sum += mu[j] > 0 ? theta[j] * mu[j] - xlogx(mu[j]) : 0;
  return sum;
}

TEST(EntropicActiveSet, SimplexIsSoftmax) {
  Random random(1);
  for (const double scale : {0.05, 1.0, 8.0, 50.0, 1e3, 1e6}) {
    const Vector theta = normal_vector(random, 9, scale);
    Vector expected = theta;
    const double top = max_of(theta);
    for (double& entry : expected) entry = std::exp(entry - top);
    expected = scaled(expected, 1 / sum_of_entries(expected));
    const Solution solution = solve(simplex(9), theta);
    EXPECT_TRUE(solution.report.converged()) << scale;
    EXPECT_LE(max_difference(solution.mu, expected), 1e-10) << scale;
  }
}

TEST(EntropicActiveSet, AgreesWithSetsThatHaveTheirOwn) {
  Random random(2);
  for (const AnyPolytope& set : std::vector<AnyPolytope>{Birkhoff{4}, KSubsets{7, 3}, Simplex{5}}) {
    for (const double scale : {0.05, 1.0, 8.0, 50.0}) {
      const Vector theta = normal_vector(random, set.dimension(), scale);
      const Solution solution = solve(oracle_of(set), theta);
      EXPECT_TRUE(solution.report.converged()) << set.traits().name << scale;
      EXPECT_LE(max_difference(solution.mu, predict(Entropic{set}, theta)), 2e-7)
          << set.traits().name << scale;
    }
  }
}

// No structure gains: steps of every size from μ towards each of them, and μ is a mixture.
TEST(EntropicActiveSet, NothingIsLeftToGain) {
  Random random(3);
  for (const AnyPolytope& set : iterative_sets()) {
    for (const double scale : {0.05, 1.0, 8.0, 50.0, 300.0, 1e3}) {
      SCOPED_TRACE(testing::Message() << set.traits().name << " " << scale);
      const Vector theta = normal_vector(random, set.dimension(), scale);
      const Solution solution = solve(oracle_of(set), theta);
      EXPECT_TRUE(solution.report.converged());
      EXPECT_LE(solution.report.residual, 2e-11 * (1 + 5 * scale));
      EXPECT_LE(solution.mixture.size(), set.dimension() + 1);
      Vector dense(theta.size());
      write(solution.mixture, dense);
      EXPECT_LE(max_difference(dense, solution.mu), 1e-14);
      EXPECT_NEAR(sum_of_entries(solution.mixture.weights), 1, 1e-13);
      const double reached = gain(theta, solution.mu);
      for (int k = 0; k < 40; ++k) {
        const Vector y = random_vertex(set, random);
        for (const double step : {1.0, 1e-2, 1e-4, 1e-6}) {
          const Vector moved_there = moved(scaled(solution.mu, 1 - step), step, y);
          EXPECT_LE(gain(theta, moved_there), reached + 1e-11 * (1 + scale));
        }
      }
    }
  }
}

// Large sets and scores, in a time that a method of exploding cost would miss by orders of magnitude.
TEST(EntropicActiveSet, LargeSetsConvergeFast) {
  Random random(4);
  for (const AnyPolytope& set :
       std::vector<AnyPolytope>{Sequence{10, 5}, Arborescence{10}, Alignment{8, 8}, Chain{10, 4}}) {
    const Vector theta = normal_vector(random, set.dimension(), 50);
    const auto start = std::chrono::steady_clock::now();
    Vector mu(theta.size());
    const Report report = Entropic{set}.predict(theta, mu, thread_workspace());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_TRUE(report.converged()) << set.traits().name;
    EXPECT_LE(report.residual, 1e-8) << set.traits().name;
    EXPECT_LT(seconds.count(), 5) << set.traits().name;
  }
}

// The implicit formula against differences of the prediction.
TEST(EntropicActiveSet, JacobianProducts) {
  Random random(5);
  for (const AnyPolytope& set : iterative_sets()) {
    for (const double scale : {0.3, 1.0, 3.0}) {
      const Vector theta = normal_vector(random, set.dimension(), scale);
      const Vector v = normal_vector(random, set.dimension());
      const double step = 1e-4;
      const Vector above = solve(oracle_of(set), moved(theta, step, v)).mu;
      const Vector below = solve(oracle_of(set), moved(theta, -step, v)).mu;
      const Vector expected = scaled(moved(above, -1, below), 0.5 / step);
      EXPECT_LE(max_difference(jvp(Entropic{set}, theta, v), expected), 1e-5) << set.traits().name << scale;
    }
  }
}

// Solutions on faces of the set, which structures off the face approach with weights of the tolerance.
TEST(EntropicActiveSet, JacobianProductsOnFaces) {
  Random random(7);
  for (const AnyPolytope& set : std::initializer_list<AnyPolytope>{
           Arborescence{3}, Arborescence{4}, ProjectiveTree{4}, Alignment{3, 3, 1}, Alignment{5, 3, 1}}) {
    int kinks = 0;
    for (int run = 0; run < 120; ++run) {
      const Vector theta = normal_vector(random, set.dimension(), run % 2 == 0 ? 0.5 : 1.5);
      const Vector v = normal_vector(random, set.dimension());
      const auto difference = [&](double step) {
        const Vector above = solve(oracle_of(set), moved(theta, step, v)).mu;
        const Vector below = solve(oracle_of(set), moved(theta, -step, v)).mu;
        return scaled(moved(above, -1, below), 0.5 / step);
      };
      const Vector expected = difference(1e-5);
      if (max_difference(expected, difference(1e-6)) > 1e-4) {  // another face is near
        ++kinks;
        continue;
      }
      EXPECT_LE(max_difference(jvp(Entropic{set}, theta, v), expected), 1e-4) << set.traits().name << run;
    }
    EXPECT_LE(kinks, 3) << set.traits().name;
  }
}

// Where the set knows its own Jacobian, to more digits than differences have.
TEST(EntropicActiveSet, JacobianProductsOfTheSimplex) {
  Random random(6);
  for (const double scale : {0.05, 1.0, 8.0}) {
    const Vector theta = normal_vector(random, 8, scale), v = normal_vector(random, 8);
    const Solution solution = solve(simplex(8), theta);
    Vector out(8);
    entropic_active_set_jvp(theta, solution.mixture, v, out, thread_workspace());
    EXPECT_LE(max_difference(out, jvp(Shannon{}, theta, v)), 1e-9) << scale;
  }
}

TEST(EntropicActiveSet, MasksWarmStartsAndBudgets) {
  Random random(7);
  const AnyPolytope set = Arborescence{4};
  Vector theta = normal_vector(random, 16);
  theta[1] = theta[6] = mask;
  const Solution solution = solve(oracle_of(set), theta);
  EXPECT_TRUE(solution.report.converged());
  EXPECT_EQ(solution.mu[1], 0);
  EXPECT_EQ(solution.mu[6], 0);
  const Solution again = solve(oracle_of(set), theta, solution.mixture);
  EXPECT_TRUE(again.report.converged());
  EXPECT_LE(max_difference(again.mu, solution.mu), 1e-9);
  const Vector none(16, mask);
  EXPECT_EQ(solve(oracle_of(set), none).report.residual, infinity);
  EXPECT_THROW(predict(Entropic{set}, none), std::invalid_argument);
  Mixture mixture;
  Vector mu(16);
  const Report cut =
      EntropicActiveSet{.max_iterations = 5}.minimize(theta, oracle_of(set), mixture, mu, thread_workspace());
  EXPECT_EQ(cut.status, Status::max_iterations);
  EXPECT_GT(cut.residual, 1e-6);
}

}  // namespace
}  // namespace fenchel::test
