// SPDX-License-Identifier: Apache-2.0
// A small convex quadratic over the simplex, argmin of ½ wᵀQw − ⟨a, w⟩, by active sets. Q may be singular:
// proximal steps keep the systems regular without moving the solution.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fenchel {

/// Keeps its memory from one solve to the next.
class SimplexQuadratic {
 public:
  /// Starts from w, which may be all 0. Q is symmetric and positive semidefinite, row by row.
  void minimize(std::span<const double> q, std::span<const double> a, std::span<double> w);

 private:
  void minimize_once(std::span<double> w);
  bool solve_active();
  bool shorten(std::span<double> w);

  std::size_t n_ = 0;
  std::span<const double> q_;
  double proximity_ = 0;
  std::vector<double> before_, linear_, system_, right_;
  std::vector<std::size_t> active_;
  std::vector<int> pivots_;
};

}  // namespace fenchel
