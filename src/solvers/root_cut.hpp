// SPDX-License-Identifier: Apache-2.0
// Whether a unit can flow from a root to each of n words, given capacities of the arcs (root → m, h → m) such
// that those into a word sum to one; if not, sets of words into which too little flows. By the theorem of
// Edmonds these are the constraints of the arborescence polytope:
//   Σ over arcs into S from outside ≥ 1, for every set S of words.
//
// The words that are known to get their unit join the root one by one: no violated S contains them. The next
// is the one with the most capacity from there; a word reached along paths of one or two arcs is done, for
// others a maximum flow decides (Dinic's algorithm, with distances to the sink), whose minimum cut is the
// smallest S. A word that does not get its unit joins too: further sets are sought without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

class RootCut {
 public:
  /// Row m of `into` holds the capacities of the arcs into word m: from word h at h, from the root at m.
  /// Takes its memory from the enclosing frame of `scratch`.
  RootCut(MatrixView<const double> into, Workspace& scratch);

  /// Calls found(S, inflow) for sets S into which less than 1 − tolerance flows, none of which contains the
  /// word for which an earlier one was found; never, if and only if there is no such set. To be called once
  /// per object.
  void find(double tolerance, FunctionRef<void(std::span<const std::uint32_t>, double)> found);

 private:
  using Index = std::uint32_t;

  void list_neighbours();
  Index next_word() const;
  void join(Index word);
  double flow_along_two_arcs(Index sink) const;
  double maximum_flow(Index sink, double enough);
  void measure_distances(Index sink);
  double augment(Index start, Index sink, double limit);
  void push(std::size_t length, double amount);
  void restore();

  std::span<const Index> neighbours(Index word) const {
    return neighbours_.subspan(starts_[word], starts_[word + 1] - starts_[word]);
  }
  double& residual(Index from, Index to) { return residual_[to * n_ + from]; }

  std::size_t n_;
  MatrixView<const double> into_;
  std::span<double> residual_;  // as `into`, less the flow
  std::span<double> inflow_;    // from the root and the words that joined it
  std::span<double> supply_;    // what is left of it during a flow
  std::span<bool> joined_;
  std::span<Index> starts_, neighbours_;  // words with an arc to or from a word
  std::span<Index> distance_;             // to the sink; n: none
  std::span<Index> queue_, path_, next_;  // next_: the neighbour to try next
  std::span<bool> touched_;               // whether the flow passes a word
  std::size_t reached_ = 0;               // words on the queue
  std::size_t left_ = 0;                  // words that have not joined yet
};

}  // namespace fenchel
