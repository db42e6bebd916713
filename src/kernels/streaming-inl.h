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
#include "fenchel/kernels/rows.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

template <class T>
FENCHEL_INLINE bool is_streaming(MatrixView<T> out) {
  return out.rows() * out.cols() * sizeof(T) >= streaming_bytes;
}

/// Writes the rows of a matrix in order, bypassing the cache, from a scratch row that starts out as zero. A
/// line that two rows share is held back until it is whole: sending parts of lines costs more than reading
/// them.
template <class T>
class StreamWriter {
 public:
  StreamWriter(MatrixView<T> out, Workspace& workspace)
      : contiguous_(out.stride() == out.cols()), scratch_(workspace.take<T>(out.cols() + line).data()) {
    std::fill_n(scratch_, out.cols() + line, T{0});
  }
  ~StreamWriter() {
    std::copy_n(held_, held_count_, origin_);
    hwy::FlushStream();
  }
  StreamWriter(const StreamWriter&) = delete;
  StreamWriter& operator=(const StreamWriter&) = delete;

  /// Where to compose the row that goes to `to`: as far from the start of a line as `to` is.
  T* begin(T* to) {
    offset_ = reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % line;
    origin_ = to - offset_;
    next_ = offset_;
    std::copy_n(held_, held_count_, scratch_);
    return scratch_ + offset_;
  }

  /// Multiplies the next `count` entries of the composed row by `factor` and sends them on their way.
  FENCHEL_INLINE void send(std::size_t count, T factor) {
    const std::size_t end = next_ + count;
    std::size_t i = next_;
    for (; i < end && i % line != 0; ++i) scratch_[i] *= factor;
    if (i > next_ && i % line == 0) send_line(i - line, broadcast<T>(1));
    const Vector<T> factors = broadcast(factor);
    for (; i + line <= end; i += line) send_line(i, factors);
    for (; i < end; ++i) scratch_[i] *= factor;
    next_ = end;
  }

  /// Ends the row; what is left of it waits for the next one.
  void end() {
    const std::size_t whole = next_ / line * line;
    const std::size_t first = whole == 0 && held_count_ < offset_ ? offset_ : whole;
    if (contiguous_ && first == whole) {
      held_count_ = next_ - whole;
      std::copy_n(scratch_ + whole, held_count_, held_);
    } else {
      held_count_ = 0;
      std::copy(scratch_ + first, scratch_ + next_, origin_ + first);
    }
    std::fill_n(scratch_, offset_, T{0});
    origin_ += whole;
  }

 private:
  static constexpr std::size_t line = 64 / sizeof(T);

  FENCHEL_INLINE void send_line(std::size_t at, Vector<T> factors) {
    if (at == 0 && held_count_ < offset_) {  // the line's first entries are not ours
      for (std::size_t k = offset_; k < line; ++k) origin_[k] = scratch_[k];
      return;
    }
    for (std::size_t k = at; k < at + line; k += lanes<T>) {
      hn::Stream(hn::Mul(hn::Load(Tag<T>(), scratch_ + k), factors), Tag<T>(), origin_ + k);
    }
  }

  bool contiguous_;
  T* scratch_;                  // starts at a line, like origin_
  T* origin_ = nullptr;         // the destination of scratch_[0]; after end(), of held_[0]
  std::size_t offset_ = 0;      // of the row in scratch_
  std::size_t next_ = 0;        // the first entry not yet sent
  std::size_t held_count_ = 0;  // entries of a line begun by the row before
  T held_[line] = {};
};

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
