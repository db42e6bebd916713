// SPDX-License-Identifier: Apache-2.0
// Rows of one graph, or of several that advance together: loads, stores, loops over columns and exponentials.
//
// `width` is the number of graphs; their numbers lie side by side, one per lane. With width 1 the lanes hold
// neighbouring columns instead.
#if defined(FENCHEL_KERNELS_MATRIX_TREE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_MATRIX_TREE_LANES_INL_H
#undef FENCHEL_KERNELS_MATRIX_TREE_LANES_INL_H
#else
#define FENCHEL_KERNELS_MATRIX_TREE_LANES_INL_H
#endif

#include <cstddef>

#include "kernels/exp-inl.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// One number of every graph of the group; with width 1 the number in every lane.
template <std::size_t width, class D>
FENCHEL_INLINE hn::Vec<D> entry(D d, const double* from) {
  if constexpr (width == 1) {
    return hn::Set(d, *from);
  } else {
    return hn::LoadU(d, from);
  }
}

template <std::size_t width>
FENCHEL_INLINE void set_entry(Vector<double> v, double* to) {
  if constexpr (width == 1) {
    *to = hn::GetLane(v);
  } else {
    store(v, to);
  }
}

/// A vector whose lanes are all alike where the width is 1, as one of a shorter kind.
template <class D>
FENCHEL_INLINE hn::Vec<D> first_lanes(D d, Vector<double> v) {
  if constexpr (hn::MaxLanes(D()) == lanes<double>) {
    return v;
  } else {
    return hn::Set(d, hn::GetLane(v));
  }
}

/// op(tag, offset) over the columns begin … end − 1, a vector at a time and the rest one by one.
template <std::size_t width, class Op>
FENCHEL_INLINE void for_each_chunk(std::size_t begin, std::size_t end, Op op) {
  std::size_t i = begin * width;
  for (; i + lanes<double> <= end * width; i += lanes<double>) op(Tag<double>(), i);
  if constexpr (width == 1) {
    for (; i < end; ++i) op(hn::CappedTag<double, 1>(), i);
  }
}

/// exp(v − shift) for v ≤ shift, over the columns of a row, into two places.
template <std::size_t width>
FENCHEL_INLINE void exp_row(const double* shift, std::size_t n, double* row, double* copy) {
  constexpr std::size_t step = 4 * lanes<double>;
  std::size_t i = 0;
  for (; i + step <= n * width; i += step) {
    Vector<double> v[4];
    for (std::size_t j = 0; j < 4; ++j) {
      const std::size_t at = i + j * lanes<double>;
      v[j] = hn::Sub(load(row + at), load(shift + at));
    }
    exp_each<double, 4>(v);
    for (std::size_t j = 0; j < 4; ++j) {
      store(v[j], row + i + j * lanes<double>);
      store(v[j], copy + i + j * lanes<double>);
    }
  }
  for (; i + lanes<double> <= n * width; i += lanes<double>) {
    const Vector<double> weight = exp<double>(hn::Sub(load(row + i), load(shift + i)));
    store(weight, row + i);
    store(weight, copy + i);
  }
  if (i == n * width) return;
  const std::size_t count = n * width - i;
  const Vector<double> weight =
      exp<double>(hn::Sub(load_first(row + i, count, 0.0), load_first(shift + i, count, 0.0)));
  store_first(weight, row + i, count);
  store_first(weight, copy + i, count);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
