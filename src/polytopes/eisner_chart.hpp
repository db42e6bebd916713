// SPDX-License-Identifier: Apache-2.0
// The tables of Eisner's recursions for one sentence, in scratch memory: filled in the algebra that suits the
// scores, and read back from the top down to find or to draw a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/projective_tree.hpp"
#include "kernels/eisner.hpp"

namespace fenchel::eisner {

/// Uninitialised tables.
kernels::EisnerChart take_chart(const kernels::EisnerProblem& problem, Workspace& scratch);

/// A matrix [n, n] of arcs (the root's on the diagonal) over positions, minus a number for each word;
/// `outside` goes where there is no arc.
void to_positions(std::span<const double> arcs, std::span<const double> shift, double outside,
                  const kernels::EisnerProblem& problem, std::span<double> table);
/// The inverse of to_positions without shifts.
void from_positions(const double* table, const kernels::EisnerProblem& problem, std::span<double> arcs);

/// The filled tables of a sentence. They live in the workspace's frame around it.
struct Inside {
  kernels::EisnerProblem problem;
  kernels::EisnerChart chart;
  kernels::EisnerAlgebra algebra = kernels::EisnerAlgebra::max;
  double log_partition = 0;  ///< −inf: no tree is left (the tables are then empty)

  double total() const { return chart.right[problem.positions - 1]; }
};

/// Writes every word's best score into `top`; false where a word has none.
bool column_maxima(std::span<const double> theta, std::span<double> top);
/// Whether a sum over all trees, with column maxima subtracted from the scores, and the marginals from it are
/// exact to a rounding in plain numbers.
bool range_suffices(double total, std::size_t n);
/// No plain sum overflows up to this length: (27/4)³⁵⁰ is e⁶⁶⁸.
inline constexpr std::size_t longest_plain = 350;

/// The tables of (max, +).
Inside best(const ProjectiveTree& set, std::span<const double> theta, Workspace& scratch);
/// The tables of the sum over all trees.
Inside sum(const ProjectiveTree& set, std::span<const double> theta, Workspace& scratch);

/// The entries a_r and b_r of a sum, and the sum.
struct Splits {
  const double* a;
  const double* b;
  std::size_t count;
  double sum;
};

/// The head position of each position, chosen from the top down: choose(splits) picks a term of each sum.
template <class Choose>
void decode(const Inside& inside, Choose choose, std::span<std::uint32_t> heads, Workspace& scratch) {
  enum class Kind : std::uint32_t { right, left, join };
  struct Item {
    Kind kind;
    std::uint32_t s;
    std::uint32_t t;
  };
  const Workspace::Frame frame(scratch);
  const std::size_t stride = inside.problem.stride;
  const auto last = static_cast<std::uint32_t>(inside.problem.positions - 1);
  const auto stack = scratch.take<Item>(3 * inside.problem.positions);  // an arc is a join and two halves
  std::size_t size = 0;
  stack[size++] = {Kind::right, 0, last};
  while (size > 0) {
    const Item item = stack[--size];
    const std::uint32_t s = item.s;
    const std::uint32_t t = item.t;
    if (s == t) continue;
    const double* right = inside.chart.right + s * stride;
    const double* left = inside.chart.left + s * stride;
    const double* arcs = inside.chart.arcs + s * stride;
    const std::size_t end = t * stride;
    if (item.kind == Kind::right) {
      const Splits splits{arcs + s + 1, inside.chart.right + end + s + 1, t - s, right[t]};
      const std::uint32_t r = s + 1 + static_cast<std::uint32_t>(choose(splits));
      heads[r] = s;
      stack[size++] = {Kind::join, s, r};
      stack[size++] = {Kind::right, r, t};
    } else if (item.kind == Kind::left) {
      const Splits splits{left + s, inside.chart.arcs + end + s, t - s, left[t]};
      const std::uint32_t r = s + static_cast<std::uint32_t>(choose(splits));
      heads[r] = t;
      stack[size++] = {Kind::left, s, r};
      stack[size++] = {Kind::join, r, t};
    } else {
      const bool one_split = inside.problem.single_root && s == 0;
      const Splits splits{right + s, inside.chart.left + end + s + 1, one_split ? 1 : t - s,
                          inside.chart.joins[s * stride + t]};
      const std::uint32_t r = s + static_cast<std::uint32_t>(choose(splits));
      stack[size++] = {Kind::right, s, r};
      stack[size++] = {Kind::left, r + 1, t};
    }
  }
}

/// The term of a sum of (max, +) that attains it.
std::size_t best_split(const Splits& splits);

/// Σ values, to a rounding.
double total_of(std::span<const double> values);

/// The structure of head positions.
void write_tree(std::span<const std::uint32_t> heads, Structure& out);

}  // namespace fenchel::eisner
