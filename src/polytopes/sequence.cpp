// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/sequence.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "kernels/chain.hpp"
#include "polytopes/chain_checks.hpp"
#include "polytopes/chain_smoothing.hpp"
#include "polytopes/sequence_lattice.hpp"

namespace fenchel {
namespace {

void assign_path(const Sequence& set, std::span<const std::uint32_t> path, Structure& out) {
  out.clear();
  std::size_t previous = 0;
  for (std::size_t t = 0; t < set.n; ++t) {
    out.indices.push_back(static_cast<std::uint32_t>((t * set.m + path[t]) * set.m + previous));
    previous = path[t];
  }
}

}  // namespace

std::vector<Sequence> Sequence::examples() {
  return {{.n = 3, .m = 2}, {.n = 1, .m = 4}, {.n = 4, .m = 3}, {.n = 3, .m = 5}, {.n = 3, .m = 1}};
}

void Sequence::check() const { check_chain_size(n, m, n, 0); }

double Sequence::map(std::span<const double> theta, Structure& out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Path path = scratch.take<std::uint32_t>(n);
  const double score = best_path(sequence_lattice(*this, theta, scratch), path, scratch);
  if (score != -infinity) assign_path(*this, path, out);
  return score;
}

double Sequence::marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const {
  if (const auto log_z = kernels::chain_marginals(theta, m, mu, scratch)) return *log_z;
  return sequence_gradient(*this, theta, mu, scratch);
}

double Sequence::log_partition(std::span<const double> theta, Workspace& scratch) const {
  if (const auto log_z = kernels::chain_marginals(theta, m, {}, scratch)) return *log_z;
  const Workspace::Frame frame(scratch);
  return smoothed_forward(sequence_lattice(*this, theta, scratch), scratch).value;
}

void Sequence::marginals_jvp(std::span<const double> /*theta*/, std::span<const double> mu,
                             std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  kernels::chain_covariance(mu, m, v, out, scratch);
}

void Sequence::k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
                      Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto assign = [&](Path path, Structure& out) { assign_path(*this, path, out); };
  best_paths(sequence_lattice(*this, theta, scratch), k, assign, structures, scratch);
}

void Sequence::sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
                      Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto assign = [&](Path path, Structure& out) { assign_path(*this, path, out); };
  sample_paths(sequence_lattice(*this, theta, scratch), random, assign, draws, scratch);
}

void Sequence::check_point(std::string_view name, std::span<const double> mu) const {
  constexpr double tolerance = simplex_tolerance<double>;
  check_non_negative(name, mu, tolerance);
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const std::span<double> into = scratch.take<double>(m);
  const std::span<double> from = scratch.take<double>(m);
  for (std::size_t t = 0; t < n; ++t) {
    std::ranges::fill(from, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
      const std::span<const double> row = mu.subspan((t * m + i) * m, m);
      for (std::size_t j = 0; j < m; ++j) from[j] += row[j];
    }
    for (std::size_t j = 0; j < m; ++j) {
      const double expected = t == 0 ? (j == 0 ? 1 : 0) : into[j];
      if (std::abs(from[j] - expected) <= tolerance) continue;  // build the message only where it is needed
      check_flow(name, fmt::format("the flow at step {} from state", t), j, from[j], expected, tolerance);
    }
    for (std::size_t i = 0; i < m; ++i) into[i] = sum_of(mu.subspan((t * m + i) * m, m));
  }
}

Structure Sequence::structure(std::span<const int> tags) const {
  check_tags(tags, n, m);
  Structure y;
  const std::vector<std::uint32_t> path(tags.begin(), tags.end());
  assign_path(*this, path, y);
  return y;
}

std::vector<int> Sequence::tags(const Structure& y) const {
  check_size("y", y.size(), n);
  std::vector<int> states(n);
  std::size_t previous = 0;
  for (std::size_t t = 0; t < n; ++t) {
    const std::size_t state = y.indices[t] / m % m;
    const std::size_t expected = (t * m + state) * m + previous;
    if (y.indices[t] != expected || y.value(t) != 1) {
      throw std::invalid_argument(
          fmt::format("y has entry {} with value {} at step {}; expected entry {} with value 1", y.indices[t],
                      y.value(t), t, expected));
    }
    states[t] = static_cast<int>(state);
    previous = state;
  }
  return states;
}

}  // namespace fenchel
