// SPDX-License-Identifier: Apache-2.0
// Eisner's recursions on every instruction set, against plain loops over the same formulas.
#include "kernels/eisner.hpp"

#include <gtest/gtest.h>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/projective_tree.hpp"
#include "kernels/reference.hpp"

namespace fenchel::test {
namespace {

using Vector = std::vector<double>;

// right(0, n) in (+, ·), or in (max, +).
double plain_total(const ProjectiveTree& set, const Vector& weights, bool real) {
  const std::size_t size = set.n + 1;
  auto times = [&](double x, double y) { return real ? x * y : x + y; };
  auto plus = [&](double x, double y) { return real ? x + y : std::max(x, y); };
  Vector right(size * size, real ? 0 : -infinity);
  Vector left = right;
  Vector arcs = right;
  for (std::size_t s = 0; s < size; ++s) right[s * size + s] = left[s * size + s] = real ? 1 : 0;
  auto weight = [&](std::size_t h, std::size_t m) {
    if (m == 0) return real ? 0 : -infinity;
    return weights[(h == 0 ? m - 1 : h - 1) * set.n + m - 1];
  };
  for (std::size_t width = 1; width < size; ++width) {
    for (std::size_t s = 0; s + width < size; ++s) {
      const std::size_t t = s + width;
      double join = real ? 0 : -infinity;
      for (std::size_t r = s; r < (set.single_root && s == 0 ? 1 : t); ++r) {
        join = plus(join, times(right[s * size + r], left[(r + 1) * size + t]));
      }
      arcs[s * size + t] = times(weight(s, t), join);
      arcs[t * size + s] = times(weight(t, s), join);
      for (std::size_t r = s; r < t; ++r) {
        double& to_right = right[s * size + t];
        double& to_left = left[s * size + t];
        to_right = plus(to_right, times(arcs[s * size + r + 1], right[(r + 1) * size + t]));
        to_left = plus(to_left, times(left[s * size + r], arcs[t * size + r]));
      }
    }
  }
  return right[set.n];
}

Vector random_scores(Random& random, std::size_t size) {
  Vector theta(size);
  for (double& score : theta) score = random.uniform() < 0.05 ? -infinity : random.normal();
  return theta;
}

TEST(EisnerKernel, TotalsOnEveryTarget) {
  for_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    Random random(1);
    Workspace scratch;
    for (std::size_t n = 1; n <= 14; ++n) {
      const ProjectiveTree set{n, n % 3 == 0};
      const Vector theta = random_scores(random, n * n);
      Vector weights(theta);
      for (double& weight : weights) weight = std::exp(weight);
      const double total = plain_total(set, weights, true);
      Structure y;
      EXPECT_NEAR(std::exp(set.log_partition(theta, scratch)), total, 1e-12 * total);
      EXPECT_DOUBLE_EQ(set.map(theta, y, scratch), plain_total(set, theta, false));
    }
  });
}

// P(h→m) = ∂log Z/∂θ(h, m) = w ∂Z/∂w / Z, and Z is linear in each weight: exact from two sums.
Vector plain_marginals(const ProjectiveTree& set, const Vector& theta) {
  Vector weights(theta);
  for (double& weight : weights) weight = std::exp(weight);
  const double total = plain_total(set, weights, true);
  Vector mu(theta.size());
  for (std::size_t i = 0; i < theta.size(); ++i) {
    Vector without = weights;
    without[i] = 0;
    mu[i] = 1 - plain_total(set, without, true) / total;
  }
  return mu;
}

TEST(EisnerKernel, DerivativesOnEveryTarget) {
  for_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    Random random(2);
    Workspace scratch;
    for (const std::size_t n : {1, 3, 6, 9, 12}) {
      const ProjectiveTree set{n, n % 2 == 0};
      const std::size_t d = n * n;
      Vector theta = random_scores(random, 2 * d);
      // The second row leaves the plain range: words 0 and 1 prefer each other as head, which is impossible.
      std::copy_n(theta.begin(), d, theta.begin() + static_cast<std::ptrdiff_t>(d));
      const Vector first(theta.begin(), theta.begin() + static_cast<std::ptrdiff_t>(d));
      if (n > 1) theta[d + 1] = theta[d + n] = 2000;
      const Vector second(theta.begin() + static_cast<std::ptrdiff_t>(d), theta.end());
      Vector mu(2 * d);
      Vector log_partitions(2);
      set.marginals_block({theta.data(), 2, d}, {mu.data(), 2, d}, log_partitions, scratch);
      const Vector expected = plain_marginals(set, first);
      Vector alone(d);
      set.marginals(first, alone, scratch);
      for (std::size_t i = 0; i < d; ++i) {
        EXPECT_NEAR(mu[i], expected[i], 1e-12);
        EXPECT_NEAR(alone[i], expected[i], 1e-12);
      }
      // The Jacobian is symmetric and its columns sum to zero over each word's heads, in both forms of the
      // sums.
      for (const Vector& scores : {first, second}) {
        set.marginals(scores, alone, scratch);
        const Vector u = random_scores(random, d);
        Vector finite = u;
        for (double& entry : finite) entry = entry == -infinity ? 0.5 : entry;
        Vector v(d);
        v[d - 1] = 1;
        Vector along_u(d);
        Vector along_v(d);
        set.marginals_jvp(scores, alone, finite, along_u, scratch);
        set.marginals_jvp(scores, alone, v, along_v, scratch);
        double product = 0;
        for (std::size_t i = 0; i < d; ++i) product += finite[i] * along_v[i];
        EXPECT_NEAR(product, along_u[d - 1], 1e-12);
        for (std::size_t m = 0; m < n; ++m) {
          double sum = 0;
          for (std::size_t h = 0; h < n; ++h) sum += along_u[h * n + m];
          EXPECT_NEAR(sum, 0, 1e-12);
        }
      }
    }
  });
}

}  // namespace
}  // namespace fenchel::test
