// SPDX-License-Identifier: Apache-2.0
// Conditional gradient methods over conv(Y) and over the cone of Y, on sets given by their vertices: every
// variant and step rule against closed forms, against the active set method, and by optimality over every
// vertex.
#include "fenchel/solvers/conditional_gradient.hpp"

#include <gtest/gtest.h>

#include "fenchel/polytopes/projections.hpp"
#include "solvers/enumerated.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using Variant = ConditionalGradientVariant;
using Step = ConditionalGradientStep;
using Gradient = std::span<double>;
using Point = std::span<const double>;

constexpr Variant linear_variants[] = {Variant::away, Variant::pairwise, Variant::fully_corrective};

struct Solution {
  Report report;
  Mixture mixture;
  Vector mu;
};

template <class F>
Solution solve(F f, const Enumerated& set, const ConditionalGradient& solver, Mixture start = {}) {
  Solution result;
  result.mixture = std::move(start);
  result.mu.assign(set.dimension(), 7);
  result.report = solver.minimize(f, set, result.mixture, result.mu, thread_workspace());
  return result;
}

template <class F>
Solution solve_cone(F f, const Enumerated& set, const ConditionalGradient& solver, Mixture start = {}) {
  Solution result;
  result.mixture = std::move(start);
  result.mu.assign(set.dimension(), 7);
  result.report = solver.minimize_over_cone(f, set, result.mixture, result.mu, thread_workspace());
  return result;
}

auto distance(const Vector& theta) {
  return [&theta](Point mu, Gradient gradient) {
    double sum = 0;
    for (std::size_t j = 0; j < mu.size(); ++j) {
      gradient[j] = mu[j] - theta[j];
      sum += 0.5 * gradient[j] * gradient[j];
    }
    return sum;
  };
}

// Σ μ log μ − ⟨θ, μ⟩, with a gradient of −inf at 0 and no value below it; masked scores have a gradient of
// +inf.
auto entropic(const Vector& theta) {
  return [&theta](Point mu, Gradient gradient) {
    double sum = 0;
    for (std::size_t j = 0; j < mu.size(); ++j) {
      gradient[j] = theta[j] == mask ? infinity : std::log(mu[j]) + 1 - theta[j];
      sum += mu[j] == 0 ? 0 : mu[j] * std::log(mu[j]) - theta[j] * mu[j];
    }
    return sum;
  };
}

Vector softmax(Vector theta) {
  const double top = max_of(theta);
  for (double& entry : theta) entry = std::exp(entry - top);
  return scaled(theta, 1 / sum_of_entries(theta));
}

// ½⟨μ, Q μ⟩ − ⟨θ, μ⟩ with Q = I + Σ a aᵀ.
struct Quadratic {
  std::vector<Vector> rows;
  Vector theta;

  double operator()(Point mu, Gradient gradient) const {
    double sum = 0;
    for (std::size_t j = 0; j < mu.size(); ++j) {
      gradient[j] = mu[j] - theta[j];
      sum += 0.5 * mu[j] * mu[j] - theta[j] * mu[j];
    }
    for (const Vector& a : rows) {
      const double product = dot_masked(a, mu);
      sum += 0.5 * product * product;
      for (std::size_t j = 0; j < mu.size(); ++j) gradient[j] += product * a[j];
    }
    return sum;
  }
};

Quadratic quadratic(Random& random, std::size_t d) {
  Quadratic f{{}, normal_vector(random, d, 2)};
  for (int k = 0; k < 3; ++k) f.rows.push_back(normal_vector(random, d, 1.5));
  return f;
}

// max over the vertices of ⟨−∇f, y − μ⟩.
template <class F>
double gap(F f, const Enumerated& set, const Vector& mu) {
  Vector gradient(mu.size());
  f(mu, gradient);
  double top = mask;
  for (const Vector& y : set.vertices) {
    double sum = 0;
    for (std::size_t j = 0; j < mu.size(); ++j) {
      if (y[j] != mu[j]) sum -= gradient[j] * (y[j] - mu[j]);
    }
    top = std::max(top, sum);
  }
  return top;
}

std::vector<Enumerated> sets() {
  Random random(21);
  return {simplex(1),
          simplex(6),
          cube(4),
          birkhoff(4),
          sequences(3, 3),
          alignments(3, 4),
          cloud(random, 20, 4, 4),
          cloud(random, 20, 6, 2),
          permutahedron({2, 1, 0, -1})};
}

void expect_mixture(const Solution& solution, bool sums_to_one) {
  Vector dense(solution.mu.size());
  write(solution.mixture, dense);
  EXPECT_LE(max_difference(dense, solution.mu), 1e-14 * (1 + max_abs(dense)));
  for (const double weight : solution.mixture.weights) EXPECT_GT(weight, 0);
  if (sums_to_one) {
    EXPECT_NEAR(sum_of_entries(solution.mixture.weights), 1, 1e-13);
  }
}

TEST(ConditionalGradient, DistancesAgreeWithTheActiveSet) {
  Random random(22);
  for (const Enumerated& set : sets()) {
    const Vector theta = normal_vector(random, set.dimension());
    Mixture mixture;
    Vector expected(set.dimension());
    ActiveSet{}.minimize(theta, set, mixture, expected, thread_workspace());
    for (const Variant variant : linear_variants) {
      for (const Step step : {Step::exact, Step::adaptive, Step::curvature}) {
        const Solution solution = solve(distance(theta), set, {.variant = variant, .step = step});
        SCOPED_TRACE(testing::Message() << int(variant) << int(step) << " |Y|=" << set.vertices.size());
        EXPECT_TRUE(solution.report.converged()) << solution.report.residual;
        EXPECT_LE(gap(distance(theta), set, solution.mu), 2e-10);
        EXPECT_LE(max_difference(solution.mu, expected), 1e-5);
        expect_mixture(solution, true);
      }
    }
  }
}

TEST(ConditionalGradient, QuadraticsToTheGap) {
  Random random(23);
  for (const Enumerated& set : sets()) {
    const Quadratic f = quadratic(random, set.dimension());
    for (const Variant variant : linear_variants) {
      for (const Step step : {Step::exact, Step::adaptive}) {
        set.calls = 0;
        const Solution solution = solve(f, set, {.variant = variant, .step = step, .tolerance = 1e-9});
        SCOPED_TRACE(testing::Message() << int(variant) << int(step) << " |Y|=" << set.vertices.size());
        EXPECT_TRUE(solution.report.converged()) << solution.report.residual;
        EXPECT_EQ(solution.report.iterations, set.calls);
        EXPECT_LE(gap(f, set, solution.mu), 2e-9);
        expect_mixture(solution, true);
        if (variant == Variant::fully_corrective) {
          EXPECT_LE(set.calls, 3 * static_cast<int>(set.dimension()) + 5);
        }
      }
    }
  }
}

TEST(ConditionalGradient, ClassicStepsConverge) {
  Random random(24);
  const Enumerated set = birkhoff(3);
  const Vector theta = normal_vector(random, 9, 0.2);
  Mixture mixture;
  Vector expected(9);
  ActiveSet{}.minimize(theta, set, mixture, expected, thread_workspace());
  for (const Step step : {Step::open_loop, Step::exact, Step::adaptive, Step::curvature}) {
    const Solution solution =
        solve(distance(theta), set, {.variant = Variant::classic, .step = step, .tolerance = 1e-3});
    EXPECT_TRUE(solution.report.converged()) << int(step);
    EXPECT_LE(max_difference(solution.mu, expected), 0.05);
    expect_mixture(solution, true);
  }
}

TEST(ConditionalGradient, EntropyOverTheSimplexIsSoftmax) {
  Random random(25);
  for (const double scale : {0.05, 1.0, 8.0}) {
    const Vector theta = normal_vector(random, 8, scale);
    const Vector expected = softmax(theta);
    for (const Variant variant : linear_variants) {
      for (const Step step : {Step::exact, Step::adaptive}) {
        if (step == Step::adaptive && scale > 1) continue;  // one curvature does not fit all of it
        const Solution solution = solve(entropic(theta), simplex(8), {.variant = variant, .step = step});
        EXPECT_TRUE(solution.report.converged())
            << int(variant) << int(step) << " " << scale << " " << solution.report.residual;
        EXPECT_LE(max_difference(solution.mu, expected), 3e-5);
      }
    }
    const Solution tight = solve(entropic(theta), simplex(8), {.tolerance = 1e-13});
    EXPECT_LE(max_difference(tight.mu, expected), 1e-7) << scale;
    EXPECT_LE(tight.report.iterations, 20);
  }
}

// Probabilities far below what f can resolve, and masks.
TEST(ConditionalGradient, EntropyWithTinyProbabilitiesAndMasks) {
  const Vector theta{0, 1, -40, -900, mask, 2};
  const Vector expected = softmax(theta);
  for (const Variant variant : linear_variants) {
    const Solution solution = solve(entropic(theta), simplex(6), {.variant = variant});
    EXPECT_LE(max_difference(solution.mu, expected), 1e-5) << int(variant);
    EXPECT_EQ(solution.mu[4], 0);
    EXPECT_LT(solution.report.iterations, 2000);
  }
  const Vector none(3, mask);
  EXPECT_EQ(solve(entropic(none), simplex(3), {}).report.status, Status::stalled);
}

TEST(ConditionalGradient, EntropyOverStructures) {
  Random random(26);
  for (const Enumerated& set : {cube(3), birkhoff(3), sequences(3, 2), alignments(3, 3)}) {
    const Vector theta = normal_vector(random, set.dimension());
    for (const Variant variant : linear_variants) {
      const Solution solution = solve(entropic(theta), set, {.variant = variant, .tolerance = 1e-8});
      EXPECT_TRUE(solution.report.converged()) << int(variant) << " " << solution.report.residual;
      EXPECT_LE(gap(entropic(theta), set, solution.mu), 2e-8);
      expect_mixture(solution, true);
    }
  }
}

// −Σ log μ is infinite at every vertex: the method has to find the inside first.
TEST(ConditionalGradient, StartsOutsideTheDomain) {
  const auto barrier = [](Point mu, Gradient gradient) {
    double sum = 0;
    for (std::size_t j = 0; j < mu.size(); ++j) {
      gradient[j] = -1 / mu[j];
      sum -= std::log(mu[j]);
    }
    return sum;
  };
  for (const Variant variant : linear_variants) {
    const Solution solution = solve(barrier, simplex(5), {.variant = variant});
    EXPECT_TRUE(solution.report.converged()) << int(variant) << " " << solution.report.residual;
    EXPECT_LE(max_difference(solution.mu, Vector(5, 0.2)), 1e-6);
  }
  EXPECT_EQ(solve(barrier, Enumerated{{{1, 0}}}, {}).report.status, Status::stalled);
}

TEST(ConditionalGradient, WarmStartsBudgetsAndNan) {
  Random random(27);
  for (const Enumerated& set : sets()) {
    const Quadratic f = quadratic(random, set.dimension());
    for (const Variant variant : linear_variants) {
      const Solution cold = solve(f, set, {.variant = variant, .tolerance = 1e-9});
      EXPECT_LE(solve(f, set, {.variant = variant, .tolerance = 1.01e-9}, cold.mixture).report.iterations, 2);
    }
  }
  const Enumerated set = birkhoff(4);
  const Quadratic f = quadratic(random, 16);
  for (const int budget : {1, 3}) {
    const Solution solution = solve(f, set, {.variant = Variant::pairwise, .max_iterations = budget});
    EXPECT_EQ(solution.report.status, Status::max_iterations);
    EXPECT_EQ(solution.report.iterations, budget);
  }
  const auto broken = [](Point, Gradient gradient) {
    std::ranges::fill(gradient, std::nan(""));
    return std::nan("");
  };
  for (const Variant variant : linear_variants) {
    EXPECT_EQ(solve(broken, set, {.variant = variant}).report.status, Status::stalled);
    EXPECT_EQ(solve_cone(broken, set, {.variant = variant}).report.status, Status::stalled);
  }
}

TEST(ConicHull, TheOrthantGivesReluAndExp) {
  Random random(28);
  for (const double scale : {0.05, 1.0, 8.0}) {
    const Vector theta = normal_vector(random, 7, scale);
    const auto poisson = [&](Point mu, Gradient gradient) {
      double sum = 0;
      for (std::size_t j = 0; j < mu.size(); ++j) {
        gradient[j] = std::log(mu[j]) - 0.3 * theta[j];
        sum += xlogx(mu[j]) - mu[j] - 0.3 * theta[j] * mu[j];
      }
      return sum;
    };
    for (const Variant variant : linear_variants) {
      const Solution relu = solve_cone(distance(theta), simplex(7), {.variant = variant});
      EXPECT_TRUE(relu.report.converged()) << int(variant) << " " << relu.report.residual;
      for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(relu.mu[j], std::max(theta[j], 0.0), 1e-8);
      expect_mixture(relu, false);
      const Solution counts = solve_cone(poisson, simplex(7), {.variant = variant});
      EXPECT_TRUE(counts.report.converged()) << int(variant) << " " << counts.report.residual;
      for (std::size_t j = 0; j < 7; ++j) {
        EXPECT_NEAR(counts.mu[j], std::exp(0.3 * theta[j]), 1e-6 * std::exp(0.3 * theta[j])) << scale;
      }
    }
  }
}

// Non-negative least squares: the conditions of optimality over every vertex.
TEST(ConicHull, NonNegativeLeastSquares) {
  Random random(29);
  for (const Enumerated& set : sets()) {
    for (int seed = 0; seed < 4; ++seed) {
      const Quadratic f = quadratic(random, set.dimension());
      for (const Variant variant : linear_variants) {
        const Solution solution = solve_cone(f, set, {.variant = variant, .tolerance = 1e-9});
        SCOPED_TRACE(testing::Message() << int(variant) << " |Y|=" << set.vertices.size());
        EXPECT_TRUE(solution.report.converged())
            << solution.report.residual << " " << to_string(solution.report.status);
        Vector gradient(set.dimension());
        f(solution.mu, gradient);
        for (const Vector& y : set.vertices) EXPECT_GE(dot(gradient, y), -2e-9);
        EXPECT_NEAR(dot(gradient, solution.mu), 0, 2e-9);
        expect_mixture(solution, false);
        const Solution again =
            solve_cone(f, set, {.variant = variant, .tolerance = 1.01e-9}, solution.mixture);
        EXPECT_LE(again.report.iterations, 2);
      }
      const Solution matching = solve_cone(f, set, {.variant = Variant::classic, .tolerance = 0.1});
      EXPECT_TRUE(matching.report.converged()) << matching.report.residual;
    }
  }
}

TEST(ConicHull, ZeroIsASolution) {
  const Vector theta{-1, -2, -0.5};
  for (const Variant variant : linear_variants) {
    const Solution solution = solve_cone(distance(theta), simplex(3), {.variant = variant});
    EXPECT_TRUE(solution.report.converged());
    EXPECT_EQ(solution.report.iterations, 1);
    EXPECT_EQ(solution.mixture.size(), 0U);
    EXPECT_EQ(solution.mu, Vector(3, 0.0));
  }
}

}  // namespace
}  // namespace fenchel::test
