// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/cube.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "kernels/sort.hpp"
#include "polytopes/entries.hpp"

namespace fenchel {
namespace {

// A set of answers that differ from the best, as a change of its parent's: `index` is added, and if
// `replaces`, the parent's own index is removed. Every set but the empty one is made in exactly one way.
struct Flips {
  double loss;
  std::uint32_t parent;
  std::uint32_t index;
  bool replaces;

  friend bool operator>(const Flips& a, const Flips& b) {
    return a.loss != b.loss ? a.loss > b.loss : a.parent > b.parent || (a.parent == b.parent && a.replaces);
  }
};

}  // namespace

std::vector<Cube> Cube::examples() { return {{1}, {2}, {3}, {6}}; }

void Cube::check() const { entries::check_number(d); }

double Cube::map(std::span<const double> theta, Structure& out, Workspace&) const {
  out.clear();
  double sum = 0;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    if (!(theta[j] > 0)) continue;
    out.indices.push_back(static_cast<std::uint32_t>(j));
    sum += theta[j];
  }
  return sum;
}

double Cube::marginals(std::span<const double> theta, std::span<double> mu, Workspace&) const {
  double sum = 0;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const double e = std::exp(-std::abs(theta[j]));
    mu[j] = theta[j] >= 0 ? 1 / (1 + e) : e / (1 + e);
    sum += std::max(theta[j], 0.0) + std::log1p(e);
  }
  return sum;
}

double Cube::log_partition(std::span<const double> theta, Workspace&) const {
  double sum = 0;
  for (const double x : theta) sum += std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  return sum;
}

void Cube::marginals_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                         std::span<double> out, Workspace&) const {
  for (std::size_t j = 0; j < mu.size(); ++j)
    out[j] = mu[j] * logistic(-theta[j]) * v[j];  // 1 − μ would cancel
}

Report Cube::project(std::span<const double> theta, std::span<double> out, Workspace&) const {
  for (std::size_t j = 0; j < theta.size(); ++j) out[j] = std::clamp(theta[j], 0.0, 1.0);
  return {};
}

void Cube::project_jvp(std::span<const double> theta, std::span<const double>, std::span<const double> v,
                       std::span<double> out, Workspace&) const {
  for (std::size_t j = 0; j < theta.size(); ++j) out[j] = theta[j] > 0 && theta[j] < 1 ? v[j] : 0;
}

Report Cube::project_kl(std::span<const double> theta, std::span<double> out, Workspace&) const {
  for (std::size_t j = 0; j < theta.size(); ++j) out[j] = std::exp(std::min(theta[j] - 1, 0.0));
  return {};
}

void Cube::project_kl_jvp(std::span<const double> theta, std::span<const double> mu,
                          std::span<const double> v, std::span<double> out, Workspace&) const {
  for (std::size_t j = 0; j < theta.size(); ++j) out[j] = theta[j] < 1 ? mu[j] * v[j] : 0;
}

Report Cube::project_bregman(const Generator& phi, std::span<const double> theta, std::span<double> out,
                             Workspace&) const {
  const Generator answer = phi.within(0, 1);
  for (std::size_t j = 0; j < theta.size(); ++j) out[j] = answer.inverse(theta[j]);
  return {};
}

void Cube::project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                               std::span<double> out, Workspace&) const {
  const Generator answer = phi.within(0, 1);
  for (std::size_t j = 0; j < v.size(); ++j) out[j] = answer.mobility(at.mu[j]) * v[j];
}

void Cube::k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
                  Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  // What changing an answer costs, cheapest first; masked ones cannot be changed.
  const auto gains = scratch.take<double>(theta.size());
  for (std::size_t j = 0; j < theta.size(); ++j) gains[j] = -std::abs(theta[j]);
  const auto order = scratch.take<std::uint32_t>(theta.size());
  const auto sorted = scratch.take<double>(theta.size());
  kernels::argsort_descending(gains, order, sorted, scratch);
  std::size_t free = theta.size();
  while (free > 0 && sorted[free - 1] == -infinity) --free;
  const std::size_t count = free < 64 ? std::min(k, std::size_t{1} << free) : k;
  structures.resize(count);
  if (count == 0) return;

  const auto found = scratch.take<Flips>(count);
  const auto heap = scratch.take<Flips>(count + 2);
  const auto flipped = scratch.take<bool>(theta.size());
  std::size_t size = 0;
  const auto push = [&](const Flips& flips) {
    heap[size++] = flips;
    std::push_heap(heap.begin(), heap.begin() + static_cast<std::ptrdiff_t>(size), std::greater<>());
  };
  found[0] = {0, 0, 0, false};
  if (free > 0) push({-sorted[0], 0, 0, false});
  map(theta, structures[0], scratch);
  for (std::size_t rank = 1; rank < count; ++rank) {
    std::pop_heap(heap.begin(), heap.begin() + static_cast<std::ptrdiff_t>(size), std::greater<>());
    const Flips current = found[rank] = heap[--size];
    const std::uint32_t next = current.index + 1;
    if (next < free) {
      push({current.loss - sorted[next], static_cast<std::uint32_t>(rank), next, false});
      push({current.loss + (sorted[next - 1] - sorted[next]), static_cast<std::uint32_t>(rank), next, true});
    }
    std::ranges::fill(flipped, false);
    for (std::size_t at = rank; at != 0; at = found[at].parent) {
      flipped[order[found[at].index]] = true;
      while (found[at].replaces) at = found[at].parent;
    }
    structures[rank].clear();
    for (std::size_t j = 0; j < theta.size(); ++j) {
      if ((theta[j] > 0) != flipped[j]) structures[rank].indices.push_back(static_cast<std::uint32_t>(j));
    }
  }
}

void Cube::sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
                  Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto p = scratch.take<double>(theta.size());
  marginals(theta, p, scratch);
  for (Structure& draw : draws) {
    draw.clear();
    for (std::size_t j = 0; j < p.size(); ++j) {
      if (random.uniform() < p[j]) draw.indices.push_back(static_cast<std::uint32_t>(j));
    }
  }
}

void Cube::check_point(std::string_view name, std::span<const double> mu) const {
  check_size(name, mu.size(), d);
  check_within(name, mu, 0, 1);
}

}  // namespace fenchel
