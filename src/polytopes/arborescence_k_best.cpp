// SPDX-License-Identifier: Apache-2.0
// The k best arborescences by Lawler's partition: a set of trees is "the heads of the words before `fixed`
// are given, some heads of word `fixed` are forbidden". Taking out its best tree leaves n − fixed such sets,
// by the first word whose head differs; they do not overlap, so no tree appears twice.
#include <algorithm>
#include <cstdint>

#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "polytopes/arborescence_graph.hpp"

namespace fenchel {
namespace {

// A set of trees, by its best one: its heads and, for the word at `fixed`, the forbidden ones are in `slot`.
struct Candidate {
  double score = -infinity;
  std::size_t number = 0;  // how many were found before: ties go to the first
  std::size_t fixed = 0;
  std::uint32_t slot = 0;
};

bool worse(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score < b.score : a.number > b.number;
}
bool better(const Candidate& a, const Candidate& b) { return worse(b, a); }

// A heap of candidates, the best at its top. When it is full, all but the `wanted` best ones are dropped, so
// that a candidate costs O(log k).
class KBest {
 public:
  KBest(const Arborescence& set, std::span<const double> theta, std::size_t k, Workspace& scratch)
      : set_(set),
        theta_(theta),
        scratch_(scratch),
        restricted_(scratch.take<double>(theta.size())),
        tree_(scratch.take<std::uint32_t>(set.n)),
        candidates_(scratch.take<Candidate>(2 * k)),
        heads_(scratch.take<std::uint32_t>(2 * k * set.n)),
        forbidden_(scratch.take<bool>(2 * k * set.n)) {
    // The entries that are not in the heap hold the free slots.
    for (std::size_t i = 0; i < candidates_.size(); ++i) candidates_[i].slot = static_cast<std::uint32_t>(i);
  }

  void run(std::size_t k, std::vector<Structure>& structures) {
    const std::size_t n = set_.n;
    const auto own = scratch_.take<std::uint32_t>(n);
    const auto own_forbidden = scratch_.take<bool>(n);
    std::ranges::fill(own_forbidden, false);
    std::size_t found = 0;
    solve(own, {.fixed = 0}, own_forbidden, k);
    while (found < k && count_ > 0) {
      const Candidate best = take_best();
      std::ranges::copy(heads(best.slot), own.begin());
      std::ranges::copy(forbidden(best.slot), own_forbidden.begin());
      if (structures.size() <= found) structures.emplace_back();
      arborescence::write_heads(own, structures[found++]);
      const std::size_t wanted = k - found;
      for (std::size_t fixed = best.fixed; fixed < n && wanted > 0; ++fixed) {
        // The rest of this set scores no more than its best tree.
        if (best.score <= least_) break;
        if (fixed > best.fixed) std::ranges::fill(own_forbidden, false);
        own_forbidden[own[fixed]] = true;
        solve(own, {.fixed = fixed}, own_forbidden, wanted);
      }
    }
    structures.resize(found);
    // Searches add scores in different orders, so ties may be off by a rounding: put them in exact order.
    for (std::size_t end = 1; end < found; ++end) {
      for (std::size_t i = end; i > 0 && dot(structures[i], theta_) > dot(structures[i - 1], theta_); --i) {
        std::swap(structures[i], structures[i - 1]);
      }
    }
  }

 private:
  std::span<std::uint32_t> heads(std::uint32_t slot) { return heads_.subspan(slot * set_.n, set_.n); }
  std::span<bool> forbidden(std::uint32_t slot) { return forbidden_.subspan(slot * set_.n, set_.n); }

  // Its slot is free again, but nothing is written there before the next `solve`.
  Candidate take_best() {
    const auto all = candidates_.first(count_);
    std::ranges::pop_heap(all, worse);
    return candidates_[--count_];
  }

  /// Adds the best tree of a set, if it can be among the `wanted` best candidates.
  void solve(std::span<const std::uint32_t> own, Candidate candidate, std::span<const bool> ban,
             std::size_t wanted) {
    const std::size_t n = set_.n;
    std::ranges::copy(theta_, restricted_.begin());
    for (std::size_t m = 0; m < candidate.fixed; ++m) {
      for (std::size_t h = 0; h < n; ++h) {
        if (h != own[m]) restricted_[h * n + m] = -infinity;
      }
    }
    for (std::size_t h = 0; h < n; ++h) {
      if (ban[h]) restricted_[h * n + candidate.fixed] = -infinity;
    }
    if (!arborescence::maximum_heads(set_, restricted_, tree_, scratch_)) return;
    candidate.score = 0;
    for (std::size_t m = 0; m < n; ++m) candidate.score += theta_[tree_[m] * n + m];
    if (candidate.score <= least_) return;
    if (count_ == candidates_.size()) keep_best(wanted);
    candidate.number = number_++;
    candidate.slot = candidates_[count_].slot;
    candidates_[count_++] = candidate;
    std::ranges::push_heap(candidates_.first(count_), worse);
    std::ranges::copy(tree_, heads(candidate.slot).begin());
    std::ranges::copy(ban, forbidden(candidate.slot).begin());
  }

  /// Drops all but the `wanted` best candidates; from then on at least that many are at least as good as the
  /// worst of them.
  void keep_best(std::size_t wanted) {
    const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
    std::ranges::nth_element(candidates_, last, better);
    least_ = last->score;
    count_ = wanted;
    std::ranges::make_heap(candidates_.first(count_), worse);
  }

  const Arborescence& set_;
  std::span<const double> theta_;
  Workspace& scratch_;
  std::span<double> restricted_;
  std::span<std::uint32_t> tree_;
  std::span<Candidate> candidates_;
  std::span<std::uint32_t> heads_;
  std::span<bool> forbidden_;
  std::size_t count_ = 0;
  std::size_t number_ = 0;
  double least_ = -infinity;  // a candidate that is no better is not needed
};

// min(k, |Y|): (n + 1)^(n − 1) trees, n^(n − 1) of them with one child of the root (Cayley).
std::size_t at_most_all(const Arborescence& set, std::size_t k) {
  const std::size_t base = set.single_root ? set.n : set.n + 1;
  std::size_t trees = 1;
  for (std::size_t power = 1; power < set.n; ++power) {
    if (trees > k / base) return k;
    trees *= base;
  }
  return std::min(k, trees);
}

}  // namespace

void Arborescence::k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
                          Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  if (k == 0) {
    structures.clear();
    return;
  }
  const std::size_t wanted = at_most_all(*this, k);
  KBest(*this, theta, wanted, scratch).run(wanted, structures);
}

}  // namespace fenchel
