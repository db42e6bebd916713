// SPDX-License-Identifier: Apache-2.0
// The vector types of the kernels and the loads and stores at the ends of rows.
//
// Vectors are at most 256 bits wide: transposes and group reductions then have only two shapes, one or two
// 128-bit blocks.
#if defined(FENCHEL_KERNELS_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_VECTORS_INL_H
#undef FENCHEL_KERNELS_VECTORS_INL_H
#else
#define FENCHEL_KERNELS_VECTORS_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

// Emulated vectors and sanitizers multiply the code; forced inlining would take minutes to compile.
#undef FENCHEL_INLINE
#if HWY_TARGET == HWY_EMU128 || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FENCHEL_INLINE inline
#else
#define FENCHEL_INLINE HWY_INLINE
#endif

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, 32 / sizeof(T)>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

template <class T>
inline constexpr std::size_t lanes = hn::MaxLanes(Tag<T>());

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();

template <class T>
FENCHEL_INLINE Vector<T> broadcast(T x) {
  return hn::Set(Tag<T>(), x);
}

template <class T>
FENCHEL_INLINE Vector<T> load(const T* from) {
  return hn::LoadU(Tag<T>(), from);
}

template <class T>
FENCHEL_INLINE void store(Vector<T> v, T* to) {
  hn::StoreU(v, Tag<T>(), to);
}

/// The first `count` < lanes entries, the others `fill`; reads nothing beyond them.
template <class T>
FENCHEL_INLINE Vector<T> load_first(const T* from, std::size_t count, T fill) {
  HWY_ALIGN T buffer[lanes<T>];
  std::fill_n(buffer, lanes<T>, fill);
  std::copy_n(from, count, buffer);
  return hn::Load(Tag<T>(), buffer);
}

template <class T>
FENCHEL_INLINE void store_first(Vector<T> v, T* to, std::size_t count) {
  HWY_ALIGN T buffer[lanes<T>];
  hn::Store(v, Tag<T>(), buffer);
  std::copy_n(buffer, count, to);
}

/// body(constant) for the constant of that value, from 1 to `most`: counts that templates need.
template <std::size_t most, class Body>
FENCHEL_INLINE void with_constant(std::size_t value, const Body& body) {
  if (value == most) body(std::integral_constant<std::size_t, most>());
  if constexpr (most > 1) with_constant<most - 1>(value, body);
}

/// The sum of the lanes, first to last.
FENCHEL_INLINE double sum_in_order(Vector<double> v) {
  HWY_ALIGN double values[lanes<double>];
  hn::Store(v, Tag<double>(), values);
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// The largest lane. EMU128's own MaxOfLanes never returns −inf.
template <class T>
FENCHEL_INLINE T max_of_lanes(Vector<T> v) {
#if HWY_TARGET == HWY_EMU128
  HWY_ALIGN T values[lanes<T>];
  hn::Store(v, Tag<T>(), values);
  return *std::max_element(values, values + lanes<T>);
#else
  return hn::GetLane(hn::MaxOfLanes(Tag<T>(), v));
#endif
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
