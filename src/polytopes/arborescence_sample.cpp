// SPDX-License-Identifier: Apache-2.0
// Exact draws of arborescences.
//
// Wilson's algorithm: walk from each word to random heads until the tree is met, erase loops, keep the path.
// It takes Σ_m s(m)/r̄(m) steps on average (s the rate of m, r̄ its rate towards the root with all others
// eliminated), which is huge where the best arcs form cycles. Then the heads are drawn word by word, each
// given those before:
//   P(head of m is h) ∝ w(h, m) X(h, m),   X the probability that the walk from h meets the root before m,
// in the graph where a word with a known head goes nowhere else. Halves of the words are eliminated as for
// the marginals, the later words as they are, the earlier ones with their drawn heads: O(n³ log n) for all
// words.
//
// One child of the root: its word is drawn first; it is then the root of a graph without it.

#include <algorithm>
#include <stdexcept>

#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "polytopes/arborescence_elimination.hpp"
#include "polytopes/arborescence_graph.hpp"
#include "polytopes/arborescence_numbers.hpp"

namespace fenchel {
namespace {

using arborescence::copies_size;
using arborescence::Elimination;
using arborescence::Rest;
using arborescence::Scaled;
using arborescence::WeightedGraph;
using Index = std::uint32_t;

// Up to this many steps for each pair of words, walks are cheaper than drawing word by word.
constexpr double walk_steps_per_pair = 8;

// The first entry whose cumulative probability exceeds a uniform draw; never one of probability 0.
std::size_t draw_from(std::span<const double> cumulative, Random& random) {
  const double u = random.uniform() * cumulative.back();
  auto at = std::ranges::upper_bound(cumulative, u);
  if (at == cumulative.end()) at = std::ranges::lower_bound(cumulative, cumulative.back());  // u rounded up
  return static_cast<std::size_t>(at - cumulative.begin());
}

/// Heads drawn word by word from conditional marginals.
class SequentialSampler {
 public:
  SequentialSampler(const WeightedGraph& graph, Workspace& scratch)
      : graph_(graph),
        n_(graph.n),
        elimination_(n_, scratch),
        work_(scratch.take<Scaled>(copies_size(n_) + (n_ + 1) * n_)),
        values_(scratch.take<Scaled>(n_ + 1)),
        cumulative_(scratch.take<double>(n_)),
        order_(scratch.take<Step>(n_)) {}

  void draw(Random& random, std::span<Index> heads) {
    eliminated_ = 0;
    const Rest<Scaled> rest = graph_.rest().copy_to(work_.data());
    descend(rest, work_.data() + (n_ + 1) * n_, random, heads);
  }

 private:
  // An eliminated word, and the words that were left, to which its fractions refer.
  struct Step {
    std::size_t word, begin, end;
  };

  void descend(const Rest<Scaled>& rest, Scaled* spare, Random& random, std::span<Index> heads) {
    const std::size_t size = rest.size();
    if (size == 1) {
      heads[rest.first] = static_cast<Index>(draw_head(rest.first, random));
      return;
    }
    const std::size_t half = size / 2;
    const std::size_t before = eliminated_;
    const Rest<Scaled> copy = rest.copy_to(spare);
    for (std::size_t k = size; k-- > half;) eliminate(copy, k, 0, k);
    descend(copy.part(0, half), spare + (size + 1) * size, random, heads);
    eliminated_ = before;
    for (std::size_t k = 0; k < half; ++k) fix(rest, k, heads[rest.first + k]);
    for (std::size_t k = 0; k < half; ++k) eliminate(rest, k, k + 1, size);
    descend(rest.part(half, size), spare, random, heads);
    eliminated_ = before;
  }

  void eliminate(const Rest<Scaled>& rest, std::size_t k, std::size_t begin, std::size_t end) {
    elimination_.eliminate(rest, k, begin, end);
    order_[eliminated_++] = {rest.first + k, rest.first + begin, rest.first + end};
  }

  /// Draws the head of m, all other words being eliminated.
  std::size_t draw_head(std::size_t m, Random& random) {
    const auto meeting = values_.first(n_);
    meeting[m] = {};
    for (std::size_t at = eliminated_; at-- > 0;) {
      const Step& step = order_[at];
      const Scaled* f = elimination_.fraction(step.word);
      Scaled sum = f[n_];
      for (std::size_t h = step.begin; h < step.end; ++h) sum.accumulate(f[h], meeting[h]);
      sum.normalize();
      meeting[step.word] = sum;
    }
    Scaled total;
    for (std::size_t h = 0; h < n_; ++h) {
      meeting[h] = h == m ? graph_.root[m] : graph_.arcs[h * n_ + m].times(meeting[h]);
      total.add(meeting[h]);
    }
    double sum = 0;
    for (std::size_t h = 0; h < n_; ++h) {
      sum += meeting[h].divided_by(total).value();
      cumulative_[h] = sum;
    }
    return draw_from(cumulative_, random);
  }

  /// Lets word k of the rest go to its head and nowhere else: where the walk from there enters the rest.
  void fix(const Rest<Scaled>& rest, std::size_t k, std::size_t head) {
    const auto mass = values_;
    std::ranges::fill(mass, Scaled{});
    mass[head == rest.first + k ? n_ : head] = Scaled::one();
    for (std::size_t at = 0; at < eliminated_; ++at) {
      const Step& step = order_[at];
      if (mass[step.word].is_zero()) continue;
      mass[step.word].normalize();
      const Scaled* f = elimination_.fraction(step.word);
      for (std::size_t h = step.begin; h < step.end; ++h) mass[h].accumulate(mass[step.word], f[h]);
      mass[n_].accumulate(mass[step.word], f[n_]);
    }
    for (std::size_t h = 0; h < rest.size(); ++h) {
      rest.arc(h, k) = mass[rest.first + h];
      rest.arc(h, k).normalize();
    }
    rest.root[k] = mass[n_];
    rest.root[k].normalize();
  }

  const WeightedGraph& graph_;
  std::size_t n_;
  Elimination<Scaled> elimination_;
  std::span<Scaled> work_;
  std::span<Scaled> values_;
  std::span<double> cumulative_;
  std::span<Step> order_;
  std::size_t eliminated_ = 0;
};

/// Wilson's loop-erased walks.
class WalkSampler {
 public:
  WalkSampler(const WeightedGraph& graph, Workspace& scratch)
      : n_(graph.n), cumulative_(scratch.take<double>(n_ * n_)), attached_(scratch.take<bool>(n_)) {
    for (std::size_t m = 0; m < n_; ++m) {
      double sum = 0;
      for (std::size_t h = 0; h < n_; ++h) {
        sum += (h == m ? graph.root[m] : graph.arcs[h * n_ + m]).value();
        cumulative_[m * n_ + h] = sum;
      }
    }
  }

  void draw(Random& random, std::span<Index> heads) {
    std::ranges::fill(attached_, false);
    for (std::size_t start = 0; start < n_; ++start) {
      // A word visited again gets a new head: its loop is erased.
      for (std::size_t at = start; !attached_[at]; at = heads[at]) {
        heads[at] = static_cast<Index>(draw_from(cumulative_.subspan(at * n_, n_), random));
        if (heads[at] == at) break;
      }
      for (std::size_t at = start; !attached_[at]; at = heads[at]) attached_[at] = true;
    }
  }

 private:
  std::size_t n_;
  std::span<double> cumulative_;  // by word, over its heads; the word itself stands for the root
  std::span<bool> attached_;
};

double expected_walk_steps(const WeightedGraph& graph, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  Elimination<Scaled> elimination(graph.n, scratch);
  const auto memory = scratch.take<Scaled>((graph.n + 1) * graph.n);
  elimination.run(graph.rest().copy_to(memory.data()));
  double steps = 0;
  for (std::size_t m = 0; m < graph.n; ++m) {
    Scaled rate = graph.root[m];
    for (std::size_t h = 0; h < graph.n; ++h) rate.add(graph.arcs[h * graph.n + m]);
    steps += rate.divided_by(elimination.last(m)).value();
  }
  return steps;
}

/// Draws heads for `count` trees, giving each to `keep`.
template <class Keep>
void draw_trees(const Arborescence& set, std::span<const double> theta, Random& random, std::size_t count,
                Workspace& scratch, Keep keep) {
  const Workspace::Frame frame(scratch);
  const WeightedGraph graph = arborescence::weighted_graph(set, theta, scratch);
  const auto heads = scratch.take<Index>(set.n);
  const auto pairs = static_cast<double>(set.n * set.n);
  const auto repeat = [&](auto sampler) {
    for (std::size_t i = 0; i < count; ++i) {
      sampler.draw(random, heads);
      keep(heads, i);
    }
  };
  if (expected_walk_steps(graph, scratch) <= walk_steps_per_pair * pairs) {
    repeat(WalkSampler(graph, scratch));
  } else {
    repeat(SequentialSampler(graph, scratch));
  }
}

/// The scores of the graph whose root is word `root`, without that word.
void rooted_scores(std::size_t n, std::span<const double> theta, std::size_t root, std::span<double> out) {
  std::size_t at = 0;
  for (std::size_t h = 0; h < n; ++h) {
    for (std::size_t m = 0; m < n; ++m) {
      if (h != root && m != root) out[at++] = theta[(h == m ? root : h) * n + m];
    }
  }
}

void sample_single_root(const Arborescence& set, std::span<const double> theta, Random& random,
                        std::span<Structure> draws, Workspace& scratch) {
  const std::size_t n = set.n;
  const auto mu = scratch.take<double>(n * n);
  if (set.marginals(theta, mu, scratch) == -infinity) throw std::invalid_argument("theta masks every tree");
  const auto cumulative = scratch.take<double>(n);
  double sum = 0;
  for (std::size_t m = 0; m < n; ++m) cumulative[m] = sum += mu[m * n + m];
  const auto roots = scratch.take<std::size_t>(draws.size());
  for (std::size_t& root : roots) root = draw_from(cumulative, random);
  const auto rooted = scratch.take<double>((n - 1) * (n - 1));
  const auto which = scratch.take<std::size_t>(draws.size());
  const auto heads = scratch.take<Index>(n);
  for (std::size_t root = 0; root < n; ++root) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < draws.size(); ++i) {
      if (roots[i] == root) which[count++] = i;
    }
    if (count == 0) continue;
    const auto keep = [&](std::span<const Index> inner, std::size_t i) {
      const auto outer = [&](std::size_t word) { return word < root ? word : word + 1; };
      heads[root] = static_cast<Index>(root);
      for (std::size_t m = 0; m + 1 < n; ++m) {
        heads[outer(m)] = static_cast<Index>(inner[m] == m ? root : outer(inner[m]));
      }
      arborescence::write_heads(heads, draws[which[i]]);
    };
    if (n == 1) {
      for (std::size_t i = 0; i < count; ++i) keep({}, i);
      continue;
    }
    rooted_scores(n, theta, root, rooted);
    draw_trees({n - 1, false}, rooted, random, count, scratch, keep);
  }
}

}  // namespace

void Arborescence::sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
                          Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  if (draws.empty()) return;
  if (single_root) {
    sample_single_root(*this, theta, random, draws, scratch);
    return;
  }
  if (!arborescence::all_reachable(n, theta, scratch)) throw std::invalid_argument("theta masks every tree");
  draw_trees(*this, theta, random, draws.size(), scratch, [&](std::span<const Index> heads, std::size_t i) {
    arborescence::write_heads(heads, draws[i]);
  });
}

}  // namespace fenchel
