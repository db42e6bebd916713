// SPDX-License-Identifier: Apache-2.0
// What every oracle of Arborescence shares: parameters, heads, points, and the weighted graph.
#include "fenchel/polytopes/arborescence.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "polytopes/arborescence_graph.hpp"
#include "polytopes/tree_points.hpp"

namespace fenchel {
namespace {

// The exponent of ε: beyond the sum of the exponents of n other weights (each above −2⁴³/n), and such that
// thousands of them add without overflow.
constexpr std::int64_t single_root_exponent = -(std::int64_t{1} << 44);

}  // namespace

namespace arborescence {

bool all_reachable(std::size_t n, std::span<const double> theta, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto seen = scratch.take<bool>(n);
  const auto queue = scratch.take<std::size_t>(n);
  std::size_t end = 0;
  for (std::size_t m = 0; m < n; ++m) {
    seen[m] = theta[m * n + m] > -infinity;
    if (seen[m]) queue[end++] = m;
  }
  for (std::size_t at = 0; at < end; ++at) {
    for (std::size_t m = 0; m < n; ++m) {
      if (seen[m] || !(theta[queue[at] * n + m] > -infinity)) continue;
      seen[m] = true;
      queue[end++] = m;
    }
  }
  return end == n;
}

WeightedGraph weighted_graph(const Arborescence& set, std::span<const double> theta, Workspace& scratch) {
  const std::size_t n = set.n;
  WeightedGraph graph{.n = n,
                      .arcs = scratch.take<Scaled>(n * n),
                      .root = scratch.take<Scaled>(n),
                      .root_exponent = set.single_root ? single_root_exponent : 0};
  graph.reachable = all_reachable(n, theta, scratch);
  if (!graph.reachable) return graph;
  // The exponents of products of n weights stay above that of zero and, with one child of the root, above ε.
  const double furthest = std::ldexp(std::numbers::ln2 / static_cast<double>(n), set.single_root ? 43 : 54);
  CompensatedSum shift;
  for (std::size_t m = 0; m < n; ++m) {
    double top = -infinity;
    for (std::size_t h = 0; h < n; ++h) top = std::max(top, theta[h * n + m]);
    shift += top;
    for (std::size_t h = 0; h < n; ++h) {
      const double score = theta[h * n + m] - top;
      if (score == -infinity) {
        graph.masked = true;
      } else {
        graph.spread = std::max(graph.spread, -score);
      }
      (h == m ? graph.root[m] : graph.arcs[h * n + m]) = scaled_exp(score, furthest);
    }
    graph.arcs[m * n + m] = {};
    if (!graph.root[m].is_zero()) graph.root[m].exponent += graph.root_exponent;
  }
  graph.shift = shift.value();
  return graph;
}

void write_heads(std::span<const std::uint32_t> heads, Structure& out) {
  out.clear();
  for (std::size_t m = 0; m < heads.size(); ++m) {
    out.indices.push_back(static_cast<std::uint32_t>(heads[m] * heads.size() + m));
  }
  std::ranges::sort(out.indices);
}

}  // namespace arborescence

std::vector<Arborescence> Arborescence::examples() {
  return {{1, false}, {1, true}, {2, true}, {3, false}, {4, true}, {5, false}};
}

void Arborescence::check() const {
  constexpr std::size_t largest = 65535;  // n n < 2³²
  if (n < 1 || n > largest) {
    throw std::invalid_argument(fmt::format("n is {}; expected 1 to {} words", n, largest));
  }
}

void Arborescence::check_point(std::string_view name, std::span<const double> mu) const {
  check_size(name, mu.size(), n * n);
  constexpr double tolerance = simplex_tolerance<double>;
  double roots = 0;
  for (std::size_t m = 0; m < n; ++m) {
    double sum = 0;
    for (std::size_t h = 0; h < n; ++h) {
      const double share = mu[h * n + m];
      if (!(share >= -tolerance && share <= 1 + tolerance)) {
        throw std::invalid_argument(fmt::format("{} is {}; shares of arcs must lie in [0, 1]",
                                                entry_name(name, -1, h * n + m), share));
      }
      sum += share;
    }
    if (std::abs(sum - 1) > tolerance) {
      throw std::invalid_argument(
          fmt::format("{}: column {} sums to {}; the shares of a word's heads must sum to 1", name, m, sum));
    }
    roots += mu[m * n + m];
  }
  const double slack = tolerance * static_cast<double>(n);
  if (roots < 1 - slack || (single_root && roots > 1 + slack)) {
    throw std::invalid_argument(fmt::format("{}: the diagonal sums to {}; the root must have {} 1 child",
                                            name, roots, single_root ? "exactly" : "at least"));
  }
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  trees::check_acyclic(name, "an arborescence", trees::heads_of(mu, n, scratch), scratch);
}

Structure Arborescence::structure(std::span<const int> heads) const {
  check_size("heads", heads.size(), n);
  const auto words = static_cast<int>(n);
  std::size_t roots = 0;
  for (std::size_t m = 0; m < n; ++m) {
    if (heads[m] < -1 || heads[m] >= words || heads[m] == static_cast<int>(m)) {
      throw std::invalid_argument(
          fmt::format("heads[{}] is {}; expected -1 (the root) or another word below {}", m, heads[m], n));
    }
    if (heads[m] == -1) ++roots;
  }
  if (single_root && roots != 1) {
    throw std::invalid_argument(
        fmt::format("heads attaches {} words to the root; expected exactly 1", roots));
  }
  // Each word is followed up to the first one known to lead to the root.
  std::vector<std::size_t> visited(n, n);  // by the climb from which word
  for (std::size_t start = 0; start < n; ++start) {
    int at = static_cast<int>(start);
    while (at >= 0 && visited[static_cast<std::size_t>(at)] == n) {
      visited[static_cast<std::size_t>(at)] = start;
      at = heads[static_cast<std::size_t>(at)];
    }
    if (at >= 0 && visited[static_cast<std::size_t>(at)] == start) {
      throw std::invalid_argument(fmt::format("heads has a cycle through word {}; expected a tree", at));
    }
  }
  Structure tree;
  for (std::size_t m = 0; m < n; ++m) {
    const std::size_t head = heads[m] < 0 ? m : static_cast<std::size_t>(heads[m]);
    tree.indices.push_back(static_cast<std::uint32_t>(head * n + m));
  }
  std::ranges::sort(tree.indices);
  return tree;
}

std::vector<int> Arborescence::heads(const Structure& tree) const {
  std::vector<int> result(n, -1);
  for (const std::uint32_t index : tree.indices) {
    const std::size_t head = index / n;
    const std::size_t word = index % n;
    result[word] = head == word ? -1 : static_cast<int>(head);
  }
  return result;
}

}  // namespace fenchel
