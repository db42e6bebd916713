// SPDX-License-Identifier: Apache-2.0
// softmax of rows longer than a few vectors. Which shape runs depends on the number of columns only.
//
// Groups: vectors run along each row, and the horizontal maxima and sums of `lanes` rows are reduced
// together, which costs as many shuffles as transposing two blocks would. Wide rows go by blocks that stay in
// the L1 cache, each with a maximum of its own, so that memory is read once; the factors exp(block max − m)
// are applied in the pass that divides by S.
//
// Here `conjugate` is left holding S − 1, the sum of all terms but one maximum; log1p_in_place ends the work.
#if defined(FENCHEL_KERNELS_SOFTMAX_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_SOFTMAX_ROWS_INL_H
#undef FENCHEL_KERNELS_SOFTMAX_ROWS_INL_H
#else
#define FENCHEL_KERNELS_SOFTMAX_ROWS_INL_H
#endif

#include <cmath>
#include <optional>

#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/kernels/rows.hpp"
#include "kernels/softmax_terms-inl.h"
#include "kernels/streaming-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// Rows up to here are taken in groups; beyond, a horizontal reduction is a small part of the row.
template <class T>
inline constexpr std::size_t group_cols = 1024 / sizeof(T);

/// Entries of a wide row's block: 8 KiB, so that the block and its exponentials share a 32 KiB L1 cache.
template <class T>
inline constexpr std::size_t wide_block = 8192 / sizeof(T);

/// Lane maxima of a row of at least `lanes` entries.
template <class T>
FENCHEL_INLINE Vector<T> max_along(const T* row, std::size_t cols) {
  constexpr std::size_t n = lanes<T>;
  Vector<T> a = load(row + cols - n);
  Vector<T> b = a;
  std::size_t i = 0;
  for (; i + 4 * n <= cols; i += 4 * n) {
    a = hn::Max(a, hn::Max(load(row + i), load(row + i + n)));
    b = hn::Max(b, hn::Max(load(row + i + 2 * n), load(row + i + 3 * n)));
  }
  for (; i + n <= cols; i += n) a = hn::Max(a, load(row + i));
  return hn::Max(a, b);
}

/// to = exp(from − shift) for `count` entries, a multiple of two vectors; returns lane sums. Two chains at a
/// time: with more the constants no longer fit in sixteen registers.
template <class T>
FENCHEL_INLINE Vector<T> exp_pairs(const T* from, std::size_t count, Vector<T> shift, T* to) {
  constexpr std::size_t n = lanes<T>;
  Vector<T> sum[2] = {hn::Zero(Tag<T>()), hn::Zero(Tag<T>())};
  for (std::size_t i = 0; i < count; i += 2 * n) {
    const Vector<T> a = exp<T>(hn::Sub(load(from + i), shift));
    const Vector<T> b = exp<T>(hn::Sub(load(from + i + n), shift));
    store(a, to + i);
    store(b, to + i + n);
    sum[0] = hn::Add(sum[0], a);
    sum[1] = hn::Add(sum[1], b);
  }
  return hn::Add(sum[0], sum[1]);
}

/// to = exp(from − shift) for a row of at least `lanes` entries; returns lane sums. `to` may be `from`: the
/// overlapping tail is read first.
template <class T>
FENCHEL_INLINE Vector<T> exp_along(const T* from, std::size_t cols, T shift, T* to) {
  constexpr std::size_t n = lanes<T>;
  const Vector<T> m = broadcast(shift);
  const Vector<T> last = load(from + cols - n);
  std::size_t i = cols / (2 * n) * (2 * n);
  Vector<T> sum = exp_pairs(from, i, m, to);
  if (i + n <= cols) {
    const Vector<T> e = exp<T>(hn::Sub(load(from + i), m));
    store(e, to + i);
    sum = hn::Add(sum, e);
    i += n;
  }
  if (i < cols) {
    const Vector<T> e = exp<T>(hn::Sub(last, m));
    store(e, to + cols - n);
    sum = hn::Add(sum, hn::IfThenZeroElse(hn::FirstN(Tag<T>(), n - (cols - i)), e));
  }
  return sum;
}

template <class T>
FENCHEL_INLINE void scale_along(T* row, std::size_t cols, T factor) {
  constexpr std::size_t n = lanes<T>;
  const Vector<T> f = broadcast(factor);
  const Vector<T> last = hn::Mul(load(row + cols - n), f);
  std::size_t i = 0;
  for (; i + n <= cols; i += n) store(hn::Mul(load(row + i), f), row + i);
  if (i < cols) store(last, row + cols - n);
}

template <class T>
std::size_t softmax_groups(MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries) {
  const std::size_t cols = theta.cols();
  HWY_ALIGN T shift[lanes<T>];
  HWY_ALIGN T sum[lanes<T>];
  HWY_ALIGN T inverse[lanes<T>];
  Vector<T> partial[lanes<T>];
  for (std::size_t first = 0; first < theta.rows(); first += lanes<T>) {
    const std::size_t count = std::min(lanes<T>, theta.rows() - first);
    const T* from = theta.data() + first * theta.stride();
    T* to = out.data() + first * out.stride();
    for (std::size_t r = 0; r < count; ++r) partial[r] = max_along(from + r * theta.stride(), cols);
    for (std::size_t r = count; r < lanes<T>; ++r) partial[r] = partial[0];
    hn::Store(reduce_rows<T>(partial, Max()), Tag<T>(), shift);
    for (std::size_t r = 0; r < count; ++r) {
      partial[r] = exp_along(from + r * theta.stride(), cols, shift[r], to + r * out.stride());
    }
    for (std::size_t r = count; r < lanes<T>; ++r) partial[r] = partial[0];
    const Vector<T> total = reduce_rows<T>(partial, Add());
    hn::Store(total, Tag<T>(), sum);
    hn::Store(hn::Div(broadcast<T>(1), total), Tag<T>(), inverse);
    // Lanes past the last row repeat the first, so the first bad lane is a row.
    const auto bad = hn::FindFirstTrue(Tag<T>(), hn::Not(hn::Ge(total, broadcast<T>(1))));
    const std::size_t good = bad < 0 ? count : static_cast<std::size_t>(bad);
    for (std::size_t r = 0; summaries.wanted() && r < good; ++r) {
      const double s = static_cast<double>(sum[r]);
      summaries.shift[first + r] = static_cast<double>(shift[r]);
      summaries.conjugate[first + r] =
          s < confident_sum ? sum_apart(to + r * out.stride(), cols).others() : s - 1.0;
    }
    for (std::size_t r = 0; r < good; ++r) scale_along(to + r * out.stride(), cols, inverse[r]);
    if (good < count) return first + good;
  }
  return theta.rows();
}

/// to = exp(from − shift) with prefetch of what comes `ahead` entries later; returns the sum, in double after
/// a few additions in T so that it is as good at any length. A tail shorter than a vector is padded.
template <class T>
FENCHEL_INLINE double exp_block(const T* from, std::size_t count, T shift, T* to, std::size_t ahead) {
  constexpr std::size_t n = lanes<T>;
  constexpr std::size_t chain = 8 * n;
  const Vector<T> m = broadcast(shift);
  WideSum<T> sum;
  std::size_t i = 0;
  for (; i + chain <= count; i += chain) {
    for (std::size_t k = 0; k < chain; k += 64 / sizeof(T)) hwy::Prefetch(from + i + ahead + k);
    sum.add(exp_pairs(from + i, chain, m, to + i));
  }
  for (; i + n <= count; i += n) {
    const Vector<T> e = exp<T>(hn::Sub(load(from + i), m));
    store(e, to + i);
    sum.add(e);
  }
  if (i < count) {
    const Vector<T> e = exp<T>(hn::Sub(load_first(from + i, count - i, -infinity<T>), m));
    store_first(e, to + i, count - i);
    sum.add(e);
  }
  return sum.total();
}

template <class T>
FENCHEL_INLINE T max_block(const T* from, std::size_t count) {
  const T lowest = std::numeric_limits<T>::lowest();  // keeps a block of masks at exp(−inf − lowest) = 0
  const Vector<T> all = count >= lanes<T> ? max_along(from, count) : load_first(from, count, -infinity<T>);
  return std::max(lowest, max_of_lanes<T>(all));
}

/// One wide row at a time, by blocks.
template <class T>
class WideRow {
 public:
  WideRow(std::size_t cols, std::size_t ahead, Workspace& workspace)
      : cols_(cols),
        ahead_(ahead),
        blocks_((cols + wide_block<T> - 1) / wide_block<T>),
        max_(workspace.take<T>(blocks_).data()),
        sum_(workspace.take<double>(blocks_).data()) {}

  /// e = exp(from − maximum of the block), the blocks' sums and S; false when S shows a bad row.
  FENCHEL_INLINE bool exponentials(const T* from, T* e) {
    shift_ = std::numeric_limits<T>::lowest();
    for (std::size_t b = 0; b < blocks_; ++b) {
      const std::size_t at = b * wide_block<T>;
      max_[b] = max_block(from + at, size(b));
      sum_[b] = exp_block(from + at, size(b), max_[b], e + at, ahead_);
      shift_ = std::max(shift_, max_[b]);
    }
    total_ = 0.0;
    for (std::size_t b = 0; b < blocks_; ++b) total_ += sum_[b] * weight(b);
    return total_ >= 1.0;
  }

  /// S − 1, accurate also when it is tiny.
  FENCHEL_INLINE double others(const T* e) const {
    if (total_ >= confident_sum) return total_ - 1.0;
    TermsApart terms;
    for (std::size_t b = 0; b < blocks_; ++b) {
      if (max_[b] < shift_) {
        terms.below_one += sum_[b] * weight(b);
      } else {
        const TermsApart block = sum_apart(e + b * wide_block<T>, size(b));
        terms.below_one += block.below_one;
        terms.ones += block.ones;
      }
    }
    return terms.others();
  }

  /// e becomes e·weight/S, in place or on its way through `writer`.
  FENCHEL_INLINE void divide(T* e, StreamWriter<T>* writer) const {
    for (std::size_t b = 0; b < blocks_; ++b) {
      const std::size_t at = b * wide_block<T>;
      const T factor = static_cast<T>(weight(b) / total_);
      if (writer != nullptr) {
        writer->send(size(b), factor);
      } else if (size(b) >= lanes<T>) {
        scale_along(e + at, size(b), factor);
      } else {
        for (std::size_t i = at; i < cols_; ++i) e[i] *= factor;
      }
    }
  }

  double shift() const { return static_cast<double>(shift_); }

 private:
  std::size_t size(std::size_t b) const { return std::min(wide_block<T>, cols_ - b * wide_block<T>); }
  double weight(std::size_t b) const {
    return max_[b] == shift_ ? 1.0 : std::exp(static_cast<double>(max_[b]) - shift());
  }

  std::size_t cols_;
  std::size_t ahead_;
  std::size_t blocks_;
  T* max_;
  double* sum_;
  T shift_ = 0;
  double total_ = 0.0;
};

template <class T>
std::size_t softmax_wide(MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries) {
  Workspace& workspace = thread_workspace();
  const Workspace::Frame frame(workspace);
  WideRow<T> wide(theta.cols(), std::min(wide_block<T>, theta.stride()), workspace);
  std::optional<StreamWriter<T>> writer;
  if (is_streaming(out)) writer.emplace(out, workspace);
  for (std::size_t row = 0; row < theta.rows(); ++row) {
    T* const to = out.data() + row * out.stride();
    T* const e = writer ? writer->begin(to) : to;
    if (!wide.exponentials(theta.data() + row * theta.stride(), e)) return row;
    if (summaries.wanted()) {
      summaries.shift[row] = wide.shift();
      summaries.conjugate[row] = wide.others(e);
    }
    wide.divide(e, writer ? &*writer : nullptr);
    if (writer) writer->end();
  }
  return theta.rows();
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
