// SPDX-License-Identifier: Apache-2.0
// Spanning arborescences by definition: every assignment of heads is tried, and those without a cycle are
// trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/polytopes/arborescence.hpp"

namespace fenchel::test {

using Heads = std::vector<int>;  // −1 is the root
using Scores = std::vector<double>;

inline bool is_tree(const Heads& heads, bool single_root) {
  int roots = 0;
  for (std::size_t m = 0; m < heads.size(); ++m) {
    if (heads[m] == -1) ++roots;
    int at = static_cast<int>(m);
    for (std::size_t steps = 0; at != -1; ++steps) {
      if (steps > heads.size()) return false;
      at = heads[static_cast<std::size_t>(at)];
    }
  }
  return roots >= 1 && (!single_root || roots == 1);
}

inline std::vector<Heads> all_trees(std::size_t n, bool single_root) {
  std::vector<Heads> trees;
  Heads heads(n, -1);
  for (;;) {
    if (is_tree(heads, single_root)) trees.push_back(heads);
    std::size_t m = 0;
    while (m < n && heads[m] + 1 == static_cast<int>(n)) heads[m++] = -1;
    if (m == n) return trees;
    ++heads[m];
  }
}

inline std::size_t arc_index(std::size_t n, const Heads& heads, std::size_t m) {
  return (heads[m] < 0 ? m : static_cast<std::size_t>(heads[m])) * n + m;
}

inline long double score_of(const Heads& heads, const Scores& theta) {
  long double sum = 0;
  for (std::size_t m = 0; m < heads.size(); ++m) sum += theta[arc_index(heads.size(), heads, m)];
  return sum;
}

struct Enumerated {
  long double best = -std::numeric_limits<long double>::infinity();
  double log_z = -std::numeric_limits<double>::infinity();
  Scores marginals;
  Scores probabilities;  // by tree
};

inline Enumerated enumerate(const std::vector<Heads>& trees, std::size_t n, const Scores& theta) {
  Enumerated result;
  for (const Heads& tree : trees) result.best = std::max(result.best, score_of(tree, theta));
  result.marginals.assign(n * n, 0.0);
  if (result.best == -std::numeric_limits<long double>::infinity()) return result;
  long double total = 0;
  for (const Heads& tree : trees) total += std::exp(score_of(tree, theta) - result.best);
  result.log_z = static_cast<double>(result.best + std::log(total));
  for (const Heads& tree : trees) {
    const auto p = static_cast<double>(std::exp(score_of(tree, theta) - result.best) / total);
    result.probabilities.push_back(p);
    for (std::size_t m = 0; m < n; ++m) result.marginals[arc_index(n, tree, m)] += p;
  }
  return result;
}

inline Scores normal_scores(std::size_t n, double scale, std::uint64_t seed) {
  Random random(seed);
  Scores theta(n * n);
  for (double& score : theta) score = scale * random.normal();
  return theta;
}

/// Random scores in [−gap, gap] whose best arcs form cycles of three words, with the root far below.
inline Scores cyclic_scores(std::size_t n, double gap, std::uint64_t seed) {
  Random random(seed);
  Scores theta(n * n);
  for (double& score : theta) score = gap * (2 * random.uniform() - 1);
  for (std::size_t m = 0; m < n; ++m) {
    const std::size_t first = m / 3 * 3;
    const std::size_t size = std::min<std::size_t>(3, n - first);
    const std::size_t head = first + (m - first + 1) % size;
    theta[m * n + m] = gap * (random.uniform() - 1);
    if (head != m) theta[head * n + m] = gap * (1 + 0.01 * random.uniform());
  }
  return theta;
}

/// Those that enumeration can follow.
inline std::vector<Arborescence> small_sets() {
  std::vector<Arborescence> sets;
  for (std::size_t n = 1; n <= 5; ++n) sets.insert(sets.end(), {{n, false}, {n, true}});
  return sets;
}

inline std::string describe(const Arborescence& set) {
  return "n=" + std::to_string(set.n) + (set.single_root ? " single root" : "");
}

}  // namespace fenchel::test
