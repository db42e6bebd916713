// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/projective_tree.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "polytopes/eisner_chart.hpp"
#include "polytopes/tree_points.hpp"
#include "solvers/k_best.hpp"

namespace fenchel {
namespace {

using eisner::Inside;
using eisner::Splits;
using kernels::EisnerAlgebra;

[[noreturn]] void reject(const std::string& message) { throw std::invalid_argument(message); }

// Term r with probability a_r b_r / sum.
std::size_t draw_split(const Splits& splits, EisnerAlgebra algebra, Random& random) {
  const bool real = algebra == EisnerAlgebra::real;
  double left = random.uniform() * (real ? splits.sum : 1);
  std::size_t chosen = 0;
  for (std::size_t r = 0; r < splits.count; ++r) {
    const double part = real ? splits.a[r] * splits.b[r] : std::exp(splits.a[r] + splits.b[r] - splits.sum);
    if (part == 0) continue;
    chosen = r;  // also what rounding leaves over at the end
    left -= part;
    if (left < 0) break;
  }
  return chosen;
}

// Two words whose arcs cross: one lies between the other and its head, but its own head does not.
struct Crossing {
  int word;
  int inner;
};

std::optional<Crossing> find_crossing(std::span<const int> heads) {
  for (int m = 0; m < static_cast<int>(heads.size()); ++m) {
    const int head = heads[static_cast<std::size_t>(m)];
    const int low = std::min(head, m);
    const int high = std::max(head, m);
    for (int word = low + 1; word < high; ++word) {
      const int other = heads[static_cast<std::size_t>(word)];
      if (other < low || other > high) return Crossing{m, word};
    }
  }
  return std::nullopt;
}

void check_no_crossing(std::span<const int> heads) {
  const auto crossing = find_crossing(heads);
  if (!crossing) return;
  reject(
      fmt::format("heads[{}] is {} and heads[{}] is {}: these arcs cross; expected a projective tree "
                  "(the root, -1, stands before word 0)",
                  crossing->word, heads[static_cast<std::size_t>(crossing->word)], crossing->inner,
                  heads[static_cast<std::size_t>(crossing->inner)]));
}

// Whether a vector of zeros and ones with one head for each word is a projective tree; others pass.
void check_vertex(std::string_view name, std::span<const double> mu, std::size_t n) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const std::span<const std::uint32_t> rows = trees::heads_of(mu, n, scratch);
  trees::check_acyclic(name, "a projective tree", rows, scratch);
  const auto heads = scratch.take<int>(rows.size());
  for (std::size_t m = 0; m < rows.size(); ++m) heads[m] = rows[m] == m ? -1 : static_cast<int>(rows[m]);
  const auto crossing = find_crossing(heads);
  if (!crossing) return;
  throw OutsideDomain(name, fmt::format("is not a projective tree: the arcs to words {} and {} cross",
                                        crossing->word, crossing->inner));
}

void check_tree(std::span<const int> heads) {
  for (std::size_t m = 0; m < heads.size(); ++m) {
    int ancestor = heads[m];
    for (std::size_t step = 0; step < heads.size() && ancestor >= 0; ++step) {
      ancestor = heads[static_cast<std::size_t>(ancestor)];
    }
    if (ancestor >= 0) reject(fmt::format("heads lead from word {} into a cycle; expected a tree", m));
  }
}

}  // namespace

std::vector<ProjectiveTree> ProjectiveTree::examples() {
  return {{1}, {1, true}, {2}, {3}, {4, true}, {5}, {6}};
}

void ProjectiveTree::check() const {
  constexpr std::size_t largest = 65535;  // n² < 2³²
  if (n < 1 || n > largest) reject(fmt::format("n is {}; expected a number of words in [1, {}]", n, largest));
}

double ProjectiveTree::map(std::span<const double> theta, Structure& out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Inside inside = eisner::best(*this, theta, scratch);
  if (inside.total() == -infinity) return -infinity;
  const auto heads = scratch.take<std::uint32_t>(n + 1);
  eisner::decode(inside, eisner::best_split, heads, scratch);
  eisner::write_tree(heads, out);
  return dot(out, theta);
}

double ProjectiveTree::marginals(std::span<const double> theta, std::span<double> mu,
                                 Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Inside inside = eisner::sum(*this, theta, scratch);
  if (inside.log_partition == -infinity) return -infinity;
  const kernels::EisnerChart adjoint = eisner::take_chart(inside.problem, scratch);
  kernels::eisner_marginals(inside.algebra, inside.problem, inside.chart, adjoint);
  eisner::from_positions(adjoint.arcs, inside.problem, mu);
  return inside.log_partition;
}

double ProjectiveTree::log_partition(std::span<const double> theta, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return eisner::sum(*this, theta, scratch).log_partition;
}

void ProjectiveTree::marginals_jvp(std::span<const double> theta, std::span<const double> mu,
                                   std::span<const double> v, std::span<double> out,
                                   Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Inside inside = eisner::sum(*this, theta, scratch);
  if (inside.log_partition == -infinity) {
    std::ranges::fill(out, 0.0);
    return;
  }
  // A word has one head: a constant on its column changes nothing, and without the mean there is less to
  // cancel.
  const auto mean = scratch.take<double>(n);
  std::ranges::fill(mean, 0.0);
  for (std::size_t i = 0; i < mu.size(); ++i) mean[i % n] += mu[i] * v[i];
  const auto direction = scratch.take<double>(inside.problem.positions * inside.problem.stride);
  eisner::to_positions(v, mean, 0, inside.problem, direction);
  const kernels::EisnerTangents tangents{eisner::take_chart(inside.problem, scratch),
                                         eisner::take_chart(inside.problem, scratch),
                                         eisner::take_chart(inside.problem, scratch)};
  kernels::eisner_covariance(inside.algebra, inside.problem, inside.chart, tangents, direction.data());
  eisner::from_positions(tangents.adjoint_tangent.arcs, inside.problem, out);
}

void ProjectiveTree::k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
                            Workspace& scratch) const {
  k_best_by_partition(
      [&](std::span<const double> scores, Structure& best) { return map(scores, best, scratch); }, n, theta,
      k, structures, scratch);
}

void ProjectiveTree::sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
                            Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Inside inside = eisner::sum(*this, theta, scratch);
  if (inside.log_partition == -infinity) return;
  const auto heads = scratch.take<std::uint32_t>(n + 1);
  for (Structure& draw : draws) {
    eisner::decode(
        inside, [&](const Splits& splits) { return draw_split(splits, inside.algebra, random); }, heads,
        scratch);
    eisner::write_tree(heads, draw);
  }
}

void ProjectiveTree::check_point(std::string_view name, std::span<const double> mu) const {
  check_within(name, mu, 0, 1);
  double children = 0;
  for (std::size_t m = 0; m < n; ++m) {
    double sum = 0;
    for (std::size_t h = 0; h < n; ++h) sum += mu[h * n + m];
    if (!(std::abs(sum - 1) <= simplex_tolerance<double>)) {
      reject(fmt::format("column {} of {} sums to {}; expected 1: word {} has one head", m, name, sum, m));
    }
    children += mu[m * n + m];
  }
  if (single_root && !(std::abs(children - 1) <= simplex_tolerance<double>)) {
    reject(fmt::format("the diagonal of {} sums to {}; expected 1: the root has one child", name, children));
  }
  check_vertex(name, mu, n);
}

Structure ProjectiveTree::structure(std::span<const int> heads) const {
  check_size("heads", heads.size(), n);
  std::size_t children = 0;
  Structure tree;
  for (std::size_t m = 0; m < n; ++m) {
    if (heads[m] < -1 || heads[m] >= static_cast<int>(n) || heads[m] == static_cast<int>(m)) {
      reject(fmt::format("heads[{}] is {}; expected another word in [0, {}], or -1 for the root", m, heads[m],
                         n - 1));
    }
    const bool from_root = heads[m] < 0;
    children += from_root ? 1 : 0;
    const std::size_t row = from_root ? m : static_cast<std::size_t>(heads[m]);
    tree.indices.push_back(static_cast<std::uint32_t>(row * n + m));
  }
  check_tree(heads);
  check_no_crossing(heads);
  if (single_root && children != 1) {
    reject(fmt::format("heads has {} words under the root; expected 1", children));
  }
  std::ranges::sort(tree.indices);
  return tree;
}

std::vector<int> ProjectiveTree::heads(const Structure& tree) const {
  constexpr int none = -2;
  std::vector<int> heads(n, none);
  for (const std::uint32_t index : tree.indices) {
    if (index >= dimension()) reject(fmt::format("tree has entry {}; expected entries < {}", index, n * n));
    int& head = heads[index % n];
    if (head != none) reject(fmt::format("tree gives word {} two heads; expected one", index % n));
    const std::size_t row = index / n;
    head = row == index % n ? -1 : static_cast<int>(row);
  }
  const auto missing = std::ranges::find(heads, none);
  if (missing != heads.end()) {
    reject(fmt::format("tree gives word {} no head; expected one", missing - heads.begin()));
  }
  return heads;
}

}  // namespace fenchel
