// SPDX-License-Identifier: Apache-2.0
// What the tests of alignments compare with, in long double and from the definitions: all paths one by one,
// and the dynamic programs with logarithms for grids with too many paths.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/alignment.hpp"

namespace fenchel::test {

using Numbers = std::vector<double>;
using LongNumbers = std::vector<long double>;

inline constexpr double masked_score = -std::numeric_limits<double>::infinity();

/// The definition of the band.
inline bool in_band(const Alignment& set, std::size_t i, std::size_t j) {
  if (set.band == 0) return true;
  const auto down = static_cast<long long>(i * (set.n - 1));
  const auto right = static_cast<long long>(j * (set.m - 1));
  return std::abs(down - right) <= static_cast<long long>(set.band * (std::max(set.m, set.n) - 1));
}

inline Numbers normal_scores(Random& random, std::size_t size, double scale) {
  Numbers theta(size);
  for (double& score : theta) score = scale * random.normal();
  return theta;
}

/// Masks cells at random.
inline Numbers with_masked(Random& random, Numbers theta, double share) {
  for (double& score : theta) {
    if (random.uniform() < share) score = masked_score;
  }
  return theta;
}

struct ScoredPath {
  std::vector<std::uint32_t> cells;
  long double score = 0;
  long double probability = 0;
};

/// Every path of finite score, best first, with its probability; and what follows from them.
struct AlignmentEnumeration {
  std::vector<ScoredPath> paths;
  long double log_partition = -std::numeric_limits<long double>::infinity();
  LongNumbers mean;

  AlignmentEnumeration(const Alignment& set, const Numbers& theta) : mean(theta.size()) {
    ScoredPath path;
    visit(set, theta, 0, 0, path);
    std::stable_sort(paths.begin(), paths.end(),
                     [](const ScoredPath& a, const ScoredPath& b) { return a.score > b.score; });
    long double sum = 0;
    for (ScoredPath& each : paths) sum += each.probability = std::exp(each.score - paths.front().score);
    for (ScoredPath& each : paths) {
      each.probability /= sum;
      for (const std::uint32_t cell : each.cells) mean[cell] += each.probability;
    }
    if (!paths.empty()) log_partition = paths.front().score + std::log(sum);
  }

  /// Cov[Y] v.
  LongNumbers covariance_times(const Numbers& v) const {
    long double average = 0;
    for (std::size_t k = 0; k < v.size(); ++k) average += mean[k] * v[k];
    LongNumbers out(v.size());
    for (const ScoredPath& path : paths) {
      long double sum = -average;
      for (const std::uint32_t cell : path.cells) sum += v[cell];
      for (const std::uint32_t cell : path.cells) out[cell] += path.probability * sum;
    }
    return out;
  }

 private:
  void visit(const Alignment& set, const Numbers& theta, std::size_t i, std::size_t j, ScoredPath& path) {
    const std::size_t cell = i * set.n + j;
    if (!in_band(set, i, j) || theta[cell] == masked_score) return;
    const long double score = path.score;
    path.cells.push_back(static_cast<std::uint32_t>(cell));
    path.score += theta[cell];
    if (i + 1 == set.m && j + 1 == set.n) paths.push_back(path);
    if (i + 1 < set.m) visit(set, theta, i + 1, j, path);
    if (j + 1 < set.n) visit(set, theta, i, j + 1, path);
    if (i + 1 < set.m && j + 1 < set.n) visit(set, theta, i + 1, j + 1, path);
    path.cells.pop_back();
    path.score = score;
  }
};

/// log Z and marginals by sums in both directions, with logarithms.
struct AlignmentSums {
  long double log_partition;
  LongNumbers mean;

  AlignmentSums(const Alignment& set, const Numbers& theta) : mean(theta.size()) {
    const std::size_t m = set.m;
    const std::size_t n = set.n;
    const LongNumbers forward = sums(set, theta);
    Numbers reversed(theta.rbegin(), theta.rend());  // the band is symmetric
    const LongNumbers backward = sums(set, reversed);
    log_partition = forward.back();
    for (std::size_t k = 0; k < m * n; ++k) {
      const long double log_mean = forward[k] + backward[m * n - 1 - k] - theta[k] - log_partition;
      mean[k] = theta[k] == masked_score || !in_band(set, k / n, k % n) ? 0 : std::exp(log_mean);
    }
  }

 private:
  static LongNumbers sums(const Alignment& set, const Numbers& theta) {
    constexpr long double none = -std::numeric_limits<long double>::infinity();
    LongNumbers a(theta.size(), none);
    const auto at = [&](std::size_t i, std::size_t j) {  // one-based
      return i == 0 || j == 0 ? (i == j ? 0 : none) : a[(i - 1) * set.n + j - 1];
    };
    for (std::size_t i = 1; i <= set.m; ++i) {
      for (std::size_t j = 1; j <= set.n; ++j) {
        const long double score = theta[(i - 1) * set.n + j - 1];
        if (!in_band(set, i - 1, j - 1) || score == none) continue;
        const long double down = at(i - 1, j);
        const long double right = at(i, j - 1);
        const long double diagonal = at(i - 1, j - 1);
        const long double top = std::max({down, right, diagonal});
        if (top == none) continue;
        const long double sum = std::exp(down - top) + std::exp(right - top) + std::exp(diagonal - top);
        a[(i - 1) * set.n + j - 1] = score + top + std::log(sum);
      }
    }
    return a;
  }
};

inline double largest_error(const Numbers& got, const LongNumbers& expected) {
  long double largest = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    const long double error = std::abs(static_cast<long double>(got[k]) - expected[k]);
    if (!(error <= largest)) largest = error;  // a NaN stays
  }
  return static_cast<double>(largest);
}

}  // namespace fenchel::test
