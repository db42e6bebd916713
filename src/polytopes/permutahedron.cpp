// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/permutahedron.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "kernels/sort.hpp"
#include "polytopes/arrangements.hpp"

namespace fenchel {
namespace {

// A vertex that has been divided and multiplied by its norm still counts as one.
constexpr double weight_tolerance = 1e-12;
// Squares and sums of the entries stay in the range of numbers.
constexpr double largest_weight = 1e100;

// Scores in descending order, and their indices.
struct Sorted {
  std::span<std::uint32_t> order;
  std::span<double> scores;

  Sorted(std::span<const double> theta, Workspace& scratch)
      : order(scratch.take<std::uint32_t>(theta.size())), scores(scratch.take<double>(theta.size())) {
    kernels::argsort_descending(theta, order, scores, scratch);
  }

  void scatter(std::span<const double> sorted, std::span<double> out) const {
    for (std::size_t i = 0; i < order.size(); ++i) out[order[i]] = sorted[i];
  }
};

std::vector<double> descending_ranks(std::size_t d, std::size_t k, double scale) {
  std::vector<double> w(d);
  for (std::size_t i = 0; i < k; ++i) w[i] = scale * static_cast<double>(k - i);
  return w;
}

void check_subset(std::size_t d, std::size_t k) {
  if (k < 1 || k > d) throw std::invalid_argument(fmt::format("k is {}; expected a number in 1..{}", k, d));
}

void check_non_negative(std::span<const double> w) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (w[i] < 0) {
      throw std::invalid_argument(fmt::format("w[{}] is {}; Σ μ log μ needs entries >= 0", i, w[i]));
    }
  }
}

void check_covered(const Generator& phi, const Permutahedron& set) {
  const EntryRange range = set.entry_range();
  check_covers(phi, "permutations of w", range.lowest, range.highest);
}

// The indices from the largest entry to the smallest, the first of equal ones first.
std::vector<std::size_t> descending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  return order;
}

}  // namespace

std::vector<Permutahedron> Permutahedron::examples() {
  return {ranking(3),      full_ranking(4),       Permutahedron{{0.5, 0.25, 0.25, 0}},
          k_subsets(5, 2), partial_ranking(5, 3), Permutahedron{{2}}};
}

void Permutahedron::check() const {
  check_not_empty("w", w.size());
  check_finite("w", w);
  check_within("w", w, -largest_weight, largest_weight);
  if (w.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument(fmt::format("w has {} entries; expected fewer than 2^32", w.size()));
  }
}

Permutahedron Permutahedron::top_one(std::size_t d) { return k_subsets(d, 1); }

Permutahedron Permutahedron::k_subsets(std::size_t d, std::size_t k) {
  check_subset(d, k);
  Permutahedron set{std::vector<double>(d)};
  std::fill_n(set.w.begin(), k, 1 / static_cast<double>(k));
  return set;
}

Permutahedron Permutahedron::full_ranking(std::size_t d) { return partial_ranking(d, d); }

Permutahedron Permutahedron::partial_ranking(std::size_t d, std::size_t k) {
  check_subset(d, k);
  const auto count = static_cast<double>(k);
  return {descending_ranks(d, k, 2 / (count * (count + 1)))};
}

Permutahedron Permutahedron::ranking(std::size_t d) {
  check_subset(d, d);
  return {descending_ranks(d, d, 1)};
}

double Permutahedron::map(std::span<const double> theta, Structure& out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Sorted sorted(theta, scratch);
  const auto vertex = scratch.take<double>(theta.size());
  sorted.scatter(arrangements::descending(w, scratch), vertex);
  assign(vertex, out);
  return dot(out, theta);
}

double Permutahedron::owa(std::span<const double> theta, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  const Sorted sorted(theta, scratch);
  return dot(weights, sorted.scores);
}

Report Permutahedron::project(std::span<const double> theta, std::span<double> out,
                              Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  if (arrangements::project_inside(theta, weights, out)) return {};
  arrangements::Projection(theta, weights, false, scratch).write(out);
  return {};
}

void Permutahedron::project_jvp(std::span<const double> theta, std::span<const double>,
                                std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  if (arrangements::shift_suffices(theta, weights)) {
    const double mean = arrangements::mean(v);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = v[i] - mean;
    return;
  }
  const auto one = [](std::size_t) { return 1.0; };
  arrangements::Projection(theta, weights, false, scratch).multiply(v, one, 1, out);
}

Report Permutahedron::project_kl(std::span<const double> theta, std::span<double> out,
                                 Workspace& scratch) const {
  check_non_negative(w);
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  arrangements::Projection(theta, weights, true, scratch).write(out);
  return {};
}

void Permutahedron::project_kl_jvp(std::span<const double> theta, std::span<const double> mu,
                                   std::span<const double> v, std::span<double> out,
                                   Workspace& scratch) const {
  check_non_negative(w);
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  const arrangements::Projection projection(theta, weights, true, scratch);
  projection.multiply(
      v, [&](std::size_t i) { return mu[projection.order[i]]; }, 1, out);
}

Report Permutahedron::project_bregman(const Generator& phi, std::span<const double> theta,
                                      std::span<double> out, Workspace& scratch) const {
  check_covered(phi, *this);
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  arrangements::Projection(theta, weights, phi, scratch).write(out);
  return {};
}

void Permutahedron::project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                                        std::span<double> out, Workspace& scratch) const {
  check_covered(phi, *this);
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  const arrangements::Projection projection(at.theta, weights, phi, scratch);
  projection.multiply(
      v, [&](std::size_t i) { return phi.mobility(at.mu[projection.order[i]]); }, 1, out);
}

EntryRange Permutahedron::entry_range() const {
  const auto [lowest, highest] = std::ranges::minmax(w);
  return {lowest, highest};
}

void Permutahedron::k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
                           Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  const Sorted sorted(theta, scratch);
  const auto vertex = scratch.take<double>(theta.size());
  structures.resize(arrangements::number(weights, k));
  std::size_t rank = 0;
  auto take = [&](std::span<const double> arrangement) {
    sorted.scatter(arrangement, vertex);
    assign(vertex, structures[rank++]);
  };
  arrangements::best(sorted.scores, weights, k, take, scratch);
}

Structure Permutahedron::structure(std::span<const int> ranks) const {
  if (ranks.size() != w.size()) {
    throw std::invalid_argument(fmt::format("there are {} ranks; expected {}", ranks.size(), w.size()));
  }
  const std::vector<std::size_t> order = descending(w);
  std::vector<bool> taken(ranks.size());
  std::vector<double> y(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto rank = static_cast<std::size_t>(ranks[i]);
    if (ranks[i] < 0 || rank >= ranks.size() || taken[rank]) {
      throw std::invalid_argument(
          fmt::format("rank {} is {}; expected a permutation of 0 to {}", i, ranks[i], ranks.size() - 1));
    }
    taken[rank] = true;
    y[i] = w[order[rank]];
  }
  Structure result;
  assign(y, result);
  return result;
}

std::vector<int> Permutahedron::ranks(const Structure& y) const {
  std::vector<double> dense(w.size());
  write(y, dense);
  std::vector<int> result(w.size());
  const std::vector<std::size_t> order = descending(dense);
  for (std::size_t rank = 0; rank < order.size(); ++rank) result[order[rank]] = static_cast<int>(rank);
  return result;
}

bool Permutahedron::is_vertex(std::span<const double> mu) const {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  const auto entries = arrangements::descending(mu, scratch);
  const double tolerance = weight_tolerance * std::max(std::abs(weights.front()), std::abs(weights.back()));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(std::abs(entries[i] - weights[i]) <= tolerance)) return false;
  }
  return true;
}

void Permutahedron::check_point(std::string_view name, std::span<const double> mu) const {
  check_size(name, mu.size(), w.size());
  check_finite(name, mu);
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  const auto entries = arrangements::descending(mu, scratch);
  double scale = 0;
  for (const double weight : weights) scale += std::abs(weight);
  const double tolerance = simplex_tolerance<double> * scale;
  double sum = 0;
  double most = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += entries[i];
    most += weights[i];
    if (sum > most + tolerance) {
      throw std::invalid_argument(
          fmt::format("{}: the {} largest entries sum to {}; those of w only to {}", name, i + 1, sum, most));
    }
  }
  if (sum < most - tolerance) {
    throw std::invalid_argument(fmt::format("{} sums to {}; expected {}, the sum of w", name, sum, most));
  }
}

}  // namespace fenchel
