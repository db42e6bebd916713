// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/birkhoff.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "polytopes/plans.hpp"
#include "solvers/assignment.hpp"
#include "solvers/k_best.hpp"

namespace fenchel {
namespace {

constexpr std::size_t largest_n = 65535;  // entries are numbered in 32 bits

plans::Sums ones(std::size_t n, Workspace& scratch) {
  const auto sums = scratch.take<double>(n);
  std::ranges::fill(sums, 1.0);
  return {sums, sums};
}

}  // namespace

std::vector<Birkhoff> Birkhoff::examples() { return {{1}, {2}, {3}, {4}, {5}}; }

void Birkhoff::check() const {
  if (n < 1 || n > largest_n) {
    throw std::invalid_argument(fmt::format("n is {}; expected 1 to {} rows and columns", n, largest_n));
  }
}

double Birkhoff::map(std::span<const double> theta, Structure& out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto columns = scratch.take<std::uint32_t>(n);
  const Assignment assignment{columns, scratch.take<double>(n), scratch.take<double>(n)};
  const double score = assign_rows(theta, n, assignment, scratch);
  if (score == -infinity) return score;
  out.clear();
  for (std::size_t i = 0; i < n; ++i) out.indices.push_back(static_cast<std::uint32_t>(i * n + columns[i]));
  return score;
}

Report Birkhoff::project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return plans::project(theta, ones(n, scratch), out, scratch);
}

void Birkhoff::project_jvp(std::span<const double>, std::span<const double> mu, std::span<const double> v,
                           std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  plans::project_jvp(mu, ones(n, scratch), v, out, scratch);
}

Report Birkhoff::project_kl(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return plans::project_kl(theta, ones(n, scratch), out, scratch);
}

void Birkhoff::project_kl_jvp(std::span<const double>, std::span<const double> mu, std::span<const double> v,
                              std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  plans::project_kl_jvp(mu, ones(n, scratch), v, out, scratch);
}

Report Birkhoff::project_bregman(const Generator& phi, std::span<const double> theta, std::span<double> out,
                                 Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return plans::project_bregman(phi, theta, ones(n, scratch), out, scratch);
}

void Birkhoff::project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                                   std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  plans::project_bregman_jvp(phi, at.mu, ones(n, scratch), v, out, scratch);
}

void Birkhoff::k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& out,
                      Workspace& scratch) const {
  const auto best = [&](std::span<const double> scores, Structure& y) { return map(scores, y, scratch); };
  k_best_by_partition(best, n, theta, k, out, scratch);
}

void Birkhoff::check_point(std::string_view name, std::span<const double> mu) const {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  plans::check_point(name, mu, ones(n, scratch));
}

Structure Birkhoff::structure(std::span<const int> columns) const {
  check_size("columns", columns.size(), n);
  std::vector<bool> taken(n);
  Structure permutation;
  for (std::size_t i = 0; i < n; ++i) {
    check_label("columns", columns[i], n, static_cast<std::ptrdiff_t>(i));
    const auto j = static_cast<std::size_t>(columns[i]);
    if (taken[j]) {
      throw std::invalid_argument(
          fmt::format("columns[{}] is {}, a second time; expected a permutation of 0 to {}", i, j, n - 1));
    }
    taken[j] = true;
    permutation.indices.push_back(static_cast<std::uint32_t>(i * n + j));
  }
  return permutation;
}

std::vector<int> Birkhoff::columns(const Structure& permutation) const {
  std::vector<int> result(n, -1);
  for (const std::uint32_t index : permutation.indices) result.at(index / n) = static_cast<int>(index % n);
  return result;
}

}  // namespace fenchel
