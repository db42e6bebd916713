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
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// Blocks whose output is at least this large do not fit in the usual private caches.
inline constexpr std::size_t streaming_bytes = std::size_t{4} << 20;

template <class T>
HWY_INLINE bool is_streaming(MatrixView<T> out) {
  return out.rows() * out.cols() * sizeof(T) >= streaming_bytes;
}

/// to = from·scale, bypassing the cache; `to` must be aligned like any T.
template <class T>
HWY_INLINE void stream_scaled(const T* HWY_RESTRICT from, std::size_t count, T scale, T* HWY_RESTRICT to) {
  constexpr std::size_t bytes = lanes<T> * sizeof(T);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) % bytes;
  std::size_t i = 0;
  if (misaligned != 0) {
    for (const std::size_t head = std::min(count, (bytes - misaligned) / sizeof(T)); i < head; ++i) {
      to[i] = from[i] * scale;
    }
  }
  const Vector<T> factor = broadcast(scale);
  for (; i + lanes<T> <= count; i += lanes<T>) hn::Stream(hn::Mul(load(from + i), factor), Tag<T>(), to + i);
  for (; i < count; ++i) to[i] = from[i] * scale;
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
