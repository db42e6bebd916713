// SPDX-License-Identifier: Apache-2.0
#include "polytopes/arrangements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "fenchel/core/numeric.hpp"
#include "kernels/sort.hpp"
#include "solvers/bregman_projection.hpp"
#include "solvers/isotonic.hpp"

namespace fenchel::arrangements {
namespace {

// Scores no farther apart than this many times the weights lose less than 1e-13 of them in a difference.
constexpr double near_spread = 512;
// Longer blocks are summed again: one chain of additions would lose digits.
constexpr std::size_t short_block = 16;

// In strides, so that the comparisons need no branch each.
bool descends(std::span<const double> w) {
  constexpr std::size_t stride = 64;
  std::size_t i = 1;
  for (; i + stride <= w.size(); i += stride) {
    int ascents = 0;
    for (std::size_t k = i; k < i + stride; ++k) ascents += w[k - 1] < w[k] ? 1 : 0;
    if (ascents > 0) return false;
  }
  return std::is_sorted(w.begin() + static_cast<std::ptrdiff_t>(i) - 1, w.end(), std::greater<>());
}

// Σ (x_i − reference), in lanes: faster than one chain of additions, and with smaller errors.
double sum_from(std::span<const double> x, double reference) {
  std::array<double, 8> lanes{};
  const std::size_t whole = x.size() / lanes.size() * lanes.size();
  for (std::size_t i = 0; i < whole; i += lanes.size()) {
    for (std::size_t k = 0; k < lanes.size(); ++k) lanes[k] += x[i + k] - reference;
  }
  double sum = 0;
  for (const double entry : x.subspan(whole)) sum += entry - reference;
  for (const double lane : lanes) sum += lane;
  return sum;
}

// Whether products of weights and exponentials of scores keep all their digits. Both descend.
bool exponentials_fit(std::span<const double> s, std::span<const double> w) {
  constexpr double widest = 200;  // e^{±widest} times the ratio of weights is far from the ends of the range
  constexpr double smallest_ratio = 1e-100;
  const auto zeros = std::ranges::partition_point(w, [](double weight) { return weight > 0; });
  if (zeros == w.begin()) return true;  // all of them
  return s.front() - s.back() <= widest && w.front()<1 / smallest_ratio&&*(zeros - 1)> smallest_ratio;
}

// An arrangement as a change of its parent: entries left and right of the parent are exchanged.
struct Candidate {
  double loss;  // how much worse than the best arrangement
  std::uint32_t parent;
  std::uint32_t left;
  std::uint32_t right;

  friend bool operator<(const Candidate& a, const Candidate& b) {
    if (a.loss != b.loss) return a.loss < b.loss;
    return a.parent != b.parent ? a.parent < b.parent : a.left < b.left;
  }
  friend bool operator>(const Candidate& a, const Candidate& b) { return b < a; }
};

// A heap, best on top, that holds no more than is asked for (and some room to work).
class Candidates {
 public:
  explicit Candidates(std::span<Candidate> memory) : memory_(memory) {}

  bool empty() const { return size_ == 0; }
  void push(const Candidate& candidate, std::size_t wanted) {
    if (size_ == memory_.size()) {
      const auto kept = memory_.begin() + static_cast<std::ptrdiff_t>(wanted);
      std::nth_element(memory_.begin(), kept, memory_.end());
      size_ = wanted;
      std::make_heap(memory_.begin(), kept, std::greater<>());
    }
    memory_[size_++] = candidate;
    std::push_heap(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(size_), std::greater<>());
  }
  Candidate pop() {
    std::pop_heap(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(size_), std::greater<>());
    return memory_[--size_];
  }

 private:
  std::span<Candidate> memory_;
  std::size_t size_ = 0;
};

// The arrangement of the last of `found`, from w by the exchanges that lead to it.
void rebuild(std::span<const Candidate> found, std::span<const double> w, std::span<std::uint32_t> path,
             std::span<double> arrangement) {
  std::size_t steps = 0;
  for (std::size_t at = found.size() - 1; at > 0; at = found[at].parent) {
    path[steps++] = static_cast<std::uint32_t>(at);
  }
  std::ranges::copy(w, arrangement.begin());
  while (steps > 0) {
    const Candidate& change = found[path[--steps]];
    std::swap(arrangement[change.left], arrangement[change.right]);
  }
}

}  // namespace

std::span<const double> descending(std::span<const double> w, Workspace& scratch) {
  if (descends(w)) return w;
  const auto sorted = scratch.take<double>(w.size());
  std::ranges::copy(w, sorted.begin());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return sorted;
}

double mean(std::span<const double> x) { return x[0] + sum_from(x, x[0]) / static_cast<double>(x.size()); }

bool shift_suffices(std::span<const double> theta, std::span<const double> w) {
  const auto [lowest, highest] = kernels::range_of(theta);
  if (highest - lowest > w.front() - w.back()) return false;  // the hull is not that wide
  const double average = mean(theta);
  const double above = highest - average;
  const double below = average - lowest;
  if (!(above > 0 && below > 0)) return true;  // all equal: the centre
  // μ is in the hull if its k largest entries sum to no more than those of w, for every k. They exceed k
  // times the mean by k·above at most, and by (d − k)·below, because over all entries the excess is 0: two
  // lines that cross at `peak`. What the k largest of w exceed k times their mean by is concave in k and 0 at
  // 0 and d, so it is above the lines everywhere if it is beside the peak.
  const auto d = static_cast<double>(w.size());
  const double peak = d * below / (above + below);
  const std::size_t left = std::min(static_cast<std::size_t>(peak), w.size() - 1);
  const double room = sum_from(w.first(left), mean(w));
  return room >= static_cast<double>(left) * above &&
         room + (w[left] - mean(w)) >= static_cast<double>(w.size() - left - 1) * below;
}

bool project_inside(std::span<const double> theta, std::span<const double> w, std::span<double> out) {
  if (!shift_suffices(theta, w)) return false;
  const double start = theta[0];
  const double shift = mean(w) - sum_from(theta, start) / static_cast<double>(theta.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (theta[i] - start) + shift;
  return true;
}

std::size_t project(std::span<const double> s, std::span<const double> w, std::span<double> mu,
                    std::span<std::uint32_t> ends, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  // Taken from s_0, so that a shift of all scores costs no accuracy.
  const double start = s[0];
  for (std::size_t i = 0; i < s.size(); ++i) mu[i] = (s[i] - start) - w[i];
  const bool near = s.front() - s.back() <= near_spread * (w.front() - w.back());
  const auto v = scratch.take<double>(s.size());
  const std::size_t count = isotonic_regression(mu, v, ends, scratch);
  if (near) {
    // An entry alone in its block has v = s − w, so that its projection is w exactly.
    for (std::size_t i = 0; i < s.size(); ++i) mu[i] = w[i] + (mu[i] - v[i]);
  }
  std::size_t first = 0;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t size = ends[b] - first;
    if (!near || size > short_block) {
      // Within a block, scores are no farther apart than the weights: from its first score, nothing cancels.
      const double top = s[first];
      const double excess = sum_from(w.subspan(first, size), 0) - sum_from(s.subspan(first, size), top);
      const double shift = excess / static_cast<double>(size);
      for (std::size_t i = first; i < ends[b]; ++i) mu[i] = size == 1 ? w[i] : (s[i] - top) + shift;
    }
    first = ends[b];
  }
  return count;
}

std::size_t project_kl(std::span<const double> s, std::span<const double> w, std::span<double> mu,
                       std::span<std::uint32_t> ends, Workspace& scratch) {
  std::size_t count = 0;
  if (exponentials_fit(s, w)) {
    // With one scale for all, log Σ e^s − log Σ w descends where Σ e^s / Σ w does: isotonic regression of
    // ratios.
    const double start = s[0];
    for (std::size_t i = 0; i < s.size(); ++i) mu[i] = std::exp(s[i] - start);
    count = isotonic_blocks(mu, w, ends, scratch);
  } else {
    count = isotonic_kl_blocks(s, w, ends, scratch);
    std::size_t first = 0;
    for (std::size_t b = 0; b < count; ++b) {
      for (std::size_t i = first; i < ends[b]; ++i) mu[i] = std::exp(s[i] - s[first]);
      first = ends[b];
    }
  }
  std::size_t first = 0;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t size = ends[b] - first;
    const double scale = sum_from(w.subspan(first, size), 0) / sum_from(mu.subspan(first, size), 0);
    for (std::size_t i = first; i < ends[b]; ++i) mu[i] = size == 1 ? w[i] : scale * mu[i];
    first = ends[b];
  }
  return count;
}

std::size_t number(std::span<const double> w, std::size_t limit) {
  // The product of the binomials C(placed, m) over the groups of m equal entries, built factor by factor:
  // every partial product is itself such a number, so nothing is lost by stopping at the limit.
  double count = 1;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    equal = i > 0 && w[i] == w[i - 1] ? equal + 1 : 1;
    count = count * static_cast<double>(i + 1) / static_cast<double>(equal);
    if (count >= static_cast<double>(limit)) return limit;
  }
  return static_cast<std::size_t>(std::llround(count));
}

Projection::Projection(std::span<const double> scores, std::span<const double> w, bool kl, Workspace& scratch)
    : order(scratch.take<std::uint32_t>(scores.size())),
      mu(scratch.take<double>(scores.size())),
      ends(scratch.take<std::uint32_t>(scores.size())) {
  const auto sorted = scratch.take<double>(scores.size());
  kernels::argsort_descending(scores, order, sorted, scratch);
  ends = ends.first((kl ? project_kl : project)(sorted, w, mu, ends, scratch));
}

Projection::Projection(std::span<const double> scores, std::span<const double> w, const Generator& phi,
                       Workspace& scratch)
    : order(scratch.take<std::uint32_t>(scores.size())),
      mu(scratch.take<double>(scores.size())),
      ends(scratch.take<std::uint32_t>(scores.size())) {
  const auto sorted = scratch.take<double>(scores.size());
  kernels::argsort_descending(scores, order, sorted, scratch);
  ends = ends.first(isotonic_bregman(phi.centred(), sorted, w, mu, ends, scratch));
}

// Every arrangement but the best is made from a better one, its parent, in exactly one way: with the entries
// before `left` kept, the one at `left` becomes the next smaller value of those after it, and the rest stay
// in descending order, which comes to one exchange (Lawler's partition of the remaining set).
void best(std::span<const double> s, std::span<const double> w, std::size_t count,
          FunctionRef<void(std::span<const double>)> take, Workspace& scratch) {
  const std::size_t d = w.size();
  count = number(w, count);
  if (count == 0) return;
  const Workspace::Frame frame(scratch);
  Candidates candidates(scratch.take<Candidate>(count + d));
  const auto found = scratch.take<Candidate>(count);
  const auto path = scratch.take<std::uint32_t>(count);
  const auto smaller = scratch.take<std::uint32_t>(d);
  const auto arrangement = scratch.take<double>(d);
  candidates.push({0, 0, 0, 0}, count);
  for (std::size_t rank = 0; rank < count && !candidates.empty(); ++rank) {
    const Candidate current = candidates.pop();
    found[rank] = current;
    rebuild(found.first(rank + 1), w, path, arrangement);
    take(arrangement);
    for (std::size_t i = d; i-- > current.left;) {
      // The first smaller value after i; after `left` the entries descend, so it is found step by step.
      auto right = static_cast<std::uint32_t>(i + 1);
      if (i == current.left) {
        while (right < d && arrangement[right] >= arrangement[i]) ++right;
      } else if (right < d && arrangement[right] == arrangement[i]) {
        right = smaller[right];
      }
      smaller[i] = right;
      if (right == d) continue;
      const double loss = (s[i] - s[right]) * (arrangement[i] - arrangement[right]);
      candidates.push(
          {current.loss + loss, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(i), right},
          count - rank);
    }
  }
}

}  // namespace fenchel::arrangements
