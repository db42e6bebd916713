// SPDX-License-Identifier: Apache-2.0
// The matrix-tree theorem by elimination without subtraction, over any kind of number: the reference form of
// what kernels/matrix_tree.hpp does in plain doubles, with the same formulas. Also the steps that sampling
// needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "fenchel/core/workspace.hpp"

namespace fenchel::arborescence {

/// The words first … last − 1 that are left, and the root: the arc h → m at row h − first, column m − first.
template <class Number>
struct Rest {
  Number* arcs;
  Number* root;
  std::size_t stride;
  std::size_t first;
  std::size_t last;

  std::size_t size() const { return last - first; }
  Number& arc(std::size_t h, std::size_t m) const { return arcs[h * stride + m]; }  // counted from `first`

  /// The words begin … end − 1 of these, counted from `first`.
  Rest part(std::size_t begin, std::size_t end) const {
    return {arcs + begin * (stride + 1), root + begin, stride, first + begin, first + end};
  }
  Rest copy_to(Number* to) const {
    for (std::size_t h = 0; h < size(); ++h) std::copy_n(arcs + h * stride, size(), to + h * size());
    std::copy_n(root, size(), to + size() * size());
    return {to, to + size() * size(), size(), first, last};
  }
};

/// Numbers needed for the copies of all halves, quarters, … of n words.
inline std::size_t copies_size(std::size_t n) { return 2 * n * n + 4 * n + 64; }

template <class Number>
class Elimination {
 public:
  Elimination(std::size_t n, Workspace& scratch)
      : n_(n),
        fractions_(scratch.take<Number>(n * (n + 1))),
        meeting_(scratch.take<Number>(n * n)),
        last_(scratch.take<Number>(n)),
        spare_(scratch.take<Number>(copies_size(n))) {}

  /// Fills meeting(h, m) and last(m), for all words; overwrites the graph. Every word must be reachable.
  void run(const Rest<Number>& graph) { descend(graph, spare_.data()); }

  /// The probability that the walk from h meets the root before m.
  const Number& meeting(std::size_t h, std::size_t m) const { return meeting_[h * n_ + m]; }
  /// The rate of m towards the root with all others eliminated.
  const Number& last(std::size_t m) const { return last_[m]; }
  /// Where the walk goes from an eliminated word: the words left at that time, and the root as word n.
  Number* fraction(std::size_t k) const { return fractions_.data() + k * (n_ + 1); }

  /// Eliminates word k, leaving begin … end − 1 (both counted from rest.first); returns its rate.
  Number eliminate(const Rest<Number>& rest, std::size_t k, std::size_t begin, std::size_t end) {
    Number rate = rest.root[k];
    for (std::size_t h = begin; h < end; ++h) rate.add(rest.arc(h, k));
    rate.normalize();
    Number* f = fraction(rest.first + k);
    const auto share = [&](const Number& weight) {
      Number part = weight.divided_by(rate);
      part.normalize();
      return part;
    };
    for (std::size_t h = begin; h < end; ++h) f[rest.first + h] = share(rest.arc(h, k));
    f[n_] = share(rest.root[k]);
    Number* into_k = &rest.arc(k, 0);
    for (std::size_t m = begin; m < end; ++m) into_k[m].normalize();
    for (std::size_t h = begin; h < end; ++h) {
      const Number part = f[rest.first + h];
      if (part.is_zero()) continue;
      Number* row = &rest.arc(h, 0);
      for (std::size_t m = begin; m < end; ++m) row[m].accumulate(part, into_k[m]);
    }
    for (std::size_t m = begin; m < end; ++m) rest.root[m].accumulate(f[n_], into_k[m]);
    return rate;
  }

 private:
  void descend(const Rest<Number>& rest, Number* spare) {
    const std::size_t size = rest.size();
    if (size == 1) {
      last_[rest.first] = rest.root[0];
      last_[rest.first].normalize();
      meeting_[rest.first * n_ + rest.first] = Number{};
      return;
    }
    const std::size_t half = size / 2;
    const std::size_t middle = rest.first + half;
    const Rest<Number> copy = rest.copy_to(spare);
    for (std::size_t k = size; k-- > half;) eliminate(copy, k, 0, k);
    descend(copy.part(0, half), spare + (size + 1) * size);
    for (std::size_t k = middle; k < rest.last; ++k) meet(k, {rest.first, k}, {rest.first, middle});
    for (std::size_t k = 0; k < half; ++k) eliminate(rest, k, k + 1, size);
    descend(rest.part(half, size), spare);
    for (std::size_t k = middle; k-- > rest.first;) meet(k, {k + 1, rest.last}, {middle, rest.last});
  }

  struct Range {
    std::size_t begin, end;
  };

  /// X(k, m) = f_k(root) + Σ_h f_k(h) X(h, m), over the words h left when k was eliminated.
  void meet(std::size_t k, Range heads, Range words) {
    const Number* f = fraction(k);
    Number* out = meeting_.data() + k * n_;
    for (std::size_t m = words.begin; m < words.end; ++m) out[m] = f[n_];
    for (std::size_t h = heads.begin; h < heads.end; ++h) {
      if (f[h].is_zero()) continue;
      const Number* row = meeting_.data() + h * n_;
      for (std::size_t m = words.begin; m < words.end; ++m) out[m].accumulate(f[h], row[m]);
    }
    for (std::size_t m = words.begin; m < words.end; ++m) out[m].normalize();
  }

  std::size_t n_;
  std::span<Number> fractions_;
  std::span<Number> meeting_;
  std::span<Number> last_;
  std::span<Number> spare_;
};

}  // namespace fenchel::arborescence
