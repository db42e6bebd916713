// SPDX-License-Identifier: Apache-2.0
// The Euclidean projection onto the arborescence polytope (SparseMAP, paper §7.3) by cutting planes: project
// onto a relaxation (arborescence_relaxation.hpp), look for sets of words into which too little flows from
// the root (solvers/root_cut.hpp), add them, and begin again. A point that violates none is the projection.
// Flat scores, whose projection is a mixture of hundreds of trees, need few sets or none; where the
// projection has few trees, the active set method finds these sooner.
#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/pooled.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "fenchel/solvers/active_set.hpp"
#include "polytopes/arborescence_relaxation.hpp"
#include "solvers/root_cut.hpp"

namespace fenchel {
namespace {

using arborescence::Relaxation;

constexpr int max_rounds = 200;  // far more than were ever seen
// In units of the noise of a set's sum, above what Relaxation::solve leaves: what counts as violated.
constexpr double cut_margin = 100;
// Beyond, scores are so large that sums of shares lose more digits than the active set method does.
constexpr double largest_noise = 1e-12;
// The Wolfe gap of a projection is rounding, far below this; any other point is left to the active set
// method.
constexpr double largest_gap = 1e-10;

// Whether to expect few trees: where few heads of a word are within one of its best, most of the others would
// have no share even without the constraints that words have in common. A root with one child is no head of
// most words, whatever its scores.
bool few_trees(const Arborescence& set, std::span<const double> theta, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto best = scratch.take<double>(set.n);
  std::ranges::fill(best, -infinity);
  const auto score = [&](std::size_t h, std::size_t m) {
    return set.single_root && h == m ? -infinity : theta[h * set.n + m];
  };
  for (std::size_t h = 0; h < set.n; ++h) {
    for (std::size_t m = 0; m < set.n; ++m) best[m] = std::max(best[m], score(h, m));
  }
  std::size_t close = 0;
  for (std::size_t h = 0; h < set.n; ++h) {
    for (std::size_t m = 0; m < set.n; ++m) close += score(h, m) > best[m] - 1 ? 1 : 0;
  }
  return close <= 2 * set.n;
}

// Adds sets until none is violated; false if that does not succeed.
bool solve_by_cuts(Relaxation& relaxation, int& iterations, Workspace& scratch) {
  for (int round = 0; round < max_rounds; ++round) {
    const Report report = relaxation.solve();
    iterations += report.iterations;
    const double noise = relaxation.noise();
    if (!report.converged() || noise > largest_noise || relaxation.full()) return false;
    const Workspace::Frame frame(scratch);
    bool violated = false;
    RootCut(relaxation.mu(), scratch)
        .find(cut_margin * noise, [&](std::span<const std::uint32_t> words, double inflow) {
          violated = true;
          relaxation.add_cut(words, inflow);
        });
    if (!violated) return true;
  }
  return false;
}

// The Wolfe gap max over Y of ⟨θ − μ, y − μ⟩, the certificate that ActiveSet reports too.
double wolfe_gap(const Arborescence& set, std::span<const double> theta, std::span<const double> mu,
                 Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto ascent = scratch.take<double>(theta.size());
  for (std::size_t j = 0; j < theta.size(); ++j) ascent[j] = theta[j] - mu[j];
  const Pooled<Structure> best;
  set.map(ascent, *best, scratch);
  // Word by word, so that the size of the scores cancels.
  double gap = 0;
  for (const std::uint32_t index : best->indices) {
    const std::size_t m = index % set.n;
    for (std::size_t h = 0; h < set.n; ++h) {
      const std::size_t j = h * set.n + m;
      if (mu[j] > 0) gap += mu[j] * ((theta[index] - theta[j]) - (mu[index] - mu[j]));
    }
  }
  return gap;
}

Report by_active_set(const Arborescence& set, std::span<const double> theta, Mixture& mixture,
                     std::span<double> mu, Workspace& scratch) {
  mixture.weights.clear();
  const auto oracle = [&](std::span<const double> scores, Structure& best) {
    return set.map(scores, best, scratch);
  };
  return ActiveSet{}.minimize(theta, oracle, mixture, mu, scratch);
}

void transpose(MatrixView<const double> from, std::span<double> to) {
  const std::size_t n = from.rows();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) to[j * n + i] = from.row(i)[j];
  }
}

bool has_tree(const Arborescence& set, std::span<const double> theta, Workspace& scratch) {
  const bool masked = std::ranges::any_of(theta, [](double score) { return score == -infinity; });
  const Pooled<Structure> best;
  return !masked || set.map(theta, *best, scratch) > -infinity;
}

}  // namespace

Report Arborescence::project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  if (Report report; !few_trees(*this, theta, scratch) && has_tree(*this, theta, scratch)) {
    Relaxation relaxation(*this, theta, scratch);
    if (solve_by_cuts(relaxation, report.iterations, scratch)) {
      transpose(relaxation.mu(), out);
      report.residual = std::max(wolfe_gap(*this, theta, out, scratch), 0.0);
      if (report.residual <= largest_gap) return report;
    }
  }
  const Pooled<Mixture> mixture;
  return by_active_set(*this, theta, *mixture, out, scratch);
}

void Arborescence::project_jvp(std::span<const double> theta, std::span<const double>,
                               std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  if (!few_trees(*this, theta, scratch)) {
    Relaxation relaxation(*this, theta, scratch);
    if (int iterations = 0; solve_by_cuts(relaxation, iterations, scratch)) {
      const MatrixView<double> columns(scratch.take<double>(v.size()).data(), n, n);
      transpose({v.data(), n, n}, {columns.data(), v.size()});
      relaxation.jvp(columns);
      return transpose(columns, out);
    }
  }
  const Pooled<Mixture> mixture;
  by_active_set(*this, theta, *mixture, scratch.take<double>(theta.size()), scratch);
  active_set_jvp(*mixture, v, out, scratch);
}

}  // namespace fenchel
