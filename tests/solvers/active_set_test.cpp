// SPDX-License-Identifier: Apache-2.0
// The active set method on polytopes given by their vertices: optimality by the Wolfe gap over every vertex,
// closed forms where there are some, degenerate sets, masks, warm starts, and the Jacobian by finite
// differences.
#include "fenchel/solvers/active_set.hpp"

#include <gtest/gtest.h>

#include "fenchel/polytopes/arborescence.hpp"
#include "fenchel/polytopes/projections.hpp"
#include "solvers/enumerated.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

struct Solution {
  Report report;
  Mixture mixture;
  Vector mu;
};

Solution solve(const Enumerated& set, const Vector& theta, Mixture start = {}, const ActiveSet& solver = {}) {
  Solution result;
  result.mixture = std::move(start);
  result.mu.assign(theta.size(), 7);
  result.report = solver.minimize(theta, set, result.mixture, result.mu, thread_workspace());
  return result;
}

// max over the vertices of ⟨θ − μ, y − μ⟩, which is 0 at the projection and positive elsewhere.
double wolfe_gap(const Enumerated& set, const Vector& theta, const Vector& mu) {
  double gap = mask;
  for (const Vector& y : set.vertices) {
    double sum = 0;
    for (std::size_t j = 0; j < mu.size(); ++j) {
      if (y[j] != mu[j]) sum += (theta[j] - mu[j]) * (y[j] - mu[j]);
    }
    gap = std::max(gap, sum);
  }
  return gap;
}

// How many of a mixture's structures are affinely independent, by Gram-Schmidt on (y, 1).
std::size_t affine_rank(const Mixture& mixture, std::size_t d) {
  std::vector<Vector> basis;
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    Vector y(d + 1);
    write(mixture.structures[i], std::span(y).first(d));
    y[d] = 1;
    const double before = std::sqrt(dot(y, y));
    for (int pass = 0; pass < 2; ++pass) {
      for (const Vector& b : basis) y = moved(y, -dot(y, b), b);
    }
    const double length = std::sqrt(dot(y, y));
    if (length > 1e-9 * before) basis.push_back(scaled(y, 1 / length));
  }
  return basis.size();
}

void expect_projection(const Enumerated& set, const Vector& theta, const Solution& solution) {
  const double size = 1 + max_abs(theta);
  EXPECT_TRUE(solution.report.converged()) << to_string(solution.report.status) << solution.report.residual;
  EXPECT_LE(solution.report.residual, 1e-12 * size);
  EXPECT_LE(wolfe_gap(set, theta, solution.mu), 2e-12 * size);
  EXPECT_NEAR(sum_of_entries(solution.mixture.weights), 1, 1e-14);
  for (const double weight : solution.mixture.weights) EXPECT_GT(weight, 0);
  Vector dense(theta.size());
  write(solution.mixture, dense);
  EXPECT_LE(max_difference(dense, solution.mu), 1e-15 * (1 + max_abs(dense)));
  EXPECT_EQ(affine_rank(solution.mixture, theta.size()), solution.mixture.size());
}

std::vector<Enumerated> sets() {
  Random random(11);
  std::vector<Enumerated> all{simplex(1),
                              simplex(7),
                              cube(1),
                              cube(6),
                              birkhoff(4),
                              permutahedron({3, 1, 0, -2.5, 7}),
                              sequences(1, 4),
                              sequences(5, 3),
                              permutahedron({1e6, 1e6 + 1, 1e6 + 3}),
                              alignments(4, 5),
                              alignments(1, 3),
                              cloud(random, 1, 4, 4),
                              cloud(random, 30, 5, 5),
                              cloud(random, 30, 8, 3),
                              cloud(random, 60, 3, 1)};
  return all;
}

// Scores around the level of the set's vertices.
Vector scores_for(const Enumerated& set, Random& random, double scale) {
  return shifted(normal_vector(random, set.dimension(), scale), set.vertices[0][0] > 1e5 ? 1e6 : 0);
}

TEST(ActiveSet, IsTheProjectionAtEveryScale) {
  for (const double scale : {0.05, 1.0, 8.0, 1e3}) {
    Random random(3);
    for (const Enumerated& set : sets()) {
      for (int seed = 0; seed < 10; ++seed) {
        SCOPED_TRACE(testing::Message()
                     << scale << " d=" << set.dimension() << " |Y|=" << set.vertices.size());
        const Vector theta = scores_for(set, random, scale);
        expect_projection(set, theta, solve(set, theta));
      }
    }
  }
}

TEST(ActiveSet, TiesAndVertices) {
  for (const Enumerated& set : sets()) {
    SCOPED_TRACE(testing::Message() << "d=" << set.dimension() << " |Y|=" << set.vertices.size());
    const double level = set.vertices[0][0] > 1e5 ? 1e6 : 0.25;
    const Vector equal(set.dimension(), level);
    expect_projection(set, equal, solve(set, equal));
    const Vector& y = set.vertices.back();
    expect_projection(set, y, solve(set, y));
    EXPECT_LE(max_difference(solve(set, y).mu, y), 1e-9 * (1 + max_abs(y)));
  }
}

TEST(ActiveSet, EqualsTheClosedForms) {
  Random random(5);
  for (const double scale : {0.05, 1.0, 8.0, 1e3}) {
    const Vector theta = normal_vector(random, 9, scale);
    Vector expected = theta;
    project_simplex(expected);
    EXPECT_LE(max_difference(solve(simplex(9), theta).mu, expected), 1e-12);
    expected = theta;
    project_box(expected, 0, 1);
    EXPECT_LE(max_difference(solve(cube(9), theta).mu, expected), 1e-11) << scale;
  }
}

TEST(ActiveSet, MasksAreNeverUsed) {
  Random random(6);
  for (const Enumerated& set : {simplex(6), sequences(4, 3), birkhoff(4), alignments(4, 4)}) {
    for (int seed = 0; seed < 20; ++seed) {
      Vector theta = normal_vector(random, set.dimension());
      const Solution before = solve(set, theta);
      for (int k = 0; k < 2; ++k) theta[1 + random.below(theta.size() - 2)] = mask;
      Enumerated allowed;
      for (const Vector& y : set.vertices) {
        if (Enumerated::score(y, theta) > mask) allowed.vertices.push_back(y);
      }
      if (allowed.vertices.empty()) continue;
      for (const Solution& solution : {solve(set, theta), solve(set, theta, before.mixture)}) {
        expect_projection(allowed, theta, solution);
        for (std::size_t j = 0; j < theta.size(); ++j) {
          if (theta[j] == mask) {
            EXPECT_EQ(solution.mu[j], 0);
          }
        }
      }
    }
  }
  const Solution none = solve(simplex(3), Vector(3, mask));
  EXPECT_EQ(none.report.status, Status::stalled);
  EXPECT_EQ(none.report.residual, infinity);
  EXPECT_EQ(none.mixture.size(), 0U);
  EXPECT_EQ(none.mu, Vector(3, 0.0));
}

TEST(ActiveSet, WarmStartsSaveCalls) {
  Random random(8);
  for (const Enumerated& set : sets()) {
    const Vector theta = scores_for(set, random, 1);
    const Solution cold = solve(set, theta);
    EXPECT_EQ(cold.report.iterations, set.calls);
    const Solution again = solve(set, theta, cold.mixture);
    EXPECT_LE(again.report.iterations, 2);
    EXPECT_LE(max_difference(again.mu, cold.mu), 1e-9 * (1 + max_abs(cold.mu)));
    const Vector close = moved(theta, 1e-3, normal_vector(random, theta.size()));
    expect_projection(set, close, solve(set, close, cold.mixture));
    const Vector far = scores_for(set, random, 8);
    expect_projection(set, far, solve(set, far, cold.mixture));
  }
}

// A guess with repeated and dependent structures, useless weights and fewer weights than structures.
TEST(ActiveSet, AnyGuessWillDo) {
  Random random(9);
  const Enumerated set = cube(3);
  const Vector theta = normal_vector(random, 3);
  Mixture guess;
  for (const Vector& y : set.vertices) {
    for (int copy = 0; copy < 2; ++copy) {
      guess.structures.emplace_back();
      assign(y, guess.structures.back());
      guess.weights.push_back(copy == 0 ? 0.3 : -1);
    }
  }
  guess.weights.pop_back();
  guess.weights[4] = 0;
  expect_projection(set, theta, solve(set, theta, guess));
}

TEST(ActiveSet, StopsAtItsBudgetAndAtNan) {
  Random random(10);
  const Enumerated set = birkhoff(5);
  const Vector theta = normal_vector(random, 25, 0.1);
  for (const int budget : {1, 2, 5}) {
    const Solution solution = solve(set, theta, {}, {.max_iterations = budget});
    EXPECT_EQ(solution.report.status, Status::max_iterations);
    EXPECT_EQ(solution.report.iterations, budget);
    EXPECT_GT(solution.report.residual, 1e-6);
    EXPECT_NEAR(sum_of_entries(solution.mixture.weights), 1, 1e-14);
  }
  EXPECT_FALSE(solve(set, Vector(25, std::nan(""))).report.converged());
  // This oracle skips a single NaN; others may return it.
  Vector broken = theta;
  broken[3] = std::nan("");
  EXPECT_LT(solve(set, broken).report.iterations, 100);
  const auto returns_nan = [](std::span<const double>, Structure& best) {
    best.indices = {3};
    return std::nan("");
  };
  Mixture mixture;
  Vector mu(25);
  EXPECT_EQ(ActiveSet{}.minimize(broken, returns_nan, mixture, mu, thread_workspace()).status,
            Status::stalled);
}

// Structures that are independent only in their last digits: the gap must still close.
TEST(ActiveSet, NearlyDependentStructures) {
  Random random(14);
  for (const double distance : {1e-5, 1e-7, 1e-9, 1e-12}) {
    Enumerated set = cloud(random, 30, 6, 6);
    const std::size_t count = set.vertices.size();
    for (std::size_t i = 0; i < count; ++i) {
      set.vertices.push_back(moved(set.vertices[i], distance, normal_vector(random, 6)));
    }
    for (const double scale : {1e-6, 1.0, 8.0}) {
      for (int seed = 0; seed < 10; ++seed) {
        const Vector theta = normal_vector(random, 6, scale);
        const Solution solution = solve(set, theta);
        EXPECT_LE(solution.report.residual, 1e-11) << distance << " " << scale;
        EXPECT_LE(wolfe_gap(set, theta, solution.mu), 1e-11);
        EXPECT_LE(solution.report.iterations, 100);
      }
    }
  }
}

// Sparse structures in many dimensions: k of d entries, whose oracle takes the k largest.
TEST(ActiveSet, ManyDimensions) {
  const std::size_t d = 100000, k = 20;
  Random random(12);
  const Vector theta = normal_vector(random, d, 2);
  std::vector<std::uint32_t> order(d);
  const auto oracle = [&](std::span<const double> scores, Structure& best) {
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::nth_element(order, order.begin() + k, [&](auto a, auto b) { return scores[a] > scores[b]; });
    best.clear();
    best.indices.assign(order.begin(), order.begin() + k);
    std::ranges::sort(best.indices);
    return dot(best, scores);
  };
  Mixture mixture;
  Vector mu(d);
  const Report report = ActiveSet{}.minimize(theta, oracle, mixture, mu, thread_workspace());
  EXPECT_TRUE(report.converged());
  EXPECT_LE(report.residual, 1e-10);
  // The projection onto {0 ≤ μ ≤ 1, Σμ = k} is clip(θ − τ, 0, 1).
  double tau = infinity;
  for (std::size_t j = 0; j < d; ++j) {
    if (mu[j] > 1e-9 && mu[j] < 1 - 1e-9) tau = theta[j] - mu[j];
  }
  ASSERT_LT(tau, infinity);
  for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(mu[j], std::clamp(theta[j] - tau, 0.0, 1.0), 1e-10);
}

TEST(ActiveSet, JacobianByFiniteDifferences) {
  Random random(13);
  for (const Enumerated& set : sets()) {
    for (int seed = 0; seed < 5; ++seed) {
      const Vector theta = scores_for(set, random, 1);
      const Vector v = normal_vector(random, set.dimension());
      const Solution at = solve(set, theta);
      const double h = 1e-6 * (1 + 0.1 * max_abs(theta));
      const Solution above = solve(set, moved(theta, h, v), at.mixture);
      const Solution below = solve(set, moved(theta, -h, v), at.mixture);
      Vector expected = scaled(moved(above.mu, -1, below.mu), 0.5 / h);
      Vector got(theta.size());
      active_set_jvp(at.mixture, v, got, thread_workspace());
      // Away from kinks the three points have the same structures, or as many on a face of the same
      // dimension.
      if (above.mixture.size() != at.mixture.size() || below.mixture.size() != at.mixture.size()) continue;
      EXPECT_LE(max_difference(got, expected), 1e-7);
      Vector twice = got;
      active_set_jvp(at.mixture, twice, twice, thread_workspace());
      EXPECT_LE(max_difference(got, twice), 1e-9) << "a projection is idempotent";
    }
  }
  Vector none(3, 1.0);
  active_set_jvp({}, none, none, thread_workspace());
  EXPECT_EQ(none, Vector(3, 0.0));
}

// The residuals that the factor carries along drift: with hundreds of trees, by more than the tolerance.
TEST(ActiveSet, IsNotHeldUpByRounding) {
  for (const std::uint64_t seed : {2, 9}) {
    Random random(seed);
    const Arborescence set{55, true};
    const Vector theta = normal_vector(random, set.dimension(), 0.05);
    const auto oracle = [&](std::span<const double> scores, Structure& best) {
      return set.map(scores, best, thread_workspace());
    };
    Mixture mixture;
    Vector mu(theta.size());
    const Report report = ActiveSet{}.minimize(theta, oracle, mixture, mu, thread_workspace());
    EXPECT_TRUE(report.converged());
    EXPECT_LT(report.iterations, 1200);
  }
}

}  // namespace
}  // namespace fenchel::test
