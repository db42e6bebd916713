// SPDX-License-Identifier: Apache-2.0
// α-entmax of short rows: a tile of `lanes` rows, one row a lane. All lanes take Newton steps together; a lane
// that is done keeps its τ, so that a row's bits do not depend on its neighbours. The iteration runs in T; the
// last pass, which yields p and the sums that normalise it, runs in double.
#if defined(FENCHEL_KERNELS_LANE_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_LANE_ROWS_INL_H
#undef FENCHEL_KERNELS_LANE_ROWS_INL_H
#else
#define FENCHEL_KERNELS_LANE_ROWS_INL_H
#endif

#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/kernels/rows.hpp"
#include "kernels/threshold-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

template <class T>
class LaneTile {
 public:
  using V = Vector<T>;

  LaneTile(std::size_t cols, T* tile) : cols_(cols), tile_(tile) {}

  T* data() { return tile_; }
  V shift() const { return shift_; }
  V tau() const { return tau_; }

  /// tile = z = (θ − max)/q; returns which lanes hold a bad row.
  HWY_INLINE hn::Mask<Tag<T>> centre(double q) {
    const Tag<T> d;
    V top = column(0);
    V valid = hn::VecFromMask(d, hn::Lt(top, broadcast(infinity<T>)));
    for (std::size_t c = 1; c < cols_; ++c) {
      const V x = column(c);
      top = hn::Max(top, x);
      valid = hn::And(valid, hn::VecFromMask(d, hn::Lt(x, broadcast(infinity<T>))));
    }
    const V scale = broadcast(static_cast<T>(1.0 / q));
    for (std::size_t c = 0; c < cols_; ++c) set_column(c, hn::Mul(hn::Sub(column(c), top), scale));
    shift_ = top;
    return hn::Or(hn::Not(hn::MaskFromVec(valid)), hn::Eq(top, broadcast(-infinity<T>)));
  }

  template <class Power>
  HWY_INLINE void solve(const Power& power) {
    const Tag<T> d;
    tau_ = broadcast<T>(-1);
    auto active = hn::Eq(tau_, tau_);
    for (std::size_t i = 0; i < step_limit && !hn::AllFalse(d, active); ++i) {
      V low[2] = {hn::Zero(d), hn::Zero(d)};
      V high[2] = {hn::Zero(d), hn::Zero(d)};
      std::size_t c = 0;
      for (; c + 2 <= cols_; c += 2) {
        power.accumulate(positive(c), low[0], high[0]);
        power.accumulate(positive(c + 1), low[1], high[1]);
      }
      if (c < cols_) power.accumulate(positive(c), low[0], high[0]);
      const V step = power.step(hn::Add(low[0], low[1]), hn::Add(high[0], high[1]));
      tau_ = hn::Add(tau_, hn::IfThenElseZero(hn::And(active, hn::Gt(step, hn::Zero(d))), step));
      active = hn::And(active, hn::Gt(step, broadcast(Power::template tolerance<T>)));
    }
  }

  /// tile = u^q, not yet divided by its sum.
  struct Sums {
    Vector<double> mass;   // S_q
    Vector<double> above;  // S_{q+1}
  };

  /// Sums of the lanes of part `part`: float tiles hold two vectors of double.
  template <class Power>
  HWY_INLINE void raise(const Power& power, Sums (&sums)[2]) {
    const Tag<double> wide;
    for (Sums& s : sums) s = {hn::Zero(wide), hn::Zero(wide)};
    if constexpr (sizeof(T) == 8) {
      for (std::size_t c = 0; c < cols_; ++c) set_column(c, raise_part(power, column(c), tau_, sums[0]));
    } else {
      const hn::Half<Tag<T>> half;
      const auto tau_low = hn::PromoteTo(wide, hn::LowerHalf(half, tau_));
      const auto tau_high = hn::PromoteTo(wide, hn::UpperHalf(half, tau_));
      for (std::size_t c = 0; c < cols_; ++c) {
        const V z = column(c);
        const auto low = raise_part(power, hn::PromoteTo(wide, hn::LowerHalf(half, z)), tau_low, sums[0]);
        const auto high = raise_part(power, hn::PromoteTo(wide, hn::UpperHalf(half, z)), tau_high, sums[1]);
        set_column(c, hn::Combine(Tag<T>(), hn::DemoteTo(half, high), hn::DemoteTo(half, low)));
      }
    }
  }

 private:
  HWY_INLINE V column(std::size_t c) const { return hn::Load(Tag<T>(), tile_ + c * lanes<T>); }
  HWY_INLINE void set_column(std::size_t c, V v) { hn::Store(v, Tag<T>(), tile_ + c * lanes<T>); }
  HWY_INLINE V positive(std::size_t c) const {
    return hn::Max(hn::Sub(column(c), tau_), hn::Zero(Tag<T>()));
  }

  template <class Power>
  static HWY_INLINE Vector<double> raise_part(const Power& power, Vector<double> z, Vector<double> tau,
                                              Sums& sums) {
    const Vector<double> u = hn::Max(hn::Sub(z, tau), hn::Zero(Tag<double>()));
    const Vector<double> p = power.raise(u);
    sums.mass = hn::Add(sums.mass, p);
    sums.above = hn::MulAdd(p, u, sums.above);
    return p;
  }

  std::size_t cols_;
  T* tile_;
  V shift_;
  V tau_;
};

/// 1/S in each lane, from the sums in double.
template <class T, class Sums>
HWY_INLINE Vector<T> inverse_mass(const Sums (&sums)[2]) {
  const Vector<double> one = broadcast(1.0);
  if constexpr (sizeof(T) == 8) {
    return hn::Div(one, sums[0].mass);
  } else {
    const hn::Half<Tag<T>> half;
    return hn::Combine(Tag<T>(), hn::DemoteTo(half, hn::Div(one, sums[1].mass)),
                       hn::DemoteTo(half, hn::Div(one, sums[0].mass)));
  }
}

template <class T, class Power>
HWY_INLINE void summarize_tile(const Power& power, const LaneTile<T>& tile,
                               const typename LaneTile<T>::Sums (&sums)[2], RowSummaries summaries) {
  HWY_ALIGN T shift[lanes<T>];
  HWY_ALIGN T tau[lanes<T>];
  HWY_ALIGN double conjugate[lanes<T>];
  hn::Store(tile.shift(), Tag<T>(), shift);
  hn::Store(tile.tau(), Tag<T>(), tau);
  for (std::size_t part = 0; part * lanes<double> < lanes<T>; ++part) {
    HWY_ALIGN double wide[lanes<double>];
    std::copy_n(tau + part * lanes<double>, lanes<double>, wide);
    const auto value = tsallis_conjugate(power, hn::Load(Tag<double>(), wide), sums[part].above);
    hn::Store(value, Tag<double>(), conjugate + part * lanes<double>);
  }
  for (std::size_t r = 0; r < summaries.shift.size(); ++r) {
    summaries.shift[r] = static_cast<double>(shift[r]);
    summaries.conjugate[r] = conjugate[r];
  }
}

template <class T, class Power>
std::size_t entmax_lanes(const Power& power, MatrixView<const T> theta, MatrixView<T> out,
                         RowSummaries summaries) {
  Workspace& workspace = thread_workspace();
  const Workspace::Frame frame(workspace);
  LaneTile<T> tile(theta.cols(), workspace.take<T>(theta.cols() * lanes<T>).data());
  for (std::size_t first = 0; first < theta.rows(); first += lanes<T>) {
    const std::size_t count = std::min(lanes<T>, theta.rows() - first);
    load_tile<T>(RowGroup<const T>(theta, first, count), theta.cols(), tile.data());
    const auto bad = hn::FindFirstTrue(Tag<T>(), tile.centre(power.q()));
    // Lanes past the last row repeat it, so the first bad lane is a row.
    if (bad >= 0) return first + static_cast<std::size_t>(bad);
    tile.solve(power);
    typename LaneTile<T>::Sums sums[2];
    tile.raise(power, sums);
    if (summaries.wanted()) summarize_tile(power, tile, sums, summaries.block(first, count));
    store_tile<T>(tile.data(), theta.cols(), inverse_mass<T>(sums), RowGroup<T>(out, first, count));
  }
  return theta.rows();
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
