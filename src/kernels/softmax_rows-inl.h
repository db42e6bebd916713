// SPDX-License-Identifier: Apache-2.0
// softmax of rows longer than a few vectors. Which shape runs depends only on the number of columns.
//
// Groups: vectors run along each row, and the horizontal maxima and sums of `lanes` rows are reduced
// together, which costs as many shuffles as transposing two blocks would. Wide rows go by blocks that stay in
// the L1 cache, each with a maximum of its own, so that memory is read once; the factors exp(block max − m)
// are applied in the pass that divides by S. That pass and the search for a maximum wait for memory, while
// the exponentials keep the arithmetic busy: they run together, on neighbouring blocks and rows.
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
#include "kernels/rows.hpp"
#include "kernels/softmax_terms-inl.h"
#include "kernels/streaming-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// Rows up to this length go in groups; for longer ones a horizontal reduction is a small part of the work.
template <class T>
inline constexpr std::size_t group_cols = 1024 / sizeof(T);

/// Entries of a wide row's block: 8 KiB, so that the block and its exponentials share a 32 KiB L1 cache.
template <class T>
inline constexpr std::size_t wide_block = 8192 / sizeof(T);

/// How far ahead of its first use memory is prefetched: the time a line takes to arrive, with some to spare.
template <class T>
inline constexpr std::size_t prefetch_entries = 4096 / sizeof(T);

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
    Vector<T> e[2] = {hn::Sub(load(from + i), shift), hn::Sub(load(from + i + n), shift)};
    exp_each<T>(e);
    store(e[0], to + i);
    store(e[1], to + i + n);
    sum[0] = hn::Add(sum[0], e[0]);
    sum[1] = hn::Add(sum[1], e[1]);
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

/// The last `lanes` of `count` entries; fewer are filled up with `fill`.
template <class T>
FENCHEL_INLINE Vector<T> last_vector(const T* from, std::size_t count, T fill) {
  return count < lanes<T> ? load_first(from, count, fill) : load(from + count - lanes<T>);
}

/// The maximum of a block that is worked on later, a step at a time, with prefetch of what follows it.
template <class T>
class BlockMax {
 public:
  FENCHEL_INLINE BlockMax(const T* from, std::size_t count)
      : from_(from), count_(count), a_(broadcast(lowest)), b_(a_) {}

  /// Takes in the next `step_entries`, if that many are left.
  FENCHEL_INLINE void step() {
    constexpr std::size_t n = lanes<T>;
    if (count_ - next_ < step_entries<T>) return;
    const T* const at = from_ + next_;
    for (std::size_t k = 0; k < step_entries<T>; k += 64 / sizeof(T))
      hwy::Prefetch(at + prefetch_entries<T> + k);
    for (std::size_t k = 0; k < step_entries<T>; k += 4 * n) {
      a_ = hn::Max(a_, hn::Max(load(at + k), load(at + k + n)));
      b_ = hn::Max(b_, hn::Max(load(at + k + 2 * n), load(at + k + 3 * n)));
    }
    next_ += step_entries<T>;
  }

  /// At least the lowest number, which keeps a block of masks at exp(−inf − lowest) = 0. Always
  /// +0, never −0: which one Max returns depends on the order, and on the steps taken on the block before.
  FENCHEL_INLINE T finish() {
    constexpr std::size_t n = lanes<T>;
    while (count_ - next_ >= step_entries<T>) step();
    for (; next_ + n <= count_; next_ += n) a_ = hn::Max(a_, load(from_ + next_));
    if (next_ < count_) a_ = hn::Max(a_, last_vector(from_, count_, lowest));
    return std::max(lowest, max_of_lanes<T>(hn::Max(a_, b_))) + T{0};
  }

 private:
  static constexpr T lowest = std::numeric_limits<T>::lowest();

  const T* from_;
  std::size_t count_;
  std::size_t next_ = 0;
  Vector<T> a_;
  Vector<T> b_;
};

/// to = exp(from − shift); returns the sum, in double after a few additions in T so that it is equally
/// accurate at any length. `to` may be `from`: the overlapping tail is read first. Exponentials leave the
/// load and store units idle, so steps of the work before and after come in between.
template <class T>
FENCHEL_INLINE double exp_block(const T* from, std::size_t count, T shift, T* to, BlockMax<T>& next,
                                ScaledCopy<T>& previous) {
  constexpr std::size_t n = lanes<T>;
  const Vector<T> m = broadcast(shift);
  const Vector<T> last = last_vector(from, count, -infinity<T>);
  WideSum<T> sum;
  std::size_t i = 0;
  for (; i + step_entries<T> <= count; i += step_entries<T>) {
    sum.add(exp_pairs(from + i, step_entries<T>, m, to + i));
    next.step();
    previous.step();
  }
  if (i == count) return sum.total();
  Vector<T> rest = hn::Zero(Tag<T>());
  for (; i + n <= count; i += n) {
    const Vector<T> e = exp<T>(hn::Sub(load(from + i), m));
    store(e, to + i);
    rest = hn::Add(rest, e);
  }
  if (i < count) {
    const Vector<T> e = exp<T>(hn::Sub(last, m));
    if (count < n) {
      store_first(e, to, count);
      rest = e;
    } else {
      store(e, to + count - n);
      rest = hn::Add(rest, hn::IfThenZeroElse(hn::FirstN(Tag<T>(), n - (count - i)), e));
    }
  }
  sum.add(rest);
  return sum.total();
}

/// Wide rows by blocks, in a pipeline: while the exponentials of one block are computed, the maximum of the
/// block after it is found and the same block of the row before is divided by that row's S. Memory traffic
/// and arithmetic then overlap all the time, instead of alternating pass by pass.
template <class T>
class WideRows {
 public:
  WideRows(MatrixView<const T> theta, MatrixView<T> out, Workspace& workspace)
      : theta_(theta),
        out_(out),
        blocks_((theta.cols() + wide_block<T> - 1) / wide_block<T>),
        max_(workspace.take<T>(blocks_).data()),
        factor_(workspace.take<T>(blocks_).data()),
        sum_(workspace.take<double>(blocks_).data()),
        next_max_(BlockMax<T>(theta.data(), size(0)).finish()) {
    if (is_streaming(out)) writer_.emplace(out, workspace, 2);
  }

  /// The exponentials of `row`, relative to the maximum of their block, and S; ends the row before. Rows come
  /// in order. False when S shows a bad row.
  FENCHEL_INLINE bool exponentials(std::size_t row) {
    const T* const from = theta_.data() + row * theta_.stride();
    const T* const next_row = row + 1 < theta_.rows() ? from + theta_.stride() : nullptr;
    T* const to = out_.data() + row * out_.stride();
    T* const e = writer_ ? writer_->compose(to) : to;
    begin_division();
    shift_ = std::numeric_limits<T>::lowest();
    for (std::size_t b = 0; b < blocks_; ++b) {
      const std::size_t at = b * wide_block<T>;
      max_[b] = next_max_;
      shift_ = std::max(shift_, max_[b]);
      BlockMax<T> next = b + 1 < blocks_       ? BlockMax<T>(from + at + wide_block<T>, size(b + 1))
                         : next_row != nullptr ? BlockMax<T>(next_row, size(0))
                                               : BlockMax<T>(from, 0);
      ScaledCopy<T> previous = division(b);
      sum_[b] = exp_block(from + at, size(b), max_[b], e + at, next, previous);
      next_max_ = next.finish();
      previous.finish();
    }
    end_division();
    e_ = e;
    to_ = to;
    total_ = 0.0;
    for (std::size_t b = 0; b < blocks_; ++b) total_ += sum_[b] * weight(b);
    if (!(total_ >= 1.0)) return false;
    for (std::size_t b = 0; b < blocks_; ++b) factor_[b] = static_cast<T>(weight(b) / total_);
    return true;
  }

  /// Ends the last row.
  void finish() {
    begin_division();
    for (std::size_t b = 0; b < blocks_; ++b) division(b).finish();
    end_division();
  }

  double shift() const { return static_cast<double>(shift_); }

  /// S − 1, accurate also when it is tiny.
  FENCHEL_INLINE double others() const {
    if (total_ >= confident_sum) return total_ - 1.0;
    TermsApart terms;
    for (std::size_t b = 0; b < blocks_; ++b) {
      if (max_[b] < shift_) {
        terms.below_one += sum_[b] * weight(b);
      } else {
        const TermsApart block = sum_apart(e_ + b * wide_block<T>, size(b));
        terms.below_one += block.below_one;
        terms.ones += block.ones;
      }
    }
    return terms.others();
  }

 private:
  std::size_t size(std::size_t b) const { return std::min(wide_block<T>, theta_.cols() - b * wide_block<T>); }
  double weight(std::size_t b) const {
    return max_[b] == shift_ ? 1.0 : std::exp(static_cast<double>(max_[b]) - shift());
  }

  void begin_division() {
    if (writer_ && e_ != nullptr) writer_->begin(e_, to_);
  }
  /// Block b of the row before: its exponentials become e·weight/S, in place or on their way out.
  FENCHEL_INLINE ScaledCopy<T> division(std::size_t b) {
    if (e_ == nullptr) return ScaledCopy<T>(nullptr, nullptr, 0, T{1}, false);
    T* const e = e_ + b * wide_block<T>;
    return writer_ ? writer_->open(size(b), factor_[b]) : ScaledCopy<T>(e, e, size(b), factor_[b], false);
  }
  void end_division() {
    if (writer_ && e_ != nullptr) writer_->end();
  }

  MatrixView<const T> theta_;
  MatrixView<T> out_;
  std::optional<StreamWriter<T>> writer_;
  std::size_t blocks_;
  T* max_;
  T* factor_;
  double* sum_;
  T next_max_;       // of the block after the one worked on
  T* e_ = nullptr;   // the last row's exponentials, to be divided; none before the first row
  T* to_ = nullptr;  // where that row belongs
  T shift_ = 0;
  double total_ = 0.0;
};

template <class T>
std::size_t softmax_wide(MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries) {
  Workspace& workspace = thread_workspace();
  const Workspace::Frame frame(workspace);
  WideRows<T> wide(theta, out, workspace);
  for (std::size_t row = 0; row < theta.rows(); ++row) {
    if (!wide.exponentials(row)) return row;
    if (summaries.wanted()) {
      summaries.shift[row] = wide.shift();
      summaries.conjugate[row] = wide.others();
    }
  }
  wide.finish();
  return theta.rows();
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
