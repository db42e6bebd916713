// SPDX-License-Identifier: Apache-2.0
// The entries of a long row that can be in the support. Solving S_q(τ) = 1 over any subset of the entries
// gives a lower bound on τ: the maxima of the SIMD lanes are a good subset and cost nothing. A block of the
// row whose maximum is not above the bound is skipped; from the others the entries above the bound are kept,
// and when they pile up the bound is refreshed from them.
#if defined(FENCHEL_KERNELS_SURVIVORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_SURVIVORS_INL_H
#undef FENCHEL_KERNELS_SURVIVORS_INL_H
#else
#define FENCHEL_KERNELS_SURVIVORS_INL_H
#endif

#include <bit>
#include <cmath>
#include <cstdint>

#include "fenchel/core/workspace.hpp"
#include "kernels/threshold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// Entries of a block: 16 KiB, read twice from an L1 cache of 32 KiB.
template <class T>
inline constexpr std::size_t filter_block = 16384 / sizeof(T);

/// Steps from the lane maxima, and from the survivors when refreshing: every step stays below the root.
inline constexpr std::size_t tighten_steps = 2;

/// Survivors tolerated before the first refresh; with fewer, solving costs less than filtering again.
inline constexpr std::size_t refresh_at = 512;

template <class T, class Power>
class Survivors {
 public:
  using Index = hwy::MakeUnsigned<T>;
  static constexpr std::size_t maxima = 4 * lanes<T>;

  Survivors(const Power& power, std::size_t cols, Workspace& workspace)
      : power_(power),
        cols_(cols),
        index_(workspace.take<Index>(cols + lanes<T>).data()),
        z_(workspace.take<double>(padded_size(std::max(cols, maxima))).data()) {}

  /// Collects the survivors of a row; false when the row is bad. `ahead`: how far to prefetch.
  bool collect(const T* row, std::size_t ahead) {
    row_ = row;
    count_ = 0;
    top_ = -infinity<T>;
    bound_ = -infinity<T>;
    std::size_t refresh = refresh_at;
    for (std::size_t at = 0; at < cols_; at += filter_block<T>) {
      const std::size_t size = std::min(filter_block<T>, cols_ - at);
      T lane_max[maxima];
      T block_max;
      if (!block_maxima(row + at, size, ahead, lane_max, block_max)) return false;
      top_ = std::max(top_, block_max);
      if (!(block_max > bound_) || is_dense()) continue;
      tighten(lane_max);
      filter(row + at, size, at, ahead);
      if (count_ > refresh && !is_dense()) {
        const double tau = solve_survivors(tighten_steps);
        raise_bound(tau);
        drop_below(tau);
        refresh = 4 * count_ + refresh_at;
      }
    }
    return top_ > -infinity<T>;
  }

  /// τ for the collected survivors.
  double solve() { return solve_survivors(step_limit); }

  /// z becomes u^q; the sums are those of all survivors.
  ThresholdSums raise(double tau) { return raise_scores(power_, z_, padded_size(size()), tau); }

  /// Whether so many survived that the scores are those of the whole row, and the index is not used.
  bool is_dense() const { return count_ > cols_ / 2; }
  std::size_t size() const { return is_dense() ? cols_ : count_; }
  const Index* index() const { return index_; }
  const double* values() const { return z_; }
  T top() const { return top_; }

 private:
  /// Lane maxima and their maximum; false when the block holds a NaN or +inf.
  static FENCHEL_INLINE bool block_maxima(const T* from, std::size_t count, std::size_t ahead,
                                          T (&lane_max)[maxima], T& block_max) {
    const Tag<T> d;
    constexpr std::size_t n = lanes<T>;
    const Vector<T> inf = broadcast(infinity<T>);
    Vector<T> top[4];
    Vector<T> valid[4];
    for (std::size_t j = 0; j < 4; ++j) {
      top[j] = broadcast(-infinity<T>);
      valid[j] = hn::VecFromMask(d, hn::Lt(top[j], inf));
    }
    const auto take = [&](std::size_t j, Vector<T> x) HWY_ATTR {
      top[j] = hn::Max(top[j], x);
      valid[j] = hn::And(valid[j], hn::VecFromMask(d, hn::Lt(x, inf)));
    };
    std::size_t i = 0;
    for (; i + 4 * n <= count; i += 4 * n) {
      hwy::Prefetch(from + i + ahead);
      take(0, load(from + i));
      take(1, load(from + i + n));
      take(2, load(from + i + 2 * n));
      take(3, load(from + i + 3 * n));
    }
    // An entry must not count twice among the lane maxima, so the tail is padded, not overlapped.
    for (std::size_t j = 0; i < count; i += n, ++j) {
      take(j, i + n <= count ? load(from + i) : load_first(from + i, count - i, -infinity<T>));
    }
    for (std::size_t j = 0; j < 4; ++j) store(top[j], lane_max + j * n);
    const Vector<T> all = hn::Max(hn::Max(top[0], top[1]), hn::Max(top[2], top[3]));
    block_max = max_of_lanes<T>(all);
    const Vector<T> ok = hn::And(hn::And(valid[0], valid[1]), hn::And(valid[2], valid[3]));
    return hn::AllTrue(d, hn::MaskFromVec(ok));
  }

  /// Raises the bound to what the lane maxima alone imply.
  FENCHEL_INLINE void tighten(const T (&lane_max)[maxima]) {
    const double top = static_cast<double>(top_);
    const double scale = 1.0 / power_.q();
    for (std::size_t i = 0; i < maxima; ++i) z_[i] = (static_cast<double>(lane_max[i]) - top) * scale;
    pad_scores(z_, maxima);
    raise_bound(solve_threshold(power_, z_, padded_size(maxima), -1.0, tighten_steps));
  }

  /// The bound in units of θ, rounded down so that rounding never drops an entry of the support.
  void raise_bound(double tau) {
    const double exact = static_cast<double>(top_) + power_.q() * tau;
    bound_ = std::max(bound_, std::nextafter(static_cast<T>(exact), -infinity<T>));
  }

  /// Prefetches the lines that block_maxima left out: all at once would hold up the loads.
  FENCHEL_INLINE void filter(const T* from, std::size_t count, std::size_t base, std::size_t ahead) {
    const Tag<T> d;
    constexpr std::size_t n = lanes<T>;
    const Vector<T> bound = broadcast(bound_);
    std::size_t i = 0;
    for (; i + 4 * n <= count; i += 4 * n) {
      hwy::Prefetch(from + i + ahead + 2 * n);
      const Vector<T> x[4] = {load(from + i), load(from + i + n), load(from + i + 2 * n),
                              load(from + i + 3 * n)};
      if (hn::AllFalse(d, hn::Gt(hn::Max(hn::Max(x[0], x[1]), hn::Max(x[2], x[3])), bound))) continue;
      if (hn::AllTrue(d, hn::Gt(hn::Min(hn::Min(x[0], x[1]), hn::Min(x[2], x[3])), bound))) {
        keep_all(base + i);
        continue;
      }
      unsigned bits = 0;
      for (std::size_t j = 0; j < 4; ++j) bits |= bits_above(x[j], bound) << (j * n);
      keep(bits, base + i);
    }
    for (; i + n <= count; i += n) keep(bits_above(load(from + i), bound), base + i);
    if (i < count) keep(bits_above(load_first(from + i, count - i, -infinity<T>), bound), base + i);
  }

  static FENCHEL_INLINE unsigned bits_above(Vector<T> x, Vector<T> bound) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(Tag<T>(), hn::Gt(x, bound), bytes);
    return bytes[0];
  }

  /// Bit by bit, since survivors are few: Highway's CompressStore copies its table at every call under GCC.
  FENCHEL_INLINE void keep(unsigned bits, std::size_t at) {
    for (; bits != 0; bits &= bits - 1) {
      index_[count_++] = static_cast<Index>(at + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }

  /// Four vectors of survivors.
  FENCHEL_INLINE void keep_all(std::size_t at) {
    const hn::RebindToUnsigned<Tag<T>> du;
    auto index = hn::Add(hn::Iota(du, 0), hn::Set(du, static_cast<Index>(at)));
    for (std::size_t j = 0; j < 4; ++j, count_ += lanes<T>) {
      hn::StoreU(index, du, index_ + count_);
      index = hn::Add(index, hn::Set(du, static_cast<Index>(lanes<T>)));
    }
  }

  /// Drops the survivors whose scores z, just computed, are not above τ.
  void drop_below(double tau) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      index_[kept] = index_[i];
      kept += z_[i] > tau ? 1 : 0;
    }
    count_ = kept;
  }

  FENCHEL_INLINE double solve_survivors(std::size_t steps) {
    const double top = static_cast<double>(top_);
    const double scale = 1.0 / power_.q();
    const T* const row = row_;
    double* const z = z_;
    if (is_dense()) {
      for (std::size_t i = 0; i < cols_; ++i) z[i] = (static_cast<double>(row[i]) - top) * scale;
    } else {
      for (std::size_t i = 0; i < count_; ++i) z[i] = (static_cast<double>(row[index_[i]]) - top) * scale;
    }
    pad_scores(z_, size());
    const double start = std::max(-1.0, (static_cast<double>(bound_) - top) * scale);
    return solve_threshold(power_, z_, padded_size(size()), start, steps);
  }

  Power power_;
  std::size_t cols_;
  Index* index_;
  double* z_;
  const T* row_ = nullptr;
  std::size_t count_ = 0;
  T top_ = 0;
  T bound_ = 0;
};

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
