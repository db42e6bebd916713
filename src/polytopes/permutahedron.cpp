// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/permutahedron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/kernels/sort.hpp"
#include "polytopes/arrangements.hpp"

namespace fenchel {
namespace {

// A vertex that has been divided and multiplied by its norm is still one.
constexpr double vertex_tolerance = 1e-12;

// Scores in descending order, and whose they are.
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

}  // namespace

std::vector<Permutahedron> Permutahedron::examples() {
  return {ranking(3),      full_ranking(4),       Permutahedron{{0.5, 0.25, 0.25, 0}},
          k_subsets(5, 2), partial_ranking(5, 3), Permutahedron{{2}}};
}

void Permutahedron::check() const {
  check_not_empty("w", w.size());
  check_finite("w", w);
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
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += sorted.scores[i] * weights[i];
  return sum;
}

Report Permutahedron::project(std::span<const double> theta, std::span<double> out,
                              Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  if (arrangements::project_inside(theta, weights, out)) return {};
  const Sorted sorted(theta, scratch);
  const auto mu = scratch.take<double>(theta.size());
  arrangements::project(sorted.scores, weights, mu, scratch.take<std::uint32_t>(theta.size()), scratch);
  sorted.scatter(mu, out);
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
  const Sorted sorted(theta, scratch);
  const auto projected = scratch.take<double>(theta.size());
  const auto ends = scratch.take<std::uint32_t>(theta.size());
  const std::size_t count = arrangements::project(sorted.scores, weights, projected, ends, scratch);
  std::size_t first = 0;
  for (std::size_t b = 0; b < count; ++b) {
    double sum = 0;
    for (std::size_t i = first; i < ends[b]; ++i) sum += v[sorted.order[i]];
    const double mean = sum / static_cast<double>(ends[b] - first);
    for (; first < ends[b]; ++first) out[sorted.order[first]] = v[sorted.order[first]] - mean;
  }
}

Report Permutahedron::project_kl(std::span<const double> theta, std::span<double> out,
                                 Workspace& scratch) const {
  check_non_negative(w);
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  const Sorted sorted(theta, scratch);
  const auto mu = scratch.take<double>(theta.size());
  arrangements::project_kl(sorted.scores, weights, mu, scratch.take<std::uint32_t>(theta.size()), scratch);
  sorted.scatter(mu, out);
  return {};
}

void Permutahedron::project_kl_jvp(std::span<const double> theta, std::span<const double> mu,
                                   std::span<const double> v, std::span<double> out,
                                   Workspace& scratch) const {
  check_non_negative(w);
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  const Sorted sorted(theta, scratch);
  const auto projected = scratch.take<double>(theta.size());
  const auto ends = scratch.take<std::uint32_t>(theta.size());
  const std::size_t count = arrangements::project_kl(sorted.scores, weights, projected, ends, scratch);
  std::size_t first = 0;
  for (std::size_t b = 0; b < count; ++b) {
    double total = 0;
    double sum = 0;
    for (std::size_t i = first; i < ends[b]; ++i) {
      const std::uint32_t j = sorted.order[i];
      total += mu[j];
      sum += mu[j] * v[j];
    }
    const bool moves = ends[b] - first > 1 && total > 0;
    for (; first < ends[b]; ++first) {
      const std::uint32_t j = sorted.order[first];
      out[j] = moves ? mu[j] * (v[j] - sum / total) : 0;
    }
  }
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

bool Permutahedron::is_vertex(std::span<const double> mu) const {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto weights = arrangements::descending(w, scratch);
  const auto entries = arrangements::descending(mu, scratch);
  const double tolerance = vertex_tolerance * std::max(std::abs(weights.front()), std::abs(weights.back()));
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
