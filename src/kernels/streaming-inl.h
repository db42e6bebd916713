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
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// Blocks whose output is at least this large do not fit in the usual private caches.
inline constexpr std::size_t streaming_bytes = std::size_t{4} << 20;

template <class T>
HWY_INLINE bool is_streaming(MatrixView<T> out) {
  return out.rows() * out.cols() * sizeof(T) >= streaming_bytes;
}

/// Writes the rows of a matrix in order, bypassing the cache, from a scratch row that starts out as zero. A line
/// that two rows share is held back until it is whole: sending parts of lines costs more than reading them.
template <class T>
class StreamWriter {
 public:
  StreamWriter(MatrixView<T> out, Workspace& workspace)
      : contiguous_(out.stride() == out.cols()),
        cols_(out.cols()),
        scratch_(workspace.take<T>(cols_ + line).data()) {
    std::fill_n(scratch_, cols_ + line, T{0});
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
    std::copy_n(held_, held_count_, scratch_);
    return scratch_ + offset_;
  }

  /// Sends the composed row on its way. The scratch row keeps it.
  HWY_INLINE void end() {
    const std::size_t total = offset_ + cols_;
    std::size_t i = 0;
    if (held_count_ < offset_) {  // the line's first entries are not ours
      i = std::min(total, line);
      std::copy(scratch_ + offset_, scratch_ + i, origin_ + offset_);
    }
    for (; i + line <= total; i += line) {
      for (std::size_t k = 0; k < line; k += lanes<T>) {
        hn::Stream(hn::Load(Tag<T>(), scratch_ + i + k), Tag<T>(), origin_ + i + k);
      }
    }
    std::fill_n(scratch_, offset_, T{0});
    held_count_ = 0;
    if (contiguous_) {
      held_count_ = total - i;
      std::copy_n(scratch_ + i, held_count_, held_);
      origin_ += i;
    } else {
      std::copy(scratch_ + i, scratch_ + total, origin_ + i);
    }
  }

 private:
  static constexpr std::size_t line = 64 / sizeof(T);

  bool contiguous_;
  std::size_t cols_;
  T* scratch_;                   // starts at a line, like origin_
  T* origin_ = nullptr;          // the destination of scratch_[0]; after end(), of held_[0]
  std::size_t offset_ = 0;       // of the row in scratch_
  std::size_t held_count_ = 0;   // entries of a line begun by the row before
  T held_[line] = {};
};

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
