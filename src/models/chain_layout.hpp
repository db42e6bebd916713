// SPDX-License-Identifier: Apache-2.0
// The scores of a sentence as its Ω takes them: those of Chain, whose transitions all steps share, or those
// of Sequence, where every step has transitions of its own,
//     θ(t, i, j) = u_t(i) + T(j, i), with start(i) in the first step and end(i) in the last.
// Squares of the latter count pairs of labels step by step, those of the former the numbers of pairs in the
// whole sentence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fenchel/core/workspace.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/polytopes/chain.hpp"
#include "fenchel/polytopes/sequence.hpp"

namespace fenchel {

/// Sentences of any length with so many labels.
struct ChainLayout {
  std::size_t labels = 0;
  bool boundary = false;
  bool steps = false;  ///< whether every step has transitions of its own

  /// The layout that a loss for n tokens takes.
  static ChainLayout of(const FenchelYoungLoss& loss, std::size_t n, std::size_t labels, bool boundary) {
    const AnyPolytope* set = loss.omega().polytope();
    const Sequence* sequence = set ? set->get_if<Sequence>() : nullptr;
    return {labels, boundary, sequence && sequence->n == n && sequence->m == labels};
  }

  Chain chain(std::size_t n) const { return {n, labels, boundary}; }
  std::size_t dimension(std::size_t n) const {
    if (n == 0) return 0;
    return steps ? Sequence{n, labels}.dimension() : chain(n).dimension();
  }

  /// θ of Chain in this layout.
  void expand(std::size_t n, std::span<const double> theta, std::span<double> out) const {
    if (!steps) {
      std::ranges::copy(theta, out.begin());
      return;
    }
    const std::size_t m = labels;
    const double* transitions = theta.data() + n * m;
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto backward = scratch.take<double>(m * m);  // by the next state, as `out` has them
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) backward[i * m + j] = transitions[j * m + i];
    }
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t i = 0; i < m; ++i) {
        double* row = out.data() + (t * m + i) * m;
        const double* edges = backward.data() + i * m;
        double state = theta[t * m + i];
        if (boundary && t == 0) state += transitions[m * m + i];
        if (boundary && t + 1 == n) state += transitions[m * m + m + i];
        if (t == 0) {
          std::fill_n(row, m, state);
        } else {
          for (std::size_t j = 0; j < m; ++j) row[j] = state + edges[j];
        }
      }
    }
  }

  /// The transpose: r of this layout in that of Chain.
  void contract(std::size_t n, std::span<const double> r, std::span<double> out) const {
    if (!steps) {
      std::ranges::copy(r, out.begin());
      return;
    }
    const std::size_t m = labels;
    std::ranges::fill(out, 0.0);
    double* transitions = out.data() + n * m;
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t i = 0; i < m; ++i) {
        const double* row = r.data() + (t * m + i) * m;
        // The first step has no state before it but number 0.
        if (t == 0) {
          out[i] = row[0];
          continue;
        }
        for (std::size_t j = 0; j < m; ++j) {
          if (row[j] == 0) continue;
          out[t * m + i] += row[j];
          transitions[j * m + i] += row[j];
        }
      }
    }
    if (!boundary) return;
    std::copy_n(out.data(), m, transitions + m * m);
    std::copy_n(out.data() + (n - 1) * m, m, transitions + m * m + m);
  }

  /// The labels of a structure of this layout.
  std::vector<std::int32_t> tags(std::size_t n, const Structure& y) const {
    const std::vector<int> states = steps ? Sequence{n, labels}.tags(y) : chain(n).tags(y);
    return {states.begin(), states.end()};
  }
};

}  // namespace fenchel
