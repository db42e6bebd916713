// SPDX-License-Identifier: Apache-2.0
// The streaming limit: copying the same bytes with stores that bypass the cache.
#pragma once

#include <cstddef>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstdint>
#include <cstring>

namespace fenchel::bench {

inline void stream_copy(const float* from, std::size_t count, float* to) {
#if defined(__SSE2__)
  std::size_t i = 0;
  for (; i < count && reinterpret_cast<std::uintptr_t>(to + i) % 16 != 0; ++i) to[i] = from[i];
  for (; i + 16 <= count; i += 16) {
    _mm_prefetch(reinterpret_cast<const char*>(from + i + 512), _MM_HINT_T0);
    for (std::size_t j = 0; j < 16; j += 4) _mm_stream_ps(to + i + j, _mm_loadu_ps(from + i + j));
  }
  for (; i < count; ++i) to[i] = from[i];
  _mm_sfence();
#else
  std::memcpy(to, from, count * sizeof(float));
#endif
}

}  // namespace fenchel::bench
