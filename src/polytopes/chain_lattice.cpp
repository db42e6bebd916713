// SPDX-License-Identifier: Apache-2.0
#include "polytopes/chain_lattice.hpp"

#include <algorithm>

#include "fenchel/core/numeric.hpp"
#include "kernels/chain.hpp"
#include "polytopes/chain_smoothing.hpp"

namespace fenchel {
namespace {

std::uint32_t narrow(std::size_t state) { return static_cast<std::uint32_t>(state); }

/// The first of the largest values.
std::uint32_t argmax(std::span<const double> values) {
  return narrow(static_cast<std::size_t>(std::ranges::max_element(values) - values.begin()));
}

/// An index drawn in proportion to weights given by their running sums.
std::uint32_t draw(std::span<const double> sums, Random& random) {
  const auto above = std::ranges::upper_bound(sums, random.uniform() * sums.back());
  if (above != sums.end()) return narrow(static_cast<std::size_t>(above - sums.begin()));
  // Rounding can take the product up to the total: that means the last state with a weight.
  return narrow(static_cast<std::size_t>(std::ranges::lower_bound(sums, sums.back()) - sums.begin()));
}

void accumulate(std::span<double> weights) {
  for (std::size_t j = 1; j < weights.size(); ++j) weights[j] += weights[j - 1];
}

/// A path to a node: its score, and the path to the node before that it continues.
struct Partial {
  double score;
  std::uint32_t state;
  std::uint32_t rank;
};

/// The order of a heap of partial paths whose top is the best; ties go to the lower state.
bool worse_path(const Partial& a, const Partial& b) {
  return a.score != b.score ? a.score < b.score : a.state > b.state;
}

/// The sorted lists of partial paths to the nodes of one step.
struct Step {
  std::span<Partial> partials;    // [m, capacity]
  std::span<std::uint32_t> size;  // [m]
  std::size_t capacity;

  std::span<Partial> of(std::size_t i) const { return partials.subspan(i * capacity, size[i]); }
};

/// Merges the sorted lists of the previous step, each shifted by the score of its edge, into `out`; returns
/// how many.
std::size_t merge(const Step& before, std::span<const double> edges, double node, std::span<Partial> heap,
                  std::span<Partial> out) {
  std::size_t open = 0;
  for (std::size_t j = 0; j < edges.size(); ++j) {
    if (edges[j] == -infinity || before.size[j] == 0) continue;
    heap[open++] = {edges[j] + before.of(j)[0].score, narrow(j), 0};
  }
  const auto first = heap.begin();
  std::make_heap(first, first + static_cast<std::ptrdiff_t>(open), worse_path);
  std::size_t count = 0;
  while (open > 0 && count < out.size()) {
    const auto last = first + static_cast<std::ptrdiff_t>(open);
    std::pop_heap(first, last, worse_path);
    Partial& top = heap[open - 1];
    out[count++] = {top.score + node, top.state, top.rank};
    if (++top.rank < before.size[top.state]) {
      top.score = edges[top.state] + before.of(top.state)[top.rank].score;
      std::push_heap(first, last, worse_path);
    } else {
      --open;
    }
  }
  return count;
}

}  // namespace

double best_path(const Lattice& theta, Path path, Workspace& scratch) {
  const std::size_t m = theta.m;
  const Workspace::Frame frame(scratch);
  const std::span<double> best = scratch.take<double>(theta.n * m);
  const std::span<double> x = scratch.take<double>(m);
  std::copy_n(theta.start, m, best.begin());
  for (std::size_t t = 1; t < theta.n; ++t) {
    const std::span<double> step = best.subspan(t * m, m);
    kernels::chain_max(theta.matrix(t), best.subspan((t - 1) * m, m), step);
    if (theta.nodes == nullptr) continue;
    for (std::size_t i = 0; i < m; ++i) step[i] += theta.nodes[t * m + i];
  }
  std::uint32_t state = argmax(best.last(m));
  const double score = best.last(m)[state];
  if (score == -infinity) return score;
  // The argmax of a row is found only where the path passes: n rows instead of n·m.
  for (std::size_t t = theta.n; t-- > 0;) {
    path[t] = state;
    if (t == 0) break;
    const std::span<const double> edges = theta.row(t, state);
    for (std::size_t j = 0; j < m; ++j) x[j] = edges[j] + best[(t - 1) * m + j];
    state = argmax(x);
  }
  return score;
}

void best_paths(const Lattice& theta, std::size_t k, AssignPath assign, std::vector<Structure>& structures,
                Workspace& scratch) {
  if (k == 0) return structures.clear();
  const std::size_t n = theta.n;
  const std::size_t m = theta.m;
  const Workspace::Frame frame(scratch);
  const std::span<Step> steps = scratch.take<Step>(n + 1);  // the last holds one list: all paths
  std::size_t capacity = 1;                                 // no more than m^t paths lead to a node of step t
  const std::span<Partial> heap = scratch.take<Partial>(m);
  for (std::size_t t = 0; t <= n; ++t) {
    const std::size_t nodes = t == n ? 1 : m;
    steps[t] = {scratch.take<Partial>(nodes * capacity), scratch.take<std::uint32_t>(nodes), capacity};
    for (std::size_t i = 0; i < nodes; ++i) {
      std::span<Partial> out = steps[t].partials.subspan(i * capacity, capacity);
      std::size_t count = 0;
      if (t == 0) {
        out[0] = {theta.start[i], 0, 0};
        count = theta.start[i] == -infinity ? 0 : 1;
      } else if (t < n && theta.node(t, i) != -infinity) {
        count = merge(steps[t - 1], theta.row(t, i), theta.node(t, i), heap, out);
      } else if (t == n) {
        const std::span<double> none = scratch.take<double>(m);
        std::ranges::fill(none, 0.0);
        count = merge(steps[t - 1], none, 0, heap, out);
      }
      steps[t].size[i] = narrow(count);
    }
    capacity = capacity > k / m ? k : capacity * m;
  }
  const std::span<Partial> all = steps[n].of(0);
  const Path path = scratch.take<std::uint32_t>(n);
  structures.resize(all.size());
  for (std::size_t r = 0; r < all.size(); ++r) {
    Partial at = all[r];
    for (std::size_t t = n; t-- > 0;) {
      path[t] = at.state;
      at = steps[t].of(at.state)[at.rank];
    }
    assign(path, structures[r]);
  }
}

void sample_paths(const Lattice& theta, Random& random, AssignPath assign, std::span<Structure> draws,
                  Workspace& scratch) {
  const std::size_t n = theta.n;
  const std::size_t m = theta.m;
  const std::size_t count = draws.size();
  const Workspace::Frame frame(scratch);
  const std::span<std::uint32_t> paths = scratch.take<std::uint32_t>(count * n);
  const SmoothedPass pass = smoothed_forward(theta, scratch);
  if (pass.value == -infinity) return;
  const std::span<double> sums = scratch.take<double>(m * m);
  const std::span<bool> known = scratch.take<bool>(m);
  const std::span<double> last = pass.step(n - 1, m);
  soften(last);
  accumulate(last);
  for (std::size_t d = 0; d < count; ++d) paths[d * n + n - 1] = draw(last, random);
  // All draws take a step together, so that each distribution that is met is computed once and then
  // forgotten.
  for (std::size_t t = n - 1; t > 0; --t) {
    std::ranges::fill(known, false);
    for (std::size_t d = 0; d < count; ++d) {
      const std::uint32_t state = paths[d * n + t];
      const std::span<double> row = sums.subspan(state * m, m);
      if (!known[state]) {
        smoothed_row(theta, pass, t, state, row);
        accumulate(row);
        known[state] = true;
      }
      paths[d * n + t - 1] = draw(row, random);
    }
  }
  for (std::size_t d = 0; d < count; ++d) assign(paths.subspan(d * n, n), draws[d]);
}

}  // namespace fenchel
