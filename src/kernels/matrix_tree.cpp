// SPDX-License-Identifier: Apache-2.0
// Arc marginals of spanning arborescences by elimination without subtraction: see the header for the
// formulas.
//
// There are two ways. The inverse C of the walk's matrix gives μ(h, m) = w(h, m) (C(m, m) − C(m, h)) in n³
// multiplications. Entries of C are exact to a few roundings, and so is their difference where it is not
// small beside C(m, m), that is where X(h, m) is not: every entry is tested. Graphs that fail, and those that
// are known beforehand to fail, take the other way, which never subtracts.
//
// `width` is the number of graphs that advance together, one per lane; with width 1 the lanes hold
// neighbouring columns of one graph. Either way an entry goes through the same operations, so its bits are
// the same.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix_tree.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/matrix_tree.hpp"
#include "kernels/matrix_tree_elimination-inl.h"
#include "kernels/matrix_tree_inversion-inl.h"
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

// The smallest X(h, m) that is left to the subtraction C(m, m) − C(m, h): relative errors δ of C become at
// most 2 δ / smallest_difference, which is below 5e-13 for δ of 16 roundings, several times what is observed.
constexpr double smallest_difference = 0x1p-7;

// Columns whose scores are further apart than this seldom pass that test: trying would cost more than it
// saves. Only speed depends on this.
constexpr double largest_inverted_spread = 13;

// A product of four rates must be a normal number for its logarithm.
constexpr double smallest_rates = 0x1p-1000;

/// What the range test needs, for each lane.
struct Range {
  Vector<double> spread;  // the largest distance between two scores of a column, masks apart
  Vector<double> bottom;  // the smallest score: −inf where there are masks
  Vector<double> gap;     // the largest distance between the two best scores of a column
};

/// The scores of each column: the two largest and the smallest.
struct ColumnBounds {
  std::span<double> tops;
  std::span<double> seconds;
  std::span<double> bottoms;
};

/// The smallest unmasked scores, into `bottoms`.
template <std::size_t width>
void unmasked_bottoms(const double* tile, std::size_t n, const ColumnBounds& bounds) {
  for_each_chunk<width>(0, n, [&](auto d, std::size_t i) HWY_ATTR {
    const auto inf = hn::Set(d, infinity<double>);
    auto low = inf;
    for (const double* at = tile + i; at < tile + n * n * width; at += n * width) {
      const auto score = hn::LoadU(d, at);
      low = hn::Min(low, hn::IfThenElse(hn::Eq(score, hn::Neg(inf)), inf, score));
    }
    hn::StoreU(low, d, bounds.bottoms.data() + i);
  });
}

template <std::size_t width>
FENCHEL_INLINE Range column_range(const double* tile, std::size_t n, const ColumnBounds& bounds) {
  using D = Tag<double>;
  for_each_chunk<width>(0, n, [&](auto d, std::size_t i) HWY_ATTR {
    auto top = hn::Set(d, -infinity<double>);
    auto second = top;
    auto bottom = hn::Set(d, infinity<double>);
    for (const double* at = tile + i; at < tile + n * n * width; at += n * width) {
      const auto score = hn::LoadU(d, at);
      second = hn::Max(second, hn::Min(top, score));
      top = hn::Max(top, score);
      bottom = hn::Min(bottom, score);
    }
    hn::StoreU(top, d, bounds.tops.data() + i);
    hn::StoreU(second, d, bounds.seconds.data() + i);
    hn::StoreU(bottom, d, bounds.bottoms.data() + i);
  });
  Range range{hn::Zero(D()), broadcast(infinity<double>), hn::Zero(D())};
  for (std::size_t m = 0; m < n; ++m) {
    range.bottom = hn::Min(range.bottom, entry<width>(D(), bounds.bottoms.data() + m * width));
  }
  const auto masked = hn::Eq(range.bottom, broadcast(-infinity<double>));
  if (!hn::AllFalse(D(), masked)) unmasked_bottoms<width>(tile, n, bounds);
  for (std::size_t m = 0; m < n; ++m) {
    const Vector<double> top = entry<width>(D(), bounds.tops.data() + m * width);
    const Vector<double> spread = hn::Sub(top, entry<width>(D(), bounds.bottoms.data() + m * width));
    const Vector<double> gap = hn::Sub(top, entry<width>(D(), bounds.seconds.data() + m * width));
    // A column of masks only has no tree; its spread is made infinite, so that it fails the test.
    const auto all_masked = hn::Eq(top, broadcast(-infinity<double>));
    range.spread = hn::Max(range.spread, hn::IfThenElse(all_masked, broadcast(infinity<double>), spread));
    range.gap = hn::Max(range.gap, hn::IfThenElse(all_masked, broadcast(infinity<double>), gap));
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

/// The way of each lane.
enum class Way { neither, inversion, elimination };

/// Where a word's best head has a share above 1 − smallest_difference the walk goes straight there, so that
/// X is too small for the inverse. For a single root X is as small as its ε everywhere. (A column whose best
/// head is the root is needlessly kept from the inverse, which costs only time.)
template <std::size_t width>
void choose_ways(const MatrixTree& graph, const Range& range, std::span<Way, width> ways) {
  HWY_ALIGN double spread[lanes<double>];
  HWY_ALIGN double bottom[lanes<double>];
  HWY_ALIGN double gap[lanes<double>];
  hn::Store(range.spread, Tag<double>(), spread);
  hn::Store(range.bottom, Tag<double>(), bottom);
  hn::Store(range.gap, Tag<double>(), gap);
  const double largest_gap = std::log(static_cast<double>(graph.n) / smallest_difference);
  for (std::size_t lane = 0; lane < width; ++lane) {
    const bool held = in_range(graph, spread[lane], bottom[lane] == -infinity<double>);
    const bool invertible =
        !graph.single_root && spread[lane] <= largest_inverted_spread && gap[lane] <= largest_gap;
    ways[lane] = !held ? Way::neither : invertible ? Way::inversion : Way::elimination;
  }
}

/// Everything one group of graphs needs, taken from the workspace once per block.
struct GroupScratch {
  std::span<double> tile;  // θ, then w with the root's weights on the diagonal
  ColumnBounds bounds;
  std::span<double> work;
  EliminationScratch elimination;
};

template <std::size_t width>
GroupScratch take_scratch(std::size_t n, Workspace& scratch) {
  GroupScratch group;
  group.tile = scratch.take<double>(n * n * width);
  group.bounds.tops = scratch.take<double>(n * width);
  group.bounds.seconds = scratch.take<double>(n * width);
  group.bounds.bottoms = scratch.take<double>(n * width);
  group.work = scratch.take<double>((n + 1) * n * width);
  group.elimination.meeting = scratch.take<double>(n * n * width);
  group.elimination.last = scratch.take<double>(n * width);
  group.elimination.pivots = scratch.take<double>(n * width);
  group.elimination.spare = scratch.take<double>((2 * n * n + 4 * n + 64) * width);
  return group;
}

/// θ → w = exp(θ − top) in `tile` and `work`, with the root's weights in the last row of `work` too.
template <std::size_t width>
FENCHEL_INLINE void exponentiate(const MatrixTree& graph, const GroupScratch& group) {
  const std::size_t n = graph.n;
  const double epsilon = graph.single_root ? single_root_epsilon : 1;
  double* root = group.work.data() + n * n * width;
  for (std::size_t h = 0; h < n; ++h) {
    double* row = group.tile.data() + h * n * width;
    exp_row<width>(group.bounds.tops.data(), n, row, group.work.data() + h * n * width);
    for (std::size_t i = h * width; i < (h + 1) * width; ++i) row[i] = root[i] = row[i] * epsilon;
  }
}

/// Σ tops + log of a product of `count` positive numbers; NaN if one is below `smallest`: where a word cannot
/// be reached, some rate is 0.
template <std::size_t width>
FENCHEL_INLINE Vector<double> log_of_product(const MatrixTree& graph, const GroupScratch& group,
                                             std::span<const double> factors, double smallest) {
  using D = Tag<double>;
  // Exponents add up exactly, so the one of epsilon cancels without a trace.
  Vector<double> exponent = broadcast(graph.single_root ? -single_root_exponent : 0.0);
  Vector<double> mantissa = hn::Zero(D());
  Vector<double> shift = hn::Zero(D());
  for (std::size_t i = 0; i < factors.size(); i += width) {
    const Vector<double> value = entry<width>(D(), factors.data() + i);
    const ScaledLog parts = log_parts(value);
    const auto positive = hn::Ge(value, broadcast(smallest));
    shift = hn::IfThenElse(positive, shift, broadcast(std::numeric_limits<double>::quiet_NaN()));
    exponent = hn::Add(exponent, parts.exponent);
    mantissa = hn::Add(mantissa, parts.mantissa);
  }
  for (std::size_t m = 0; m < graph.n; ++m)
    shift = hn::Add(shift, entry<width>(D(), group.bounds.tops.data() + m * width));
  return hn::Add(shift, hn::MulAdd(exponent, broadcast(0.69314718055994530942), mantissa));
}

/// Where the marginals of each graph go.
template <std::size_t width>
using Targets = std::array<double*, width>;

/// μ(h, m) = entry_of(tag, h, m), one number per graph, for the graphs of a group.
template <std::size_t width, class Entry>
FENCHEL_INLINE void write_entries(std::size_t n, const Targets<width>& mu, Entry entry_of) {
  if constexpr (width == 1) {
    const hn::CappedTag<double, 1> d;
    for (std::size_t h = 0; h < n; ++h) {
      for (std::size_t m = 0; m < n; ++m) mu[0][h * n + m] = hn::GetLane(entry_of(d, h, m));
    }
  } else {
    constexpr std::size_t block = block_lanes<double>;
    constexpr std::size_t upper = lanes<double> - block;
    if (n < block) {
      HWY_ALIGN double value[lanes<double>];
      hn::Store(entry_of(Tag<double>(), 0, 0), Tag<double>(), value);
      for (std::size_t lane = 0; lane < width; ++lane) *mu[lane] = value[lane];
      return;
    }
    for (std::size_t h = 0; h < n; ++h) {
      for (std::size_t at = 0; at < n; at += block) {
        const std::size_t m = std::min(at, n - block);  // the last block overlaps the one before
        Vector<double> v[block];
        for (std::size_t j = 0; j < block; ++j) v[j] = entry_of(Tag<double>(), h, m + j);
        transpose_blocks<double>(v);
        for (std::size_t r = 0; r < block; ++r) {
          store_two_blocks(v[r], mu[r] + h * n + m, mu[r + upper] + h * n + m);
        }
      }
    }
  }
}

/// μ(h, m) = w(h, m) (C(m, m) − C(m, h)); 0 is returned for graphs where a difference is too small beside
/// C(m, m), else 1.
template <std::size_t width>
FENCHEL_INLINE auto write_differences(std::size_t n, const GroupScratch& group, const Targets<width>& mu) {
  double* times = group.elimination.last.data();
  for (std::size_t m = 0; m < n; ++m) {
    double* own = group.work.data() + (m * n + m) * width;
    std::copy_n(own, width, times + m * width);
    std::fill_n(own, width, 0.0);  // the difference at the root's weight is C(m, m) itself
  }
  const double* weights = group.tile.data();
  const double* inverse = group.work.data();
  auto sound = hn::Set(hn::CappedTag<double, width>(), 1.0);
  write_entries<width>(n, mu, [&, n](auto d, std::size_t h, std::size_t m) HWY_ATTR {
    const auto time = entry<width>(d, times + m * width);
    const auto difference = hn::Sub(time, entry<width>(d, inverse + (m * n + h) * width));
    const auto enough = hn::Ge(difference, hn::Mul(time, hn::Set(d, smallest_difference)));
    sound = hn::IfThenElseZero(enough, sound);
    return hn::Mul(entry<width>(d, weights + (h * n + m) * width), difference);
  });
  return sound;
}

/// Marginals and log Z of the lanes that take this way; those whose differences are too small are sent the
/// other way. Overwrites `work`.
template <std::size_t width>
FENCHEL_INLINE void invert(const MatrixTree& graph, const GroupScratch& group, MatrixView<double> mu,
                           std::span<double> log_partition, std::span<Way, width> ways) {
  using D = Tag<double>;
  const std::size_t panels = (graph.n + panel_rank - 1) / panel_rank;
  const std::span<double> rates = group.elimination.pivots.first(panels * width);
  Inversion<width>(graph.n, group.work.data(), rates.data()).run();
  HWY_ALIGN double log_z[lanes<double>];
  hn::Store(log_of_product<width>(graph, group, rates, smallest_rates), D(), log_z);
  HWY_ALIGN double sound[width];
  Targets<width> targets;
  for (std::size_t lane = 0; lane < width; ++lane) targets[lane] = mu.row(lane).data();
  hn::Store(write_differences<width>(graph.n, group, targets), hn::CappedTag<double, width>(), sound);
  for (std::size_t lane = 0; lane < width; ++lane) {
    if (ways[lane] != Way::inversion) continue;
    log_partition[lane] = log_z[lane];
    if (sound[lane] == 0 || std::isnan(log_z[lane])) ways[lane] = Way::elimination;
  }
}

/// μ(h, m) = w(h, m) X(h, m) / r̄(m).
template <std::size_t width>
FENCHEL_INLINE void write_products(std::size_t n, const GroupScratch& group, const Targets<width>& mu) {
  double* last = group.elimination.last.data();
  for_each_chunk<width>(0, n, [&](auto d, std::size_t i) HWY_ATTR {
    hn::StoreU(hn::Div(hn::Set(d, 1.0), hn::LoadU(d, last + i)), d, last + i);
  });
  double* meeting = group.elimination.meeting.data();
  // The root's weights are on the diagonal.
  for (std::size_t m = 0; m < n; ++m) std::fill_n(meeting + (m * n + m) * width, width, 1.0);
  const double* weights = group.tile.data();
  write_entries<width>(n, mu, [=](auto d, std::size_t h, std::size_t m) HWY_ATTR {
    const std::size_t at = (h * n + m) * width;
    const auto share = hn::Mul(entry<width>(d, weights + at), entry<width>(d, last + m * width));
    return hn::Mul(share, entry<width>(d, meeting + at));
  });
}

/// Rates are multiplied in pairs, which a double holds, for half as many logarithms. Returns the products.
template <std::size_t width>
FENCHEL_INLINE std::span<const double> pair_up(std::span<double> rates) {
  const std::size_t half = rates.size() / (2 * width) * width;
  for (std::size_t i = 0; i < half; ++i) rates[i] *= rates[rates.size() - half + i];
  return rates.first(rates.size() - half);
}

/// Marginals and log Z of the lanes that take this way, and of no other. Overwrites `work`.
template <std::size_t width>
FENCHEL_INLINE void eliminate(const MatrixTree& graph, const GroupScratch& group, MatrixView<double> mu,
                              std::span<double> log_partition, std::span<const Way, width> ways) {
  const std::size_t n = graph.n;
  double* root = group.work.data() + n * n * width;
  Elimination<width>(n, group.elimination).run({group.work.data(), root, n, 0, n});
  // Word 0 is never eliminated on the way to itself: its last rate takes the free place.
  std::copy_n(group.elimination.last.data(), width, group.elimination.pivots.data());
  const std::span<const double> rates = pair_up<width>(group.elimination.pivots);
  HWY_ALIGN double log_z[lanes<double>];
  hn::Store(log_of_product<width>(graph, group, rates, std::numeric_limits<double>::min()), Tag<double>(),
            log_z);
  Targets<width> targets;
  for (std::size_t lane = 0; lane < width; ++lane) {
    targets[lane] = ways[lane] == Way::elimination ? mu.row(lane).data() : group.work.data();
  }
  write_products<width>(n, group, targets);
  for (std::size_t lane = 0; lane < width; ++lane) {
    if (ways[lane] == Way::elimination) log_partition[lane] = log_z[lane];
  }
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
  Way memory[width];
  const std::span<Way, width> ways(memory);
  choose_ways<width>(graph, column_range<width>(group.tile.data(), n, group.bounds), ways);
  std::ranges::fill(log_partition, std::numeric_limits<double>::quiet_NaN());
  exponentiate<width>(graph, group);
  const bool inverted = std::ranges::count(ways, Way::inversion) > 0;
  if (inverted) invert<width>(graph, group, mu, log_partition, ways);
  if (std::ranges::count(ways, Way::elimination) == 0) return;
  if (inverted) {
    std::ranges::copy(group.tile, group.work.begin());
    for (std::size_t m = 0; m < n; ++m) {
      std::copy_n(group.tile.data() + (m * n + m) * width, width, group.work.data() + (n * n + m) * width);
    }
  }
  eliminate<width>(graph, group, mu, log_partition, ways);
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

void matrix_tree_marginals(const MatrixTree& graph, MatrixView<const double> theta, MatrixView<double> mu,
                           std::span<double> log_partition, Workspace& scratch) {
  FENCHEL_DISPATCH(marginals)(graph, theta, mu, log_partition, scratch);
}

}  // namespace fenchel::kernels
#endif
