// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/transport.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "polytopes/plans.hpp"
#include "solvers/transport.hpp"

namespace fenchel {
namespace {

// Entries of a plan below this share of the mass are rounding, not part of its support.
constexpr double support_tolerance = 1e-12;

void check_sums(std::string_view name, std::span<const double> sums) {
  check_not_empty(name, sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::string entry = fmt::format("{}[{}]", name, i);
    check_at_least(entry, sums[i], 0);
    check_finite(entry, sums[i]);
  }
}

plans::Sums balanced(const Transport& set, Workspace& scratch) {
  const double total_a = sum_of(set.a);
  const double total_b = sum_of(set.b);
  if (total_a == total_b) return {set.a, set.b};
  const auto b = scratch.take<double>(set.b.size());
  for (std::size_t j = 0; j < b.size(); ++j) b[j] = set.b[j] * (total_a / total_b);
  return {set.a, b};
}

}  // namespace

std::vector<Transport> Transport::examples() {
  return {{{1}, {1}},
          {{2}, {0.5, 1.5}},
          {{0.5, 0.5}, {0.25, 0.75}},
          {{0.2, 0.5, 0.3}, {0.6, 0.4}},
          {{0.4, 0, 0.6}, {0.1, 0.7, 0, 0.2}},
          {{1, 1, 1}, {1, 1, 1}}};
}

void Transport::check() const {
  check_sums("a", a);
  check_sums("b", b);
  if (a.size() > std::numeric_limits<std::uint32_t>::max() / b.size()) {
    throw std::invalid_argument(
        fmt::format("a and b have {} and {} entries; expected fewer than 2^32 pairs", a.size(), b.size()));
  }
  const double total_a = sum_of(a);
  const double total_b = sum_of(b);
  check_greater("sum of a", total_a, 0);
  if (!(std::abs(total_a - total_b) <= total_tolerance * std::max(total_a, total_b))) {
    throw std::invalid_argument(
        fmt::format("a sums to {} and b to {}; expected equal sums", total_a, total_b));
  }
}

double Transport::map(std::span<const double> theta, Structure& out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const TransportSolution solution{out, scratch.take<double>(a.size()), scratch.take<double>(b.size())};
  return solve_transport(theta, a, b, solution, scratch);
}

Report Transport::project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return plans::project(theta, balanced(*this, scratch), out, scratch);
}

void Transport::project_jvp(std::span<const double>, std::span<const double> mu, std::span<const double> v,
                            std::span<double> out, Workspace& scratch) const {
  plans::project_jvp(mu, {a, b}, v, out, scratch);
}

Report Transport::project_kl(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return plans::project_kl(theta, balanced(*this, scratch), out, scratch);
}

void Transport::project_kl_jvp(std::span<const double>, std::span<const double> mu, std::span<const double> v,
                               std::span<double> out, Workspace& scratch) const {
  plans::project_kl_jvp(mu, {a, b}, v, out, scratch);
}

Report Transport::project_bregman(const Generator& phi, std::span<const double> theta, std::span<double> out,
                                  Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return plans::project_bregman(phi, theta, balanced(*this, scratch), out, scratch);
}

void Transport::project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                                    std::span<double> out, Workspace& scratch) const {
  plans::project_bregman_jvp(phi, at.mu, {a, b}, v, out, scratch);
}

EntryRange Transport::entry_range() const { return {0, std::min(max_of(a), max_of(b))}; }

bool Transport::is_vertex(std::span<const double> mu) const {
  const double smallest = support_tolerance * sum_of(a);
  std::vector<std::size_t> parent(a.size() + b.size());
  for (std::size_t node = 0; node < parent.size(); ++node) parent[node] = node;
  const auto root = [&](std::size_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  for (std::size_t k = 0; k < mu.size(); ++k) {
    if (mu[k] <= smallest) continue;
    const std::size_t row = root(k / b.size());
    const std::size_t column = root(a.size() + k % b.size());
    if (row == column) return false;
    parent[row] = column;
  }
  return true;
}

void Transport::check_point(std::string_view name, std::span<const double> mu) const {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  plans::check_point(name, mu, balanced(*this, scratch));
}

}  // namespace fenchel
