// SPDX-License-Identifier: Apache-2.0
#include "polytopes/eisner_chart.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"

namespace fenchel::eisner {
namespace {

using kernels::EisnerAlgebra;
using kernels::EisnerProblem;

constexpr double log_trees_per_word = 1.9095425048844386;  // log(27/4): there are fewer than (27/4)ⁿ trees
constexpr double log_smallest = -708;                      // of a weight that does not count as 0
constexpr double log_precision = 40;                       // e⁻⁴⁰ is far below a rounding

EisnerProblem make_problem(const ProjectiveTree& set) {
  const std::size_t positions = set.n + 1;
  return {positions, kernels::eisner_stride(positions), set.single_root, nullptr};
}

std::size_t entry(std::size_t head_position, std::size_t word, std::size_t n) {
  return (head_position == 0 ? word : head_position - 1) * n + word;
}

}  // namespace

// With every weight at most 1, log Z and the marginals are polynomials (and their ratios) with at most
// (27/4)ⁿ terms, each at most 1. An intermediate result below the smallest number loses at most that much,
// and there are fewer than 3n³ of them: the marginals then err by at most 3n³ (27/4)ⁿ e^log_smallest / Z.
bool range_suffices(double total, std::size_t n) {
  const auto words = static_cast<double>(n);
  const double loss = log_trees_per_word * words + std::log(3 * words * words * words) + log_smallest;
  return std::log(total) > loss + log_precision;
}

double total_of(std::span<const double> values) {
  CompensatedSum sum;
  for (const double value : values) sum += value;
  return sum.value();
}

bool column_maxima(std::span<const double> theta, std::span<double> top) {
  const std::size_t n = top.size();
  std::ranges::copy(theta.first(n), top.begin());
  for (std::size_t h = 1; h < n; ++h) {
    for (std::size_t m = 0; m < n; ++m) top[m] = std::max(top[m], theta[h * n + m]);
  }
  return std::ranges::find(top, -infinity) == top.end();
}

kernels::EisnerChart take_chart(const EisnerProblem& problem, Workspace& scratch) {
  const std::size_t size = problem.positions * problem.stride;
  double* memory = scratch.take<double>(4 * size).data();
  return {memory, memory + size, memory + 2 * size, memory + 3 * size};
}

void to_positions(std::span<const double> arcs, std::span<const double> shift, double outside,
                  const EisnerProblem& problem, std::span<double> table) {
  const std::size_t n = problem.positions - 1;
  std::ranges::fill(table, outside);
  for (std::size_t h = 0; h < n; ++h) {
    double* row = table.data() + (h + 1) * problem.stride;
    for (std::size_t m = 0; m < n; ++m) row[m + 1] = arcs[h * n + m] - shift[m];
    table[h + 1] = row[h + 1];
    row[h + 1] = outside;
  }
}

void from_positions(const double* table, const EisnerProblem& problem, std::span<double> arcs) {
  const std::size_t n = problem.positions - 1;
  for (std::size_t h = 0; h < n; ++h) {
    const double* row = table + (h + 1) * problem.stride;
    std::copy_n(row + 1, n, arcs.data() + h * n);
    arcs[h * n + h] = table[h + 1];
  }
}

// An empty chart, and the memory of its weights.
std::span<double> begin(Inside& inside, Workspace& scratch) {
  const auto weights = scratch.take<double>(inside.problem.positions * inside.problem.stride);
  inside.problem.weights = weights.data();
  inside.chart = take_chart(inside.problem, scratch);
  return weights;
}

Inside best(const ProjectiveTree& set, std::span<const double> theta, Workspace& scratch) {
  Inside inside{make_problem(set), {}};
  const auto weights = begin(inside, scratch);
  const auto shift = scratch.take<double>(set.n);
  std::ranges::fill(shift, 0.0);
  to_positions(theta, shift, -infinity, inside.problem, weights);
  kernels::eisner_inside(EisnerAlgebra::max, inside.problem, inside.chart);
  inside.log_partition = inside.total();
  return inside;
}

Inside sum(const ProjectiveTree& set, std::span<const double> theta, Workspace& scratch) {
  Inside inside{make_problem(set), {}};
  const auto weights = begin(inside, scratch);
  const auto shift = scratch.take<double>(set.n);
  inside.log_partition = -infinity;
  if (!column_maxima(theta, shift)) return inside;
  if (set.n <= longest_plain) {
    inside.algebra = EisnerAlgebra::real;
    to_positions(theta, shift, -infinity, inside.problem, weights);
    kernels::eisner_exponentials(weights.data(), weights.size());
    kernels::eisner_inside(inside.algebra, inside.problem, inside.chart);
    if (range_suffices(inside.total(), set.n)) {
      inside.log_partition = std::log(inside.total()) + total_of(shift);
      return inside;
    }
  }
  // Relative to the best tree, sums near it are near 0 and keep their digits.
  {
    const Workspace::Frame frame(scratch);
    const Inside top = best(set, theta, scratch);
    if (!(top.total() > -infinity)) return inside;
    const auto heads = scratch.take<std::uint32_t>(inside.problem.positions);
    decode(top, best_split, heads, scratch);
    for (std::size_t m = 0; m < set.n; ++m) shift[m] = theta[entry(heads[m + 1], m, set.n)];
  }
  inside.algebra = EisnerAlgebra::log;
  to_positions(theta, shift, -infinity, inside.problem, weights);
  kernels::eisner_inside(inside.algebra, inside.problem, inside.chart);
  inside.log_partition = inside.total() + total_of(shift);
  return inside;
}

std::size_t best_split(const Splits& splits) {
  std::size_t best = 0;
  double top = -infinity;
  for (std::size_t r = 0; r < splits.count; ++r) {
    const double score = splits.a[r] + splits.b[r];
    if (score > top) {
      top = score;
      best = r;
    }
  }
  return best;
}

void write_tree(std::span<const std::uint32_t> heads, Structure& out) {
  const std::size_t n = heads.size() - 1;
  out.clear();
  for (std::size_t m = 0; m < n; ++m) {
    out.indices.push_back(static_cast<std::uint32_t>(entry(heads[m + 1], m, n)));
  }
  std::ranges::sort(out.indices);
}

}  // namespace fenchel::eisner
