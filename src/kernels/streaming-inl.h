// SPDX-License-Identifier: Apache-2.0
// Writing rows that will not be read again soon: stores that bypass the cache save reading each line of the
// destination first (copying measured 33 against 19 GB/s). They only win when the block is larger than the
// cache, and never change a value.
#if defined(FENCHEL_KERNELS_STREAMING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_STREAMING_INL_H
#undef FENCHEL_KERNELS_STREAMING_INL_H
#else
#define FENCHEL_KERNELS_STREAMING_INL_H
#endif

#include <cstdint>

#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"
#include "kernels/rows.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

template <class T>
FENCHEL_INLINE bool is_streaming(MatrixView<T> out) {
  return out.rows() * out.cols() * sizeof(T) >= streaming_bytes;
}

/// Entries per step of work that is interleaved with other work: whole lines, and enough of them to make up
/// for the bookkeeping.
template <class T>
inline constexpr std::size_t step_entries = 16 * lanes<T>;

/// to = factor·from, a step at a time, so that a caller can spread the memory traffic over other work. `to`
/// may be `from`. Past the cache, `to` starts at a line and `count` is a number of whole lines.
template <class T>
class ScaledCopy {
 public:
  FENCHEL_INLINE ScaledCopy(const T* from, T* to, std::size_t count, T factor, bool past_cache)
      : from_(from), to_(to), left_(count), factor_(factor), past_cache_(past_cache) {}

  /// Copies the next `step_entries`, if that many are left.
  FENCHEL_INLINE void step() {
    if (left_ < step_entries<T>) return;
    const Vector<T> factors = broadcast(factor_);
    if (past_cache_) {
      for (std::size_t k = 0; k < step_entries<T>; k += lanes<T>) {
        hn::Stream(hn::Mul(load(from_ + k), factors), Tag<T>(), to_ + k);
      }
    } else {
      for (std::size_t k = 0; k < step_entries<T>; k += lanes<T>) {
        store(hn::Mul(load(from_ + k), factors), to_ + k);
      }
    }
    advance(step_entries<T>);
  }

  FENCHEL_INLINE void finish() {
    while (left_ >= step_entries<T>) step();
    const Vector<T> factors = broadcast(factor_);
    for (; left_ >= lanes<T>; advance(lanes<T>)) {
      const Vector<T> v = hn::Mul(load(from_), factors);
      if (past_cache_) {
        hn::Stream(v, Tag<T>(), to_);
      } else {
        store(v, to_);
      }
    }
    for (std::size_t k = 0; k < left_; ++k) to_[k] = from_[k] * factor_;
    left_ = 0;
  }

 private:
  FENCHEL_INLINE void advance(std::size_t entries) {
    from_ += entries;
    to_ += entries;
    left_ -= entries;
  }

  const T* from_;
  T* to_;
  std::size_t left_;
  T factor_;
  bool past_cache_;
};

/// Writes the rows of a matrix in order, bypassing the cache, from scratch rows that start out as zero. A
/// line that two rows share is held back until it is whole: sending parts of lines costs more than reading
/// them.
template <class T>
class StreamWriter {
 public:
  /// With two scratch rows, one can be composed while the other is sent.
  StreamWriter(MatrixView<T> out, Workspace& workspace, std::size_t scratch_rows = 1)
      : contiguous_(out.stride() == out.cols()),
        scratch_rows_(scratch_rows),
        scratch_size_((out.cols() + 2 * line - 1) / line * line),
        scratch_(workspace.take<T>(scratch_rows * scratch_size_).data()) {
    std::fill_n(scratch_, scratch_rows * scratch_size_, T{0});
  }
  ~StreamWriter() {
    std::copy_n(held_, held_count_, origin_);
    hwy::FlushStream();
  }
  StreamWriter(const StreamWriter&) = delete;
  StreamWriter& operator=(const StreamWriter&) = delete;

  /// Where to compose the row that goes to `to`: as far from the start of a line as `to` is.
  T* compose(const T* to) {
    composed_ = (composed_ + 1) % scratch_rows_;
    return scratch_ + composed_ * scratch_size_ + offset_in_line(to);
  }

  /// Starts sending the composed `row` to `to`.
  void begin(T* row, T* to) {
    offset_ = offset_in_line(to);
    origin_ = to - offset_;
    sent_ = row - offset_;
    next_ = offset_;
    replace_first(held_, held_count_, sent_);
  }

  /// For one scratch row: where to compose the row that goes to `to`, and the start of sending it.
  T* begin(T* to) {
    T* const row = compose(to);
    begin(row, to);
    return row;
  }

  /// Multiplies the next `count` entries of the row by `factor` and sends them on their way, except for the
  /// whole lines among them: they are sent by the result.
  FENCHEL_INLINE ScaledCopy<T> open(std::size_t count, T factor) {
    const std::size_t end = next_ + count;
    std::size_t i = next_;
    if (i % line != 0) {
      const std::size_t begun = i / line * line;
      scale_part(begun, i - begun, std::min(end - begun, line), factor);
      i = std::min(end, begun + line);
      if (i % line == 0) send_line(begun);
    }
    const std::size_t whole = (end - i) / line * line;
    if (i + whole < end) scale_part(i + whole, 0, end - i - whole, factor);
    next_ = end;
    return ScaledCopy<T>(sent_ + i, origin_ + i, whole, factor, true);
  }

  FENCHEL_INLINE void send(std::size_t count, T factor) { open(count, factor).finish(); }

  /// Ends the row; what is left of it waits for the next one.
  void end() {
    const std::size_t whole = next_ / line * line;
    const std::size_t first = whole == 0 && held_count_ < offset_ ? offset_ : whole;
    if (contiguous_ && first == whole) {
      held_count_ = next_ - whole;
      replace_first(sent_ + whole, line, held_);
    } else {
      held_count_ = 0;
      std::copy(sent_ + first, sent_ + next_, origin_ + first);
    }
    static constexpr T zeros[line] = {};
    replace_first(zeros, offset_, sent_);
    origin_ += whole;
  }

 private:
  static constexpr std::size_t line = 64 / sizeof(T);

  static std::size_t offset_in_line(const T* to) {
    return reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % line;
  }

  // The ends of rows and blocks are handled by whole vectors: entries written one by one could not be read
  // back as a vector before they have reached the cache.

  /// Which entries of the vector at `at` come before entry `count` of a line.
  static FENCHEL_INLINE auto before(std::size_t count, std::size_t at) {
    return hn::FirstN(Tag<T>(), std::min(lanes<T>, std::max(count, at) - at));
  }

  /// The first `count` entries of the line `to` become those of the line `from`.
  static FENCHEL_INLINE void replace_first(const T* from, std::size_t count, T* to) {
    for (std::size_t k = 0; k < line; k += lanes<T>) {
      store(hn::IfThenElse(before(count, k), load(from + k), load(to + k)), to + k);
    }
  }

  /// Multiplies entries `first` to `last` of the line at `at` by `factor`.
  FENCHEL_INLINE void scale_part(std::size_t at, std::size_t first, std::size_t last, T factor) {
    for (std::size_t k = 0; k < line; k += lanes<T>) {
      const Vector<T> v = load(sent_ + at + k);
      const Vector<T> scaled = hn::IfThenElse(before(last, k), hn::Mul(v, broadcast(factor)), v);
      store(hn::IfThenElse(before(first, k), v, scaled), sent_ + at + k);
    }
  }

  /// Sends a line with more than one factor, or one that the previous row began.
  FENCHEL_INLINE void send_line(std::size_t at) {
    if (at == 0 && held_count_ < offset_) {  // the line's first entries are not ours
      for (std::size_t k = offset_; k < line; ++k) origin_[k] = sent_[k];
    } else {
      ScaledCopy<T>(sent_ + at, origin_ + at, line, T{1}, true).finish();
    }
  }

  bool contiguous_;
  std::size_t scratch_rows_;
  std::size_t scratch_size_;    // of one row, in whole lines
  T* scratch_;                  // starts at a line, like origin_
  std::size_t composed_ = 0;    // the scratch row last handed out
  T* sent_ = nullptr;           // the scratch row being sent
  T* origin_ = nullptr;         // the destination of sent_[0]; after end(), of held_[0]
  std::size_t offset_ = 0;      // of the row in sent_
  std::size_t next_ = 0;        // the first entry not yet opened
  std::size_t held_count_ = 0;  // entries of a line begun by the previous row
  T held_[line] = {};
};

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
