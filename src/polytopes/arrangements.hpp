// SPDX-License-Identifier: Apache-2.0
// The permutations of a vector w, once scores and w are sorted in descending order: projections of s onto
// their hull, and their enumeration, best first. Shared by the permutahedron, soft sorting and the
// k-subsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/generator.hpp"

namespace fenchel::arrangements {

/// w in descending order: w itself where it is, else a copy that lives as long as the caller's frame.
std::span<const double> descending(std::span<const double> w, Workspace& scratch);

/// The projection of θ onto the hull where it is only a shift to the sum of w, which a bound tells without
/// sorting; otherwise false, and `out` is unchanged. w in descending order.
bool project_inside(std::span<const double> theta, std::span<const double> w, std::span<double> out);

/// Whether project_inside applies.
bool shift_suffices(std::span<const double> theta, std::span<const double> w);

/// The mean of x, exact to a few roundings of its spread.
double mean(std::span<const double> x);

/// The Euclidean projection of s onto the hull of the permutations of w, both in descending order. Writes
/// where the blocks of its dual solution end and returns their number.
std::size_t project(std::span<const double> s, std::span<const double> w, std::span<double> mu,
                    std::span<std::uint32_t> ends, Workspace& scratch);

/// argmax ⟨s, μ⟩ − Σ μ log μ over the same hull; w ≥ 0.
std::size_t project_kl(std::span<const double> s, std::span<const double> w, std::span<double> mu,
                       std::span<std::uint32_t> ends, Workspace& scratch);

/// A projection of scores in any order, with what its derivative needs.
struct Projection {
  std::span<std::uint32_t> order;  ///< the indices of the scores, largest first
  std::span<double> mu;            ///< in that order
  std::span<std::uint32_t> ends;   ///< of the blocks of the dual solution

  /// Onto the hull of the permutations of w, in descending order: project_kl or project.
  Projection(std::span<const double> scores, std::span<const double> w, bool kl, Workspace& scratch);

  /// argmax ⟨scores, μ⟩ − Σ φ(μ) over the same hull.
  Projection(std::span<const double> scores, std::span<const double> w, const Generator& phi,
             Workspace& scratch);

  void write(std::span<double> out) const {
    for (std::size_t i = 0; i < order.size(); ++i) out[order[i]] = mu[i];
  }

  /// scale · J v, given the weights of the entries, in the order of μ: 1, μ for project_kl, or 1/φ''(μ). An
  /// entry moves by how far v is from its weighted mean over the block.
  template <class Weight>
  void multiply(std::span<const double> v, Weight weight, double scale, std::span<double> out) const {
    std::size_t first = 0;
    for (const std::uint32_t end : ends) {
      double total = 0;
      double sum = 0;
      for (std::size_t i = first; i < end; ++i) {
        total += weight(i);
        sum += weight(i) * v[order[i]];
      }
      const bool moves = end - first > 1 && total > 0;
      for (; first < end; ++first) {
        const std::uint32_t j = order[first];
        out[j] = moves ? scale * weight(first) * (v[j] - sum / total) : 0;
      }
    }
  }
};

/// The `count` best different arrangements a of w (all, if there are fewer), the largest ⟨s, a⟩ first.
void best(std::span<const double> s, std::span<const double> w, std::size_t count,
          FunctionRef<void(std::span<const double>)> take, Workspace& scratch);

/// The number of different arrangements of w (in descending order), or `limit` if there are more.
std::size_t number(std::span<const double> w, std::size_t limit);

}  // namespace fenchel::arrangements
