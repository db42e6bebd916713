// SPDX-License-Identifier: Apache-2.0
// The Euclidean projection onto the arborescence polytope (SparseMAP, paper §7.3) by cutting planes: project
// onto a relaxation (arborescence_relaxation.hpp), look for sets of words into which too little flows from
// the root (solvers/root_cut.hpp), add them, and repeat. A point that violates none is the projection.
// Flat scores, whose projection is a mixture of hundreds of trees, need few sets or none. Where words have
// few good heads, the projection usually has few trees, which the active set method finds sooner: it is then
// tried first, with a limited number of calls, and again last if the cutting planes end above rounding.
#include <algorithm>
#include <optional>

#include "core/pooled.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "fenchel/solvers/active_set.hpp"
#include "polytopes/arborescence_relaxation.hpp"
#include "solvers/root_cut.hpp"

namespace fenchel {
namespace {

using arborescence::Relaxation;

constexpr int max_rounds = 200;  // far more than ever observed
// How far below one the flow into a set of words may be, in units of the rounding of its sum or of what
// Relaxation::solve leaves, whichever is larger.
constexpr double noise_margin = 100;
constexpr double residual_margin = 10;
// The Wolfe gap of a projection is far below this, apart from the rounding of the sets times their
// multipliers; any other point is left to the active set method.
constexpr double largest_gap = 1e-10;
// Calls of the oracle, for each word and in all, after which the active set method turns out to need more
// trees than expected.
constexpr int calls_each = 3;
constexpr int calls_more = 20;

// θ less the best score of each word and, with one root, of the root: terms that every tree has
// do not change the projection, but would cost it digits. A root with one child is not the head of most
// words.
std::span<double> centered(const Arborescence& set, std::span<const double> theta, Workspace& scratch) {
  const std::size_t n = set.n;
  const auto out = scratch.take<double>(theta.size());
  const auto tops = scratch.take<double>(n);
  std::ranges::fill(tops, -infinity);
  for (std::size_t h = 0; h < n; ++h) {
    for (std::size_t m = 0; m < n; ++m) {
      if (h != m || !set.single_root) tops[m] = std::max(tops[m], theta[h * n + m]);
    }
  }
  for (std::size_t h = 0; h < n; ++h) {
    for (std::size_t m = 0; m < n; ++m) {
      const double score = theta[h * n + m];
      out[h * n + m] = tops[m] > -infinity ? score - tops[m] : score;
    }
  }
  double root = -infinity;
  for (std::size_t m = 0; m < n; ++m) root = std::max(root, out[m * n + m]);
  if (!set.single_root || root == -infinity) return out;
  for (std::size_t m = 0; m < n; ++m) out[m * n + m] -= root;
  return out;
}

// Whether to expect few trees: where few heads of a word score within one of its best, most of the others
// would have no share even without the constraints that words have in common.
bool few_trees(const Arborescence& set, std::span<const double> theta) {
  std::size_t close = 0;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const bool counts = !set.single_root || j / set.n != j % set.n;
    close += counts && theta[j] > -1 ? 1 : 0;
  }
  return close <= 2 * set.n;
}

// Adds sets until none is violated; false if that does not succeed.
bool solve_by_cuts(Relaxation& relaxation, int& iterations, Workspace& scratch) {
  for (int round = 0; round < max_rounds; ++round) {
    const Report report = relaxation.solve();
    iterations += report.iterations;
    if (!report.converged() || relaxation.full()) return false;
    const double doubt = std::max(noise_margin * relaxation.noise(), residual_margin * report.residual);
    const Workspace::Frame frame(scratch);
    bool violated = false;
    RootCut(relaxation.mu(), scratch).find(doubt, [&](std::span<const std::uint32_t> words, double inflow) {
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

bool has_tree(const Arborescence& set, std::span<const double> theta, Workspace& scratch) {
  const bool masked = std::ranges::any_of(theta, [](double score) { return score == -infinity; });
  const Pooled<Structure> best;
  return !masked || set.map(theta, *best, scratch) > -infinity;
}

// One projection, by whichever method, and the Jacobian by the same one.
class Projection {
 public:
  // Takes its memory from the enclosing frame.
  Projection(const Arborescence& set, std::span<const double> theta, Workspace& scratch)
      : set_(set), theta_(centered(set, theta, scratch)), scratch_(scratch) {}

  Report find(std::span<double> mu) {
    mixture_->weights.clear();
    if (few_trees(set_, theta_)) {
      const int budget = calls_each * static_cast<int>(set_.n) + calls_more;
      const Report report = mix(budget, mu);
      if (report.converged()) return report;
    }
    Report report;
    if (has_tree(set_, theta_, scratch_) && cut(report, mu)) return report;
    relaxation_.reset();
    return mix(ActiveSet{}.max_iterations, mu);
  }

  // After find, which left μ; `mu` is overwritten if need be.
  void jvp(std::span<double> mu, std::span<const double> v, std::span<double> out) {
    if (relaxation_) {
      const auto columns = scratch_.take<double>(v.size());
      transpose(v, set_.n, columns);
      if (relaxation_->jvp({columns.data(), set_.n, set_.n})) return transpose(columns, set_.n, out);
      mix(ActiveSet{}.max_iterations, mu);
    }
    active_set_jvp(*mixture_, v, out, scratch_);
  }

 private:
  // Continues from the trees that are known.
  Report mix(int calls, std::span<double> mu) {
    const auto oracle = [&](std::span<const double> scores, Structure& best) {
      return set_.map(scores, best, scratch_);
    };
    return ActiveSet{.max_iterations = calls}.minimize(theta_, oracle, *mixture_, mu, scratch_);
  }

  bool cut(Report& report, std::span<double> mu) {
    relaxation_.emplace(set_, theta_, scratch_);
    if (!solve_by_cuts(*relaxation_, report.iterations, scratch_)) return false;
    transpose({relaxation_->mu().data(), mu.size()}, set_.n, mu);
    report.residual = std::max(wolfe_gap(set_, theta_, mu, scratch_), 0.0);
    const double rounding = noise_margin * relaxation_->noise() * relaxation_->largest_multiplier();
    return report.residual <= largest_gap + rounding;
  }

  const Arborescence& set_;
  std::span<const double> theta_;
  Workspace& scratch_;
  Pooled<Mixture> mixture_;
  std::optional<Relaxation> relaxation_;  // if it was by cuts
};

}  // namespace

Report Arborescence::project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return Projection(*this, theta, scratch).find(out);
}

void Arborescence::project_jvp(std::span<const double> theta, std::span<const double>,
                               std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  Projection projection(*this, theta, scratch);
  const auto mu = scratch.take<double>(theta.size());
  projection.find(mu);
  projection.jvp(mu, v, out);
}

}  // namespace fenchel
