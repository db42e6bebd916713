// SPDX-License-Identifier: Apache-2.0
// α-entmax of short rows: a tile of 2·lanes rows, one row per lane. All lanes take Newton steps together; a
// lane that is done keeps its τ, so that a row's bits do not depend on its neighbours. Two vectors side by
// side hide each other's latency, which is most of a step when rows are short. The iteration runs in T; the
// last pass, which yields p and the sums that normalise it, runs in double.
#if defined(FENCHEL_KERNELS_LANE_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_LANE_ROWS_INL_H
#undef FENCHEL_KERNELS_LANE_ROWS_INL_H
#else
#define FENCHEL_KERNELS_LANE_ROWS_INL_H
#endif

#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"
#include "kernels/rows.hpp"
#include "kernels/threshold-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// S_q and S_{q+1} of the rows in one vector of double.
struct LaneSums {
  Vector<double> mass;
  Vector<double> above;
};

template <class T>
class LaneTile {
 public:
  using V = Vector<T>;
  static constexpr std::size_t halves = 2;
  static constexpr std::size_t rows = halves * lanes<T>;
  static constexpr std::size_t parts = rows / lanes<double>;  // vectors of double that hold all rows

  LaneTile(std::size_t cols, Workspace& workspace)
      : cols_(cols), tile_(workspace.take<T>(cols * rows).data()) {}

  FENCHEL_INLINE void load(MatrixView<const T> theta, std::size_t first) {
    for (std::size_t h = 0; h < halves; ++h) {
      load_tile<T>(RowGroup<const T>(theta, first + h * lanes<T>), cols_, tile_ + h * lanes<T>, rows);
    }
  }

  /// Row maxima; returns the first lane that holds a bad row, or `rows`.
  FENCHEL_INLINE std::size_t find_maxima() {
    const Tag<T> d;
    const V inf = broadcast(infinity<T>);
    V top[halves];
    V valid[halves];
    for (std::size_t h = 0; h < halves; ++h) {
      top[h] = column(0, h);
      valid[h] = hn::VecFromMask(d, hn::Lt(top[h], inf));
    }
    for (std::size_t c = 1; c < cols_; ++c) {
      for (std::size_t h = 0; h < halves; ++h) {
        const V x = column(c, h);
        top[h] = hn::Max(top[h], x);
        valid[h] = hn::And(valid[h], hn::VecFromMask(d, hn::Lt(x, inf)));
      }
    }
    for (std::size_t h = 0; h < halves; ++h) {
      hn::Store(top[h], d, shift_ + h * lanes<T>);
      const auto bad = hn::FindFirstTrue(
          d, hn::Or(hn::Not(hn::MaskFromVec(valid[h])), hn::Eq(top[h], broadcast(-infinity<T>))));
      if (bad >= 0) return h * lanes<T> + static_cast<std::size_t>(bad);
    }
    return rows;
  }

  /// The tile becomes z = (θ − max)/q; τ of every row.
  template <class Power>
  FENCHEL_INLINE void solve(const Power& power) {
    const Tag<T> d;
    const V zero = hn::Zero(d);
    const V tolerance = broadcast(Power::template tolerance<T>);
    const V all = hn::VecFromMask(d, hn::Eq(zero, zero));
    V active[halves] = {all, all};
    V tau[halves] = {broadcast<T>(-1), broadcast<T>(-1)};
    V low[halves] = {zero, zero};
    V high[halves] = {zero, zero};
    centre(power, low, high);
    for (std::size_t i = 0; i < step_limit; ++i) {
      for (std::size_t h = 0; h < halves; ++h) {
        const V step = power.step(low[h], high[h]);
        tau[h] = hn::Add(tau[h], hn::And(active[h], hn::Max(step, zero)));
        active[h] = hn::And(active[h], hn::VecFromMask(d, hn::Gt(step, tolerance)));
        low[h] = high[h] = zero;
      }
      if (hn::AllFalse(d, hn::MaskFromVec(hn::Or(active[0], active[1])))) break;
      for (std::size_t c = 0; c < cols_; ++c) {
        for (std::size_t h = 0; h < halves; ++h) {
          power.accumulate(hn::Max(hn::Sub(column(c, h), tau[h]), zero), low[h], high[h]);
        }
      }
    }
    for (std::size_t h = 0; h < halves; ++h) hn::Store(tau[h], d, tau_ + h * lanes<T>);
  }

  /// The tile becomes u^q, not yet divided by its sum.
  template <class Power>
  FENCHEL_INLINE void raise(const Power& power) {
    const Tag<double> wide;
    for (LaneSums& s : sums_) s = {hn::Zero(wide), hn::Zero(wide)};
    if constexpr (sizeof(T) == 8) {
      const V tau[halves] = {hn::Load(wide, tau_), hn::Load(wide, tau_ + lanes<T>)};
      for (std::size_t c = 0; c < cols_; ++c) {
        for (std::size_t h = 0; h < halves; ++h) {
          set_column(c, h, raise_part(power, column(c, h), tau[h], sums_[h]));
        }
      }
    } else {
      const hn::Half<Tag<T>> half;
      for (std::size_t h = 0; h < halves; ++h) {
        const V tau = hn::Load(Tag<T>(), tau_ + h * lanes<T>);
        const auto tau_low = hn::PromoteTo(wide, hn::LowerHalf(half, tau));
        const auto tau_high = hn::PromoteTo(wide, hn::UpperHalf(half, tau));
        LaneSums low = sums_[2 * h];
        LaneSums high = sums_[2 * h + 1];
        for (std::size_t c = 0; c < cols_; ++c) {
          const V z = column(c, h);
          const auto p = raise_part(power, hn::PromoteTo(wide, hn::LowerHalf(half, z)), tau_low, low);
          const auto q = raise_part(power, hn::PromoteTo(wide, hn::UpperHalf(half, z)), tau_high, high);
          set_column(c, h, hn::Combine(Tag<T>(), hn::DemoteTo(half, q), hn::DemoteTo(half, p)));
        }
        sums_[2 * h] = low;
        sums_[2 * h + 1] = high;
      }
    }
  }

  /// The first rows' summaries.
  template <class Power>
  FENCHEL_INLINE void summarize(const Power& power, RowSummaries summaries) const {
    HWY_ALIGN double conjugate[rows];
    HWY_ALIGN double tau[rows];
    std::copy_n(tau_, rows, tau);
    for (std::size_t k = 0; k < parts; ++k) {
      const auto t = hn::Load(Tag<double>(), tau + k * lanes<double>);
      hn::Store(tsallis_conjugate(power, t, sums_[k].above), Tag<double>(), conjugate + k * lanes<double>);
    }
    std::copy_n(shift_, summaries.shift.size(), summaries.shift.begin());
    std::copy_n(conjugate, summaries.conjugate.size(), summaries.conjugate.begin());
  }

  FENCHEL_INLINE void divide(MatrixView<T> out, std::size_t first) const {
    for (std::size_t h = 0; h < halves; ++h) {
      store_tile<T>(tile_ + h * lanes<T>, rows, cols_, inverse_mass(h),
                    RowGroup<T>(out, first + h * lanes<T>));
    }
  }

 private:
  /// z = (θ − max)/q, and the sums at the first bound, τ = −1.
  template <class Power>
  FENCHEL_INLINE void centre(const Power& power, V (&low)[halves], V (&high)[halves]) {
    const V scale = broadcast(static_cast<T>(1.0 / power.q()));
    const V one = broadcast<T>(1);
    const V top[halves] = {hn::Load(Tag<T>(), shift_), hn::Load(Tag<T>(), shift_ + lanes<T>)};
    for (std::size_t c = 0; c < cols_; ++c) {
      for (std::size_t h = 0; h < halves; ++h) {
        const V z = hn::Mul(hn::Sub(column(c, h), top[h]), scale);
        set_column(c, h, z);
        power.accumulate(hn::Max(hn::Add(z, one), hn::Zero(Tag<T>())), low[h], high[h]);
      }
    }
  }

  FENCHEL_INLINE V column(std::size_t c, std::size_t h) const {
    return hn::Load(Tag<T>(), tile_ + (c * halves + h) * lanes<T>);
  }
  FENCHEL_INLINE void set_column(std::size_t c, std::size_t h, V v) {
    hn::Store(v, Tag<T>(), tile_ + (c * halves + h) * lanes<T>);
  }

  template <class Power>
  static FENCHEL_INLINE Vector<double> raise_part(const Power& power, Vector<double> z, Vector<double> tau,
                                                  LaneSums& sums) {
    const Vector<double> u = hn::Max(hn::Sub(z, tau), hn::Zero(Tag<double>()));
    const Vector<double> p = power.raise(u);
    sums.mass = hn::Add(sums.mass, p);
    sums.above = hn::MulAdd(p, u, sums.above);
    return p;
  }

  FENCHEL_INLINE V inverse_mass(std::size_t h) const {
    const Vector<double> one = broadcast(1.0);
    if constexpr (sizeof(T) == 8) {
      return hn::Div(one, sums_[h].mass);
    } else {
      const hn::Half<Tag<T>> half;
      return hn::Combine(Tag<T>(), hn::DemoteTo(half, hn::Div(one, sums_[2 * h + 1].mass)),
                         hn::DemoteTo(half, hn::Div(one, sums_[2 * h].mass)));
    }
  }

  std::size_t cols_;
  T* tile_;  // column by column
  LaneSums sums_[parts];
  HWY_ALIGN T shift_[rows];
  HWY_ALIGN T tau_[rows];
};

template <class T, class Power>
std::size_t entmax_lanes(const Power& power, MatrixView<const T> theta, MatrixView<T> out,
                         RowSummaries summaries) {
  Workspace& workspace = thread_workspace();
  const Workspace::Frame frame(workspace);
  LaneTile<T> tile(theta.cols(), workspace);
  for (std::size_t first = 0; first < theta.rows(); first += tile.rows) {
    const std::size_t count = std::min(tile.rows, theta.rows() - first);
    tile.load(theta, first);
    // Lanes past the last row repeat it, so a bad lane is a row; those before it are done alone.
    const std::size_t good = tile.find_maxima();
    if (good < count) {
      return first + entmax_lanes(power, theta.block(first, good), out.block(first, good),
                                  summaries.block(first, good));
    }
    tile.solve(power);
    tile.raise(power);
    if (summaries.wanted()) tile.summarize(power, summaries.block(first, count));
    tile.divide(out, first);
  }
  return theta.rows();
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
