// SPDX-License-Identifier: Apache-2.0
// Arc marginals of spanning arborescences by elimination without subtraction: see the header for the
// formulas.
//
// `width` is the number of graphs that advance together, one a lane; with width 1 the lanes hold neighbouring
// columns of one graph. Either way an entry goes through the same operations, so its bits are the same.
#include "kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix_tree.cpp"
#include <hwy/foreach_target.h>
// Highway's own headers follow foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fenchel/kernels/matrix_tree.hpp"
#include "kernels/matrix_tree_elimination-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

// Column-scaled weights lie in [exp(−spread), 1], eliminated ones in [exp(−spread), n] and their products in
// [exp(−2 spread)/n, n²]: within the normal range with room to spare. With masks an eliminated weight may be
// a product of n weights, each over a sum of at most n.
constexpr double largest_spread = 300;

// The root's weight for "exactly one child": two children then have a share of at most n² ε exp(spread),
// which is below the rounding of 1 for a spread of at most 150 and n ≤ 1000, and ε exp(−2 · 150) is still a
// normal number.
constexpr double single_root_epsilon = 0x1p-300;
constexpr double single_root_exponent = -300;  // of two
constexpr double largest_single_root_spread = 150;
constexpr std::size_t largest_single_root_n = 1000;

/// What the range test needs, for each lane.
struct Range {
  Vector<double> spread;  // the largest distance between two scores of a column, masks apart
  Vector<double> bottom;  // the smallest score: −inf where there are masks
};

/// The scores of each column: the largest, the smallest, and the smallest that is no mask.
struct ColumnBounds {
  std::span<double> tops;
  std::span<double> bottoms;
  std::span<double> lows;
};

template <std::size_t width>
FENCHEL_INLINE Range column_range(const double* tile, std::size_t n, const ColumnBounds& bounds) {
  using D = Tag<double>;
  for_each_chunk<width>(0, n, [&](auto d, std::size_t i) HWY_ATTR {
    const auto inf = hn::Set(d, infinity<double>);
    auto top = hn::Neg(inf);
    auto bottom = inf;
    auto low = inf;
    for (const double* at = tile + i; at < tile + n * n * width; at += n * width) {
      const auto score = hn::LoadU(d, at);
      top = hn::Max(top, score);
      bottom = hn::Min(bottom, score);
      low = hn::Min(low, hn::IfThenElse(hn::Eq(score, hn::Neg(inf)), inf, score));
    }
    hn::StoreU(top, d, bounds.tops.data() + i);
    hn::StoreU(bottom, d, bounds.bottoms.data() + i);
    hn::StoreU(low, d, bounds.lows.data() + i);
  });
  Range range{hn::Zero(D()), broadcast(infinity<double>)};
  for (std::size_t m = 0; m < n; ++m) {
    const Vector<double> top = entry<width>(D(), bounds.tops.data() + m * width);
    const Vector<double> spread = hn::Sub(top, entry<width>(D(), bounds.lows.data() + m * width));
    // A column of masks only has no tree; its spread is made infinite, so that it fails the test.
    const auto all_masked = hn::Eq(top, broadcast(-infinity<double>));
    range.spread = hn::Max(range.spread, hn::IfThenElse(all_masked, broadcast(infinity<double>), spread));
    range.bottom = hn::Min(range.bottom, entry<width>(D(), bounds.bottoms.data() + m * width));
  }
  return range;
}

bool in_range(const MatrixTree& graph, double spread, bool masks) {
  const auto n = static_cast<double>(graph.n);
  if (graph.single_root) {
    return !masks && spread <= largest_single_root_spread && graph.n <= largest_single_root_n;
  }
  return (masks ? n * (spread + std::log(n)) : spread) <= largest_spread;
}

/// Everything one group of graphs needs, taken from the workspace once a block.
struct GroupScratch {
  std::span<double> tile;  // θ, then w, then μ
  ColumnBounds bounds;
  std::span<double> root;
  std::span<double> work;
  EliminationScratch elimination;
};

template <std::size_t width>
GroupScratch take_scratch(std::size_t n, Workspace& scratch) {
  GroupScratch group;
  group.tile = scratch.take<double>(n * n * width);
  group.bounds.tops = scratch.take<double>(n * width);
  group.bounds.bottoms = scratch.take<double>(n * width);
  group.bounds.lows = scratch.take<double>(n * width);
  group.root = scratch.take<double>(n * width);
  group.work = scratch.take<double>((n + 1) * n * width);
  group.elimination.fractions = scratch.take<double>(n * (n + 1) * width);
  group.elimination.meeting = scratch.take<double>(n * n * width);
  group.elimination.last = scratch.take<double>(n * width);
  group.elimination.pivots = scratch.take<double>(n * width);
  group.elimination.spare = scratch.take<double>((2 * n * n + 4 * n + 64) * width);
  return group;
}

/// θ → w = exp(θ − top) in `tile` and `work`, with the root's weights moved from the diagonal to rows of
/// their own.
template <std::size_t width>
FENCHEL_INLINE void exponentiate(const MatrixTree& graph, const GroupScratch& group) {
  const std::size_t n = graph.n;
  const double epsilon = graph.single_root ? single_root_epsilon : 1;
  double* root_copy = group.work.data() + n * n * width;
  for (std::size_t h = 0; h < n; ++h) {
    double* row = group.tile.data() + h * n * width;
    exp_row<width>(group.bounds.tops.data(), n, row, group.work.data() + h * n * width);
    for (std::size_t i = h * width; i < (h + 1) * width; ++i) {
      group.root[i] = root_copy[i] = row[i] * epsilon;
      row[i] = 0;
    }
  }
}

/// w → μ, given the probabilities of meeting the root and the last rates.
template <std::size_t width>
FENCHEL_INLINE void finish(std::size_t n, const GroupScratch& group) {
  double* last = group.elimination.last.data();
  for_each_chunk<width>(0, n, [&](auto d, std::size_t i) HWY_ATTR {
    hn::StoreU(hn::Div(hn::Set(d, 1.0), hn::LoadU(d, last + i)), d, last + i);
  });
  for (std::size_t h = 0; h < n; ++h) {
    double* row = group.tile.data() + h * n * width;
    const double* meeting = group.elimination.meeting.data() + h * n * width;
    for_each_chunk<width>(0, n, [&](auto d, std::size_t i) HWY_ATTR {
      const auto share = hn::Mul(hn::LoadU(d, row + i), hn::LoadU(d, last + i));
      hn::StoreU(hn::Mul(share, hn::LoadU(d, meeting + i)), d, row + i);
    });
  }
  for (std::size_t m = 0; m < n; ++m) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::size_t i = m * width + lane;
      group.tile[(m * n + m) * width + lane] = group.root[i] * last[i];
    }
  }
}

/// log Z = Σ tops + Σ log(rate of each word when it is eliminated) + log(rate of the last one); NaN if a rate
/// is 0, as that of some word is where words cannot be reached.
template <std::size_t width>
FENCHEL_INLINE Vector<double> log_partition_of(const MatrixTree& graph, const GroupScratch& group) {
  using D = Tag<double>;
  // Exponents add up exactly, so that of epsilon leaves no trace.
  Vector<double> exponent = broadcast(graph.single_root ? -single_root_exponent : 0.0);
  Vector<double> mantissa = hn::Zero(D());
  Vector<double> shift = hn::Zero(D());
  for (std::size_t m = 0; m < graph.n; ++m) {
    const double* rate = m == 0 ? group.elimination.last.data() : group.elimination.pivots.data() + m * width;
    const Vector<double> value = entry<width>(D(), rate);
    const ScaledLog parts = log_parts(value);
    const auto positive = hn::Gt(value, hn::Zero(D()));
    shift = hn::IfThenElse(positive, shift, broadcast(std::numeric_limits<double>::quiet_NaN()));
    exponent = hn::Add(exponent, parts.exponent);
    mantissa = hn::Add(mantissa, parts.mantissa);
    shift = hn::Add(shift, entry<width>(D(), group.bounds.tops.data() + m * width));
  }
  return hn::Add(shift, hn::MulAdd(exponent, broadcast(0.69314718055994530942), mantissa));
}

template <std::size_t width>
void run_group(const MatrixTree& graph, MatrixView<const double> theta, MatrixView<double> mu,
               std::span<double> log_partition, const GroupScratch& group) {
  const std::size_t n = graph.n;
  if constexpr (width == 1) {
    std::copy_n(theta.data(), n * n, group.tile.data());
  } else {
    load_tile(RowGroup<const double>(theta, 0), n * n, group.tile.data(), width);
  }
  const Range range = column_range<width>(group.tile.data(), n, group.bounds);
  exponentiate<width>(graph, group);
  double* root = group.work.data() + n * n * width;
  const Elimination<width> elimination(n, group.elimination);
  elimination.run({group.work.data(), root, n, 0, n});

  HWY_ALIGN double log_z[lanes<double>];
  HWY_ALIGN double spread[lanes<double>];
  HWY_ALIGN double bottom[lanes<double>];
  hn::Store(log_partition_of<width>(graph, group), Tag<double>(), log_z);
  hn::Store(range.spread, Tag<double>(), spread);
  hn::Store(range.bottom, Tag<double>(), bottom);
  finish<width>(n, group);
  if constexpr (width == 1) {
    std::copy_n(group.tile.data(), n * n, mu.data());
  } else {
    store_tile(group.tile.data(), width, n * n, broadcast(1.0), RowGroup<double>(mu, 0));
  }
  for (std::size_t lane = 0; lane < width; ++lane) {
    const bool held = in_range(graph, spread[lane], bottom[lane] == -infinity<double>);
    log_partition[lane] = held ? log_z[lane] : std::numeric_limits<double>::quiet_NaN();
  }
}

void marginals(const MatrixTree& graph, MatrixView<const double> theta, MatrixView<double> mu,
               std::span<double> log_partition, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  std::size_t at = 0;
  constexpr std::size_t width = lanes<double>;
  if (theta.rows() >= width) {
    const Workspace::Frame inner(scratch);
    const GroupScratch group = take_scratch<width>(graph.n, scratch);
    for (; at + width <= theta.rows(); at += width) {
      run_group<width>(graph, theta.block(at, width), mu.block(at, width), log_partition.subspan(at, width),
                       group);
    }
  }
  if (at == theta.rows()) return;
  const GroupScratch group = take_scratch<1>(graph.n, scratch);
  for (; at < theta.rows(); ++at) {
    run_group<1>(graph, theta.block(at, 1), mu.block(at, 1), log_partition.subspan(at, 1), group);
  }
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

HWY_EXPORT(marginals);

void matrix_tree_marginals(const MatrixTree& graph, MatrixView<const double> theta, MatrixView<double> mu,
                           std::span<double> log_partition, Workspace& scratch) {
  HWY_DYNAMIC_DISPATCH(marginals)(graph, theta, mu, log_partition, scratch);
}

}  // namespace fenchel::kernels
#endif
