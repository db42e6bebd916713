// SPDX-License-Identifier: Apache-2.0
// softmax of rows of a few vectors, `lanes` rows at a time. Vectors run along the rows and their number is
// known when compiling; the last one ends where the row ends and overlaps the one before. The exponentials
// wait in a small tile, where the overlap is zero, so that `out` is written once and may be `theta`. The
// maxima and sums of all rows are reduced together.
#if defined(FENCHEL_KERNELS_SOFTMAX_SHORT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_SOFTMAX_SHORT_INL_H
#undef FENCHEL_KERNELS_SOFTMAX_SHORT_INL_H
#else
#define FENCHEL_KERNELS_SOFTMAX_SHORT_INL_H
#endif

#include "fenchel/core/views.hpp"
#include "kernels/rows.hpp"
#include "kernels/softmax_terms-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// The most vectors in a short row: they all fit in registers (emulated ones do not).
inline constexpr std::size_t short_vectors = HWY_TARGET == HWY_EMU128 ? 2 : 8;

template <class T, std::size_t vectors>
class ShortRows {
 public:
  using V = Vector<T>;
  static constexpr std::size_t n = lanes<T>;

  explicit ShortRows(std::size_t cols) : cols_(cols), last_(cols - n) {}

  /// Returns the first bad row of the group, or `lanes`.
  FENCHEL_INLINE std::size_t exponentials(const RowGroup<const T>& theta) {
    V partial[n];
    for (std::size_t r = 0; r < n; ++r) {
      V row[vectors];
      load_row(theta.row[r], row);
      V top = row[0];
      for (std::size_t k = 1; k < vectors; ++k) top = hn::Max(top, row[k]);
      partial[r] = top;
    }
    hn::Store(reduce_rows<T>(partial, Max()), Tag<T>(), shift_);
    const auto overlap = hn::FirstN(Tag<T>(), vectors * n - cols_);
    for (std::size_t r = 0; r < n; ++r) {
      V e[vectors];
      load_row(theta.row[r], e);
      const V shift = broadcast(shift_[r]);
      for (V& v : e) v = hn::Sub(v, shift);
      exp_each<T>(e);
      e[vectors - 1] = hn::IfThenZeroElse(overlap, e[vectors - 1]);
      V sum = e[vectors - 1];
      for (std::size_t k = 0; k + 1 < vectors; ++k) sum = hn::Add(sum, e[k]);
      for (std::size_t k = 0; k < vectors; ++k) hn::Store(e[k], Tag<T>(), tile_[r] + k * n);
      partial[r] = sum;
    }
    const V total = reduce_rows<T>(partial, Add());
    hn::Store(total, Tag<T>(), sum_);
    hn::Store(hn::Div(broadcast<T>(1), total), Tag<T>(), inverse_);
    const auto bad = hn::FindFirstTrue(Tag<T>(), hn::Not(hn::Ge(total, broadcast<T>(1))));
    return bad < 0 ? n : static_cast<std::size_t>(bad);
  }

  FENCHEL_INLINE void summarize(RowSummaries summaries) const {
    const std::size_t count = summaries.shift.size();
    for (std::size_t r = 0; r < count; ++r) summaries.shift[r] = static_cast<double>(shift_[r]);
    for (std::size_t r = 0; r < count; ++r) summaries.conjugate[r] = static_cast<double>(sum_[r]) - 1.0;
    const auto confident = hn::Lt(hn::Load(Tag<T>(), sum_), broadcast(static_cast<T>(confident_sum)));
    if (hn::AllFalse(Tag<T>(), confident)) return;
    for (std::size_t r = 0; r < count; ++r) {
      if (sum_[r] < static_cast<T>(confident_sum)) {
        summaries.conjugate[r] = sum_apart(tile_[r], vectors * n).others();
      }
    }
  }

  /// Rows past `count` repeat the last one and are not written.
  FENCHEL_INLINE void divide(T* to, std::size_t stride, std::size_t count) const {
    for (std::size_t r = 0; r < count; ++r, to += stride) {
      const V inverse = broadcast(inverse_[r]);
      const V end = hn::Mul(hn::Load(Tag<T>(), tile_[r] + (vectors - 1) * n), inverse);
      store(end, to + last_);  // first, as the others replace the zeros where it overlaps them
      for (std::size_t k = 0; k + 1 < vectors; ++k) {
        store(hn::Mul(hn::Load(Tag<T>(), tile_[r] + k * n), inverse), to + k * n);
      }
    }
  }

 private:
  FENCHEL_INLINE void load_row(const T* row, V (&v)[vectors]) const {
    for (std::size_t k = 0; k + 1 < vectors; ++k) v[k] = load(row + k * n);
    v[vectors - 1] = load(row + last_);
  }

  std::size_t cols_;
  std::size_t last_;
  HWY_ALIGN T tile_[n][vectors * n];
  HWY_ALIGN T shift_[n];
  HWY_ALIGN T sum_[n];
  HWY_ALIGN T inverse_[n];
};

/// Rows shorter than a vector: one row per lane.
template <class T>
std::size_t softmax_narrow(MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries) {
  constexpr std::size_t n = lanes<T>;
  const Tag<T> d;
  const std::size_t cols = theta.cols();
  const Vector<T> one = broadcast<T>(1);
  HWY_ALIGN T tile[n * n];
  HWY_ALIGN T shift[n];
  HWY_ALIGN T others[n];
  for (std::size_t first = 0; first < theta.rows(); first += n) {
    const std::size_t count = std::min(n, theta.rows() - first);
    load_tile<T>(RowGroup<const T>(theta, first), cols, tile, n);
    Vector<T> top = hn::Load(d, tile);
    for (std::size_t c = 1; c < cols; ++c) top = hn::Max(top, hn::Load(d, tile + c * n));
    Vector<T> below_one = hn::Zero(d);
    Vector<T> ones = hn::Zero(d);
    for (std::size_t c = 0; c < cols; ++c) {
      const Vector<T> e = exp<T>(hn::Sub(hn::Load(d, tile + c * n), top));
      hn::Store(e, d, tile + c * n);
      const auto is_one = hn::Ge(e, one);
      below_one = hn::Add(below_one, hn::IfThenZeroElse(is_one, e));
      ones = hn::Add(ones, hn::IfThenElseZero(is_one, one));
    }
    const Vector<T> total = hn::Add(below_one, ones);
    // Lanes past the last row repeat it, so the first bad lane is a row; those before it are done alone.
    const auto bad = hn::FindFirstTrue(d, hn::Not(hn::Ge(total, one)));
    if (bad >= 0) {
      const std::size_t good = static_cast<std::size_t>(bad);
      return first +
             softmax_narrow(theta.block(first, good), out.block(first, good), summaries.block(first, good));
    }
    store_tile<T>(tile, n, cols, hn::Div(one, total), RowGroup<T>(out, first));
    if (!summaries.wanted()) continue;
    hn::Store(top, d, shift);
    hn::Store(hn::Add(below_one, hn::Sub(ones, one)), d, others);
    for (std::size_t r = 0; r < count; ++r) {
      summaries.shift[first + r] = static_cast<double>(shift[r]);
      summaries.conjugate[first + r] = static_cast<double>(others[r]);
    }
  }
  return theta.rows();
}

template <std::size_t vectors, class T>
std::size_t softmax_short(MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries) {
  if constexpr (vectors < short_vectors) {
    if (theta.cols() > vectors * lanes<T>) return softmax_short<vectors + 1>(theta, out, summaries);
  }
  ShortRows<T, vectors> rows(theta.cols());
  for (std::size_t first = 0; first < theta.rows(); first += lanes<T>) {
    const std::size_t count = std::min(lanes<T>, theta.rows() - first);
    const std::size_t bad = rows.exponentials(RowGroup<const T>(theta, first));
    const std::size_t good = std::min(bad, count);
    if (summaries.wanted()) rows.summarize(summaries.block(first, good));
    rows.divide(out.data() + first * out.stride(), out.stride(), good);
    if (good < count) return first + good;
  }
  return theta.rows();
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
