// SPDX-License-Identifier: Apache-2.0
// The scores of a Sequence as a lattice: the edges are θ itself; the scores of the first step are gathered.
#pragma once

#include <algorithm>
#include <span>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/sequence.hpp"
#include "polytopes/chain_smoothing.hpp"

namespace fenchel {

/// θ (or a direction) as a lattice; what it gathers lives in the caller's frame of `scratch`.
inline Lattice sequence_lattice(const Sequence& set, std::span<const double> theta, Workspace& scratch) {
  const std::span<double> start = scratch.take<double>(set.m);
  for (std::size_t i = 0; i < set.m; ++i) start[i] = theta[i * set.m];
  return {set.n, set.m, start.data(), theta.data(), set.m * set.m, nullptr};
}

/// Where the derivatives of a Sequence go; those of the first step are gathered until `scatter_start`.
inline LatticeGradient sequence_gradient_view(const Sequence& set, std::span<double> out,
                                              Workspace& scratch) {
  return {scratch.take<double>(set.m).data(), out.data(), set.m * set.m, nullptr};
}

inline void scatter_start(const Sequence& set, const LatticeGradient& gradient) {
  std::fill_n(gradient.edges, set.m * set.m, 0.0);
  for (std::size_t i = 0; i < set.m; ++i) gradient.edges[i * set.m] = gradient.start[i];
}

/// log Z(θ) and its gradient in the layout of θ.
inline double sequence_gradient(const Sequence& set, std::span<const double> theta, std::span<double> mu,
                                Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const Lattice lattice = sequence_lattice(set, theta, scratch);
  const LatticeGradient view = sequence_gradient_view(set, mu, scratch);
  const double value = smoothed_gradient(lattice, view, scratch);
  if (value != -infinity) scatter_start(set, view);
  return value;
}

}  // namespace fenchel
