// SPDX-License-Identifier: Apache-2.0
#include "polytopes/chain_smoothing.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

/// Where every entry of a step is masked nothing is shifted.
double finite_or_zero(double value) { return value == -infinity ? 0 : value; }

/// Subtracts the largest entry of `values` and returns it.
double recentre(std::span<double> values) {
  const double top = finite_or_zero(max_of(values));
  for (double& value : values) value -= top;
  return top;
}

void clear(const Lattice& shape, const LatticeGradient& out) {
  const std::size_t square = shape.m * shape.m;
  std::fill_n(out.start, shape.m, 0.0);
  if (out.edge_step == 0) {
    std::fill_n(out.edges, square, 0.0);
  } else if (shape.n > 1) {
    std::fill_n(out.edges + square, (shape.n - 1) * square, 0.0);
  }
}

/// The derivative of a forward pass along v: that of V_t up to a constant per step.
std::span<double> smoothed_slopes(const Lattice& theta, const SmoothedPass& pass, const Lattice& v,
                                  Workspace& scratch) {
  const std::size_t m = theta.m;
  const std::span<double> slopes = scratch.take<double>(theta.n * m);
  const Workspace::Frame frame(scratch);
  const std::span<double> p = scratch.take<double>(m);
  for (std::size_t t = 0; t < theta.n; ++t) {
    const std::span<double> slope = slopes.subspan(t * m, m);
    for (std::size_t i = 0; i < m; ++i) {
      slope[i] = t == 0 ? v.start[i] : v.node(t, i);
      if (t == 0) continue;
      smoothed_row(theta, pass, t, i, p);
      const std::span<const double> direction = v.row(t, i);
      for (std::size_t j = 0; j < m; ++j) slope[i] += p[j] * (direction[j] + slopes[(t - 1) * m + j]);
    }
    // Only differences within a step matter: relative to the best state, they do not grow with the steps.
    const auto best = std::ranges::max_element(pass.step(t, m)) - pass.step(t, m).begin();
    const double reference = slope[static_cast<std::size_t>(best)];
    for (double& entry : slope) entry -= reference;
  }
  return slopes;
}

}  // namespace

/// log Σ exp with all terms but the largest summed separately, so that tiny ones are not absorbed by its 1.
double soften(std::span<double> x) {
  const double top = max_of(x);
  if (top == -infinity) {
    std::ranges::fill(x, 0.0);
    return top;
  }
  double others = 0;
  bool seen = false;
  for (double& entry : x) {
    const bool largest = !seen && entry == top;
    entry = largest ? 1 : std::exp(entry - top);
    if (!largest) others += entry;
    seen = seen || largest;
  }
  for (double& entry : x) entry /= 1 + others;
  return top + std::log1p(others);
}

double derive(std::span<const double> p, std::span<double> x) {
  double mean = 0;
  for (std::size_t j = 0; j < p.size(); ++j) {
    if (p[j] != 0) mean += p[j] * x[j];
  }
  for (std::size_t j = 0; j < p.size(); ++j) x[j] = p[j] == 0 ? 0 : p[j] * (x[j] - mean);
  return mean;
}

double smoothed_row(const Lattice& theta, const SmoothedPass& pass, std::size_t t, std::size_t i,
                    std::span<double> x) {
  const std::span<const double> row = theta.row(t, i);
  const std::span<const double> previous = pass.step(t - 1, theta.m);
  const double shift = pass.edge_shifts[t];
  for (std::size_t j = 0; j < theta.m; ++j) x[j] = (row[j] - shift) + previous[j];
  return soften(x);
}

SmoothedPass smoothed_forward(const Lattice& theta, Workspace& scratch) {
  const std::size_t m = theta.m;
  SmoothedPass pass{scratch.take<double>(theta.n * m), scratch.take<double>(theta.n)};
  const Workspace::Frame frame(scratch);
  const std::span<double> x = scratch.take<double>(m);
  CompensatedSum value;
  for (std::size_t t = 0; t < theta.n; ++t) {
    const std::span<double> step = pass.step(t, m);
    if (t == 0) {
      std::copy_n(theta.start, m, step.begin());
    } else {
      // Shifted before anything is added: scores near ±1e6 would round away the digits of the others.
      pass.edge_shifts[t] = finite_or_zero(max_of(theta.matrix(t)));
      value += pass.edge_shifts[t];
      for (std::size_t i = 0; i < m; ++i) step[i] = theta.node(t, i);
      value += recentre(step);
      for (std::size_t i = 0; i < m; ++i) {
        if (step[i] != -infinity) step[i] += smoothed_row(theta, pass, t, i, x);
      }
    }
    value += recentre(step);
  }
  std::ranges::copy(pass.step(theta.n - 1, m), x.begin());
  const double last = soften(x);
  value += finite_or_zero(last);
  pass.value = last == -infinity ? last : value.value();
  return pass;
}

double smoothed_gradient(const Lattice& theta, const LatticeGradient& mu, Workspace& scratch) {
  const std::size_t m = theta.m;
  const Workspace::Frame frame(scratch);
  const SmoothedPass pass = smoothed_forward(theta, scratch);
  if (pass.value == -infinity) return pass.value;
  std::span<double> node = scratch.take<double>(m);
  std::span<double> before = scratch.take<double>(m);
  const std::span<double> p = scratch.take<double>(m);
  clear(theta, mu);
  std::ranges::copy(pass.step(theta.n - 1, m), node.begin());
  soften(node);
  for (std::size_t t = theta.n - 1; t > 0; --t) {
    std::ranges::fill(before, 0.0);
    if (mu.nodes != nullptr) std::ranges::copy(node, mu.nodes + t * m);
    for (std::size_t i = 0; i < m; ++i) {
      if (node[i] == 0) continue;
      smoothed_row(theta, pass, t, i, p);
      add_scaled(node[i], p, mu.edges + t * mu.edge_step + i * m);
      add_scaled(node[i], p, before.data());
    }
    std::swap(node, before);
  }
  std::ranges::copy(node, mu.start);
  return pass.value;
}

void smoothed_hessian_product(const Lattice& theta, const Lattice& v, const LatticeGradient& out,
                              Workspace& scratch) {
  const std::size_t m = theta.m;
  const Workspace::Frame frame(scratch);
  const SmoothedPass pass = smoothed_forward(theta, scratch);
  const std::span<double> slopes = smoothed_slopes(theta, pass, v, scratch);
  std::span<double> node = scratch.take<double>(m);
  std::span<double> change = scratch.take<double>(m);
  std::span<double> node_before = scratch.take<double>(m);
  std::span<double> change_before = scratch.take<double>(m);
  const std::span<double> p = scratch.take<double>(m);
  const std::span<double> x = scratch.take<double>(m);
  clear(theta, out);
  std::ranges::copy(pass.step(theta.n - 1, m), node.begin());
  soften(node);
  std::ranges::copy(slopes.subspan((theta.n - 1) * m, m), change.begin());
  derive(node, change);
  for (std::size_t t = theta.n - 1; t > 0; --t) {
    std::ranges::fill(node_before, 0.0);
    std::ranges::fill(change_before, 0.0);
    if (out.nodes != nullptr) std::ranges::copy(change, out.nodes + t * m);
    for (std::size_t i = 0; i < m; ++i) {
      if (node[i] == 0 && change[i] == 0) continue;
      smoothed_row(theta, pass, t, i, p);
      const std::span<const double> direction = v.row(t, i);
      for (std::size_t j = 0; j < m; ++j) x[j] = direction[j] + slopes[(t - 1) * m + j];
      derive(p, x);
      double* edge = out.edges + t * out.edge_step + i * m;
      for (std::size_t j = 0; j < m; ++j) {
        const double moved = change[i] * p[j] + node[i] * x[j];
        edge[j] += moved;
        change_before[j] += moved;
        node_before[j] += node[i] * p[j];
      }
    }
    std::swap(node, node_before);
    std::swap(change, change_before);
  }
  std::ranges::copy(change, out.start);
}

}  // namespace fenchel
