// SPDX-License-Identifier: Apache-2.0
// What the tests of matchings and transport plans share: random scores and sums, enumeration of permutations,
// and certificates of optimality that do not depend on how a plan was found.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "solvers/transport.hpp"

namespace fenchel::test::plans {

using Numbers = std::vector<double>;

inline constexpr double masked = -std::numeric_limits<double>::infinity();

inline Numbers random_scores(Random& random, std::size_t size, double scale) {
  Numbers theta(size);
  for (double& entry : theta) entry = scale * random.normal();
  return theta;
}

/// Positive sums with a given total; every third is 0 if wanted.
inline Numbers random_sums(Random& random, std::size_t size, double total, bool zeros = false) {
  Numbers sums(size);
  for (std::size_t i = 0; i < size; ++i) sums[i] = zeros && i % 3 == 1 ? 0 : 0.05 + random.uniform();
  const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  for (double& entry : sums) entry *= total / sum;
  return sums;
}

inline double largest_finite(const Numbers& values) {
  double top = 0;
  for (const double value : values) top = std::isfinite(value) ? std::max(top, std::abs(value)) : top;
  return top;
}

/// ⟨θ, y⟩ where masks meet no mass.
inline double product(const Numbers& theta, const Numbers& y) {
  double sum = 0;
  for (std::size_t k = 0; k < y.size(); ++k) sum += y[k] == 0 ? 0 : theta[k] * y[k];
  return sum;
}

/// Every permutation of n, with its score, best first.
struct Scored {
  double score;
  std::vector<int> columns;
};
inline std::vector<Scored> permutations(const Numbers& theta, std::size_t n) {
  std::vector<Scored> all;
  std::vector<int> columns(n);
  std::iota(columns.begin(), columns.end(), 0);
  do {
    double score = 0;
    for (std::size_t i = 0; i < n; ++i) score += theta[i * n + static_cast<std::size_t>(columns[i])];
    if (score > masked) all.push_back({score, columns});
  } while (std::next_permutation(columns.begin(), columns.end()));
  std::stable_sort(all.begin(), all.end(),
                   [](const Scored& x, const Scored& y) { return x.score > y.score; });
  return all;
}

/// Σ|row sums − a| + Σ|column sums − b|, and infinity where an entry is negative or not a number.
inline double violation(const Numbers& mu, const Numbers& a, const Numbers& b) {
  double total = 0;
  Numbers column_sums(b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const double entry = mu[i * b.size() + j];
      if (!(entry >= 0)) return -masked;
      sum += entry;
      column_sums[j] += entry;
    }
    total += std::abs(sum - a[i]);
  }
  for (std::size_t j = 0; j < b.size(); ++j) total += std::abs(column_sums[j] - b[j]);
  return total;
}

/// max over plans z of ⟨gradient, z − μ⟩: 0 at a maximiser of a concave function with this gradient.
inline double linear_gap(const Numbers& gradient, const Numbers& mu, const Numbers& a, const Numbers& b) {
  Workspace scratch;
  Structure plan;
  Numbers row_prices(a.size());
  Numbers column_prices(b.size());
  const double best = solve_transport(gradient, a, b, {plan, row_prices, column_prices}, scratch);
  return best - product(gradient, mu);
}

/// The gradient of ⟨θ, μ⟩ − ½‖μ‖².
inline Numbers quadratic_gradient(const Numbers& theta, const Numbers& mu) {
  Numbers gradient(theta);
  for (std::size_t k = 0; k < mu.size(); ++k) gradient[k] -= mu[k];
  return gradient;
}

/// The gradient of ⟨θ, μ⟩ − Σ μ log μ, up to constants; where an entry has underflowed, a bound below it.
inline Numbers entropic_gradient(const Numbers& theta, const Numbers& mu) {
  Numbers gradient(theta);
  for (std::size_t k = 0; k < mu.size(); ++k) {
    gradient[k] = mu[k] > 0 ? gradient[k] - std::log(mu[k]) : masked;
  }
  return gradient;
}

}  // namespace fenchel::test::plans
