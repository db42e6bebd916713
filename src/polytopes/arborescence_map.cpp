// SPDX-License-Identifier: Apache-2.0
// The maximum arborescence in O(n²): Chu, Liu and Edmonds in Tarjan's dense form (paper §7.3).
//
// A path of groups of words grows by the best arc into its end. Where it meets itself, the groups in between
// form a cycle and become one group: the score of an arc into it is what is gained over the cycle's own arc
// into the same place. Where it meets a word already attached, the path is done. Each group keeps, for every
// head, its best arc from there; joining two groups is one pass over two such lists, and there are fewer
// than n joins.
//
// Exactly one child of the root: the root's arcs are compared last, whatever their scores. That
// is the order of pairs (−number of root arcs, score); pairs stay in step because an arc of a cycle is never
// the root's.
#include <algorithm>
#include <cstdint>

#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "polytopes/arborescence_graph.hpp"

namespace fenchel {
namespace {

using Index = std::uint32_t;

class MaximumArborescence {
 public:
  MaximumArborescence(const Arborescence& set, std::span<const double> theta, Workspace& scratch)
      : n_(set.n),
        single_root_(set.single_root),
        gains_(scratch.take<double>(n_ * (n_ + 1))),
        words_(scratch.take<Index>(n_ * (n_ + 1))),
        groups_(scratch.take<Group>(2 * n_)),
        group_of_(scratch.take<Index>(n_)),
        path_(scratch.take<Index>(2 * n_)) {
    transpose(theta);
    for (std::size_t m = 0; m < n_; ++m) {
      double* into_m = gains(m);
      into_m[n_] = into_m[m];  // the root's
      into_m[m] = -infinity;
      groups_[m] = {.row = static_cast<Index>(m)};
      group_of_[m] = static_cast<Index>(m);
    }
    count_ = static_cast<Index>(n_);
  }

  /// Fills heads (n for the root); false if there is no tree.
  bool run(std::span<Index> heads) {
    for (std::size_t m = 0; m < n_; ++m) {
      if (groups_[group_of_[m]].place == unseen && !grow(group_of_[m])) return false;
    }
    // From the outermost group inwards: its arc replaces those of the parts it enters, all others stay.
    for (Index g = count_; g-- > 0;) {
      const Group& group = groups_[g];
      if (group.replaced) continue;
      for (Index part = group.word; part != g; part = groups_[part].parent) groups_[part].replaced = true;
      heads[group.word] = group.head;
    }
    return !single_root_ || std::ranges::count(heads, static_cast<Index>(n_)) == 1;
  }

 private:
  static constexpr Index unseen = ~Index{0};
  static constexpr Index done = unseen - 1;

  struct Group {
    Index row = 0;         // of its best arcs
    Index parent = 0;      // the group it became a part of
    Index place = unseen;  // on the path
    Index head = 0;        // the arc chosen into it: from this head
    Index word = 0;        // to this word
    double gain = 0;       // and what it gains
    bool replaced = false;
  };

  double* gains(std::size_t row) { return gains_.data() + row * (n_ + 1); }
  Index* words(std::size_t row) { return words_.data() + row * (n_ + 1); }

  /// gains(m)[h] = θ(h, m), in tiles that stay in the cache.
  void transpose(std::span<const double> theta) {
    constexpr std::size_t tile = 64;
    for (std::size_t first = 0; first < n_; first += tile) {
      const std::size_t last = std::min(first + tile, n_);
      for (std::size_t h = 0; h < n_; ++h) {
        for (std::size_t m = first; m < last; ++m) gains(m)[h] = theta[h * n_ + m];
      }
    }
  }

  /// Grows a path from a group until it meets an attached word or the root.
  bool grow(Index start) {
    std::size_t size = 0;
    for (Index next = start;;) {
      groups_[next].place = static_cast<Index>(size);
      path_[size++] = next;
      if (!choose(next)) return false;
      const Group& end = groups_[next];
      if (end.head == n_ || groups_[group_of_[end.head]].place == done) break;
      next = group_of_[end.head];
      if (groups_[next].place == unseen) continue;
      const std::size_t first = groups_[next].place;
      next = join(first, size);
      size = first;
    }
    for (std::size_t k = 0; k < size; ++k) groups_[path_[k]].place = done;
    return true;
  }

  /// The largest of n gains; four maxima at a time, so that they do not wait for each other.
  double max_in(const double* from) const {
    double tops[4] = {-infinity, -infinity, -infinity, -infinity};
    std::size_t h = 0;
    for (; h + 4 <= n_; h += 4) {
      for (std::size_t j = 0; j < 4; ++j) tops[j] = from[h + j] > tops[j] ? from[h + j] : tops[j];
    }
    for (; h < n_; ++h) tops[0] = std::max(tops[0], from[h]);
    return std::max(std::max(tops[0], tops[1]), std::max(tops[2], tops[3]));
  }

  /// The best arc into a group; false if there is none.
  bool choose(Index g) {
    Group& group = groups_[g];
    const double* from = gains(group.row);
    // from[n_], which is the root's, where no score is a number.
    const double* best = std::find(from, from + n_, max_in(from));
    if (single_root_ ? *best == -infinity : from[n_] >= *best) best = from + n_;
    if (!(*best > -infinity)) return false;
    group.head = static_cast<Index>(best - from);
    group.word = g < n_ ? g : words(group.row)[group.head];
    group.gain = *best;
    return true;
  }

  /// Joins the groups of the cycle path[first …] into a new one.
  Index join(std::size_t first, std::size_t size) {
    const Index joined = count_++;
    const Index row = groups_[path_[first]].row;
    for (std::size_t k = first; k < size; ++k) {
      if (path_[k] < n_) std::fill_n(words(path_[k]), n_ + 1, path_[k]);  // not needed before
    }
    double* into = gains(row);
    Index* word = words(row);
    const double own = groups_[path_[first]].gain;
    for (std::size_t h = 0; h <= n_; ++h) into[h] -= own;
    for (std::size_t k = first; k < size; ++k) {
      Group& part = groups_[path_[k]];
      part.parent = joined;
      if (k == first) continue;
      const double* from = gains(part.row);
      const Index* part_word = words(part.row);
      for (std::size_t h = 0; h <= n_; ++h) {
        const double gain = from[h] - part.gain;
        const bool better = gain > into[h];
        into[h] = better ? gain : into[h];
        word[h] = better ? part_word[h] : word[h];
      }
    }
    for (std::size_t w = 0; w < n_; ++w) {
      const Index place = groups_[group_of_[w]].place;
      if (place >= size || place < first) continue;
      group_of_[w] = joined;
      into[w] = -infinity;
    }
    groups_[joined] = {.row = row};
    return joined;
  }

  std::size_t n_;
  bool single_root_;
  std::span<double> gains_;  // by row and head: the best arc from there, over what it replaces; n is the root
  std::span<Index> words_;   // by row and head: the word that arc leads to
  std::span<Group> groups_;  // the words, then the groups in the order in which they were formed
  std::span<Index> group_of_;  // the outermost group of each word
  std::span<Index> path_;
  Index count_ = 0;
};

}  // namespace

bool arborescence::maximum_heads(const Arborescence& set, std::span<const double> theta,
                                 std::span<std::uint32_t> heads, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  if (!MaximumArborescence(set, theta, scratch).run(heads)) return false;
  for (std::size_t m = 0; m < set.n; ++m) {
    if (heads[m] == set.n) heads[m] = static_cast<Index>(m);
  }
  return true;
}

double Arborescence::map(std::span<const double> theta, Structure& out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto heads = scratch.take<Index>(n);
  if (!arborescence::maximum_heads(*this, theta, heads, scratch)) return -infinity;
  arborescence::write_heads(heads, out);
  return dot(out, theta);
}

}  // namespace fenchel
