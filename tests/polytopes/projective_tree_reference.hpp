// SPDX-License-Identifier: Apache-2.0
// What the tests of projective trees compare with: every tree, found among all vectors of heads by the
// definition, and sums over all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/projective_tree.hpp"

namespace fenchel::test::projective {

using Vector = std::vector<double>;
using Heads = std::vector<int>;

/// By definition: every word reaches the root, no two arcs cross, the root stands before the first word.
inline bool is_projective_tree(const Heads& heads, bool single_root) {
  const int n = static_cast<int>(heads.size());
  for (int m = 0; m < n; ++m) {
    int word = m;
    for (int step = 0; step <= n && word >= 0; ++step) word = heads[static_cast<std::size_t>(word)];
    if (word >= 0) return false;
  }
  for (int m = 0; m < n; ++m) {
    for (int k = 0; k < n; ++k) {
      const auto [a, b] = std::minmax({heads[static_cast<std::size_t>(m)], m});
      const auto [c, d] = std::minmax({heads[static_cast<std::size_t>(k)], k});
      if (a < c && c < b && b < d) return false;
    }
  }
  return !single_root || std::ranges::count(heads, -1) == 1;
}

inline Structure tree_of(const Heads& heads) {
  const std::size_t n = heads.size();
  Structure y;
  for (std::size_t m = 0; m < n; ++m) {
    y.indices.push_back(
        static_cast<std::uint32_t>((heads[m] < 0 ? m : static_cast<std::size_t>(heads[m])) * n + m));
  }
  std::ranges::sort(y.indices);
  return y;
}

/// Calls visit(heads) for every vector of heads, trees or not.
inline void every_head_vector(std::size_t n, const std::function<void(const Heads&)>& visit) {
  Heads heads(n, -1);
  while (true) {
    bool loops = false;
    for (std::size_t m = 0; m < n; ++m) loops = loops || heads[m] == static_cast<int>(m);
    if (!loops) visit(heads);
    std::size_t m = 0;
    while (m < n && ++heads[m] == static_cast<int>(n)) heads[m++] = -1;
    if (m == n) return;
  }
}

inline const std::vector<Structure>& every_tree(const ProjectiveTree& set) {
  static std::map<std::pair<std::size_t, bool>, std::vector<Structure>> cache;
  const auto inserted = cache.try_emplace({set.n, set.single_root});
  std::vector<Structure>& trees = inserted.first->second;
  if (inserted.second) {
    every_head_vector(set.n, [&](const Heads& heads) {
      if (is_projective_tree(heads, set.single_root)) trees.push_back(tree_of(heads));
    });
  }
  return trees;
}

struct Exact {
  double best = -infinity;
  double log_partition = -infinity;
  Vector probabilities;
  Vector mu;

  Exact(const ProjectiveTree& set, const Vector& theta) : mu(set.dimension()) {
    const auto& all = every_tree(set);
    for (const Structure& y : all) best = std::max(best, dot(y, theta));
    if (best == -infinity) return;
    double sum = 0;
    for (const Structure& y : all) sum += std::exp(dot(y, theta) - best);
    log_partition = best + std::log(sum);
    for (const Structure& y : all) {
      probabilities.push_back(std::exp(dot(y, theta) - best) / sum);
      add(y, probabilities.back(), mu);
    }
  }
};

/// Cov[Y] v by definition.
inline Vector covariance_times(const ProjectiveTree& set, const Exact& exact, const Vector& v) {
  double mean = 0;
  for (std::size_t i = 0; i < v.size(); ++i) mean += exact.mu[i] * v[i];
  Vector out(v.size());
  const auto& all = every_tree(set);
  for (std::size_t i = 0; i < all.size(); ++i) {
    add(all[i], exact.probabilities[i] * (dot(all[i], v) - mean), out);
  }
  return out;
}

inline Vector random_scores(Random& random, std::size_t size, double scale, double masked = 0) {
  Vector theta(size);
  for (double& score : theta) score = random.uniform() < masked ? -infinity : scale * random.normal();
  return theta;
}

inline double largest_difference(const Vector& a, const Vector& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

inline std::vector<ProjectiveTree> sets(std::size_t largest) {
  std::vector<ProjectiveTree> all;
  for (std::size_t n = 1; n <= largest; ++n) {
    for (const bool single_root : {false, true}) all.push_back({n, single_root});
  }
  return all;
}

}  // namespace fenchel::test::projective
