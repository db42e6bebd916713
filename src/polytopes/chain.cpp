// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/chain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "kernels/chain.hpp"
#include "polytopes/chain_checks.hpp"
#include "polytopes/chain_smoothing.hpp"
#include "polytopes/entries.hpp"

namespace fenchel {
namespace {

std::size_t transition_index(const Chain& set, std::size_t previous, std::size_t next) {
  return set.n * set.m + previous * set.m + next;
}
std::size_t start_index(const Chain& set) { return set.n * set.m + set.m * set.m; }
std::size_t end_index(const Chain& set) { return start_index(set) + set.m; }

/// The scores of states with those of the boundary added to the first and the last step; θ itself without.
std::span<const double> node_scores(const Chain& set, std::span<const double> theta, Workspace& scratch) {
  const std::span<const double> states = theta.first(set.n * set.m);
  if (!set.boundary) return states;
  const std::span<double> nodes = scratch.take<double>(states.size());
  std::ranges::copy(states, nodes.begin());
  for (std::size_t i = 0; i < set.m; ++i) {
    nodes[i] += theta[start_index(set) + i];
    nodes[(set.n - 1) * set.m + i] += theta[end_index(set) + i];
  }
  return nodes;
}

kernels::SharedChain shared_chain(const Chain& set, std::span<const double> theta, Workspace& scratch) {
  return {node_scores(set, theta, scratch), theta.subspan(set.n * set.m, set.m * set.m), set.m};
}

kernels::SharedChainGradient shared_gradient(const Chain& set, std::span<double> mu) {
  return {mu.first(set.n * set.m), mu.subspan(set.n * set.m, set.m * set.m)};
}

/// θ (or a direction) as a lattice; what it computes lives in the caller's frame of `scratch`.
Lattice chain_lattice(const Chain& set, std::span<const double> theta, Workspace& scratch) {
  const kernels::SharedChain shared = shared_chain(set, theta, scratch);
  const std::span<double> edges = scratch.take<double>(set.m * set.m);
  transpose(shared.transitions, set.m, edges);
  return {set.n, set.m, shared.nodes.data(), edges.data(), 0, shared.nodes.data()};
}

/// Where the derivatives of a chain go; the transitions separately, because they come next state first.
LatticeGradient gradient_view(const Chain& set, std::span<double> out, Workspace& scratch) {
  return {out.data(), scratch.take<double>(set.m * set.m).data(), 0, out.data()};
}

/// The boundary scores have the derivatives of the first and of the last step.
void copy_boundary(const Chain& set, std::span<double> out) {
  if (!set.boundary) return;
  std::ranges::copy(out.first(set.m), out.begin() + static_cast<std::ptrdiff_t>(start_index(set)));
  std::ranges::copy(out.subspan((set.n - 1) * set.m, set.m),
                    out.begin() + static_cast<std::ptrdiff_t>(end_index(set)));
}

void finish(const Chain& set, const LatticeGradient& view, std::span<double> out) {
  const std::size_t square = set.m * set.m;
  transpose({view.edges, square}, set.m, out.subspan(set.n * set.m, square));
  copy_boundary(set, out);
}

void assign_path(const Chain& set, std::span<const std::uint32_t> path, Structure& out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  out.clear();
  for (std::size_t t = 0; t < set.n; ++t)
    out.indices.push_back(static_cast<std::uint32_t>(t * set.m + path[t]));
  const std::span<std::uint32_t> moves = scratch.take<std::uint32_t>(set.n - 1);
  for (std::size_t t = 1; t < set.n; ++t) {
    moves[t - 1] = static_cast<std::uint32_t>(transition_index(set, path[t - 1], path[t]));
  }
  std::ranges::sort(moves);
  out.values.assign(set.n, 1.0);
  bool ones = true;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    if (k > 0 && moves[k] == moves[k - 1]) {
      out.values.back() += 1;
      ones = false;
    } else {
      out.indices.push_back(moves[k]);
      out.values.push_back(1);
    }
  }
  if (set.boundary) {
    out.indices.push_back(static_cast<std::uint32_t>(start_index(set) + path[0]));
    out.indices.push_back(static_cast<std::uint32_t>(end_index(set) + path[set.n - 1]));
    out.values.insert(out.values.end(), 2, 1.0);
  }
  if (ones) out.values.clear();
}

/// Where the states of a point are zeros and ones, its transitions are those between them.
void check_transitions(const Chain& set, std::string_view name, std::span<const double> mu,
                       double tolerance) {
  if (!entries::all_whole(mu.first(set.n * set.m))) return;
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const std::span<double> counts = scratch.take<double>(set.m * set.m);
  std::ranges::fill(counts, 0.0);
  std::size_t previous = 0;
  for (std::size_t t = 0; t < set.n; ++t) {
    const auto states = mu.subspan(t * set.m, set.m);
    const auto state = static_cast<std::size_t>(std::ranges::max_element(states) - states.begin());
    if (t > 0) counts[previous * set.m + state] += 1;
    previous = state;
  }
  for (std::size_t i = 0; i < set.m; ++i) {
    for (std::size_t j = 0; j < set.m; ++j) {
      const double given = mu[transition_index(set, i, j)];
      if (std::abs(given - counts[i * set.m + j]) <= tolerance) continue;
      throw OutsideDomain(
          name, fmt::format("has {} transitions from state {} to state {}; its states make {}", given, i, j,
                            counts[i * set.m + j]));
    }
  }
}

/// Whether `values` is 1 at `place` and 0 elsewhere.
bool is_unit_vector(std::span<const double> values, std::size_t place) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != (i == place ? 1 : 0)) return false;
  }
  return place < values.size();
}

}  // namespace

std::vector<Chain> Chain::examples() {
  return {{.n = 4, .m = 3},
          {.n = 1, .m = 3},
          {.n = 5, .m = 2, .boundary = true},
          {.n = 3, .m = 5},
          {.n = 1, .m = 2, .boundary = true},
          {.n = 3, .m = 1}};
}

void Chain::check() const { check_chain_size(n, m, 1, std::max(n, boundary ? n + 2 : n)); }

double Chain::map(std::span<const double> theta, Structure& out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Path path = scratch.take<std::uint32_t>(n);
  const double score = best_path(chain_lattice(*this, theta, scratch), path, scratch);
  if (score != -infinity) assign_path(*this, path, out, scratch);
  return score;
}

double Chain::marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const kernels::SharedChainGradient written = shared_gradient(*this, mu);
  if (const auto log_z =
          kernels::shared_chain_marginals(shared_chain(*this, theta, scratch), written, scratch)) {
    copy_boundary(*this, mu);
    return *log_z;
  }
  const Lattice lattice = chain_lattice(*this, theta, scratch);
  const LatticeGradient view = gradient_view(*this, mu, scratch);
  const double log_z = smoothed_gradient(lattice, view, scratch);
  if (log_z != -infinity) finish(*this, view, mu);
  return log_z;
}

double Chain::log_partition(std::span<const double> theta, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  if (const auto log_z = kernels::shared_chain_marginals(shared_chain(*this, theta, scratch), {}, scratch)) {
    return *log_z;
  }
  return smoothed_forward(chain_lattice(*this, theta, scratch), scratch).value;
}

void Chain::marginals_jvp(std::span<const double> theta, std::span<const double> /*mu*/,
                          std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  if (kernels::shared_chain_covariance(shared_chain(*this, theta, scratch), shared_chain(*this, v, scratch),
                                       shared_gradient(*this, out), scratch)) {
    copy_boundary(*this, out);
    return;
  }
  const Lattice lattice = chain_lattice(*this, theta, scratch);
  const Lattice direction = chain_lattice(*this, v, scratch);
  const LatticeGradient view = gradient_view(*this, out, scratch);
  smoothed_hessian_product(lattice, direction, view, scratch);
  finish(*this, view, out);
}

void Chain::k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
                   Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto assign = [&](Path path, Structure& out) { assign_path(*this, path, out, scratch); };
  best_paths(chain_lattice(*this, theta, scratch), k, assign, structures, scratch);
}

void Chain::sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
                   Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto assign = [&](Path path, Structure& out) { assign_path(*this, path, out, scratch); };
  sample_paths(chain_lattice(*this, theta, scratch), random, assign, draws, scratch);
}

bool Chain::is_vertex(std::span<const double> mu) const {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const std::span<double> counts = scratch.take<double>(m * m);
  std::ranges::fill(counts, 0.0);
  std::size_t previous = 0;
  for (std::size_t t = 0; t < n; ++t) {
    const std::span<const double> states = mu.subspan(t * m, m);
    const auto state = static_cast<std::size_t>(std::ranges::find(states, 1.0) - states.begin());
    if (!is_unit_vector(states, state)) return false;
    if (t > 0) counts[previous * m + state] += 1;
    if (boundary && t == 0 && !is_unit_vector(mu.subspan(start_index(*this), m), state)) return false;
    previous = state;
  }
  if (boundary && !is_unit_vector(mu.subspan(end_index(*this), m), previous)) return false;
  return std::ranges::equal(mu.subspan(n * m, m * m), counts);
}

void Chain::check_point(std::string_view name, std::span<const double> mu) const {
  // Every sum below has at most n terms, each as exact as a row of proportions.
  const double tolerance = simplex_tolerance<double> * static_cast<double>(n);
  check_non_negative(name, mu, simplex_tolerance<double>);
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const std::span<double> leaving = scratch.take<double>(m);
  const std::span<double> entering = scratch.take<double>(m);
  std::ranges::fill(leaving, 0.0);
  std::ranges::fill(entering, 0.0);
  for (std::size_t t = 0; t < n; ++t) {
    const std::span<const double> states = mu.subspan(t * m, m);
    check_flow(name, "step", t, sum_of(states), 1, simplex_tolerance<double>);
    for (std::size_t i = 0; i < m; ++i) {
      if (t + 1 < n) leaving[i] += states[i];
      if (t > 0) entering[i] += states[i];
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    double from = 0;
    double into = 0;
    for (std::size_t j = 0; j < m; ++j) {
      from += mu[transition_index(*this, i, j)];
      into += mu[transition_index(*this, j, i)];
    }
    check_flow(name, "the transitions from state", i, from, leaving[i], tolerance);
    check_flow(name, "the transitions to state", i, into, entering[i], tolerance);
    if (!boundary) continue;
    check_flow(name, "the start in state", i, mu[start_index(*this) + i], mu[i], tolerance);
    check_flow(name, "the end in state", i, mu[end_index(*this) + i], mu[(n - 1) * m + i], tolerance);
  }
  check_transitions(*this, name, mu, tolerance);
}

void Chain::hamming_cost(std::span<const double> y, std::span<double> cost) const {
  for (std::size_t k = 0; k < cost.size(); ++k) cost[k] = k < n * m ? 1 - 2 * y[k] : 0;
}

Structure Chain::structure(std::span<const int> tags) const {
  check_tags(tags, n, m);
  Structure y;
  const std::vector<std::uint32_t> path(tags.begin(), tags.end());
  assign_path(*this, path, y, thread_workspace());
  return y;
}

std::vector<int> Chain::tags(const Structure& y) const {
  std::vector<int> states(n);
  for (std::size_t t = 0; t < n; ++t) {
    if (t >= y.size() || y.indices[t] / m != t) {
      throw std::invalid_argument(fmt::format("y has no state at step {}; expected one at every step", t));
    }
    states[t] = static_cast<int>(y.indices[t] % m);
  }
  if (structure(states) != y) {
    throw std::invalid_argument(
        "y does not count the transitions of its states; expected a sequence's structure");
  }
  return states;
}

}  // namespace fenchel
