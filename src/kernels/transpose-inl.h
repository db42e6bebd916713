// SPDX-License-Identifier: Apache-2.0
// Rows in lanes: a tile of `lanes` rows, stored column by column, so that one vector holds one entry of every
// row; and the reduction of one vector per row to one vector with an entry per row.
//
// Both treat every row alike, so a row's bits do not depend on its place in the group. Groups
// with fewer rows repeat the last one.
#if defined(FENCHEL_KERNELS_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_TRANSPOSE_INL_H
#undef FENCHEL_KERNELS_TRANSPOSE_INL_H
#else
#define FENCHEL_KERNELS_TRANSPOSE_INL_H
#endif

#include "fenchel/core/views.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// Entries in a 128-bit block: the number of columns transposed at a time.
template <class T>
inline constexpr std::size_t block_lanes = 16 / sizeof(T);

/// `lanes` rows of a matrix from row `first` on; past the last row of the matrix, that row again.
template <class T>
struct RowGroup {
  T* row[lanes<T>];

  template <class View>
  FENCHEL_INLINE RowGroup(const View& matrix, std::size_t first) {
    for (std::size_t r = 0; r < lanes<T>; ++r) {
      row[r] = matrix.data() + std::min(first + r, matrix.rows() - 1) * matrix.stride();
    }
  }
};

/// Transposes each 128-bit block of `v` in place: block_lanes vectors of block_lanes entries per block.
template <class T>
FENCHEL_INLINE void transpose_blocks(Vector<T> (&v)[block_lanes<T>]) {
  const Tag<T> d;
  if constexpr (sizeof(T) == 8) {
    const auto v0 = v[0];
    v[0] = hn::InterleaveLower(d, v0, v[1]);
    v[1] = hn::InterleaveUpper(d, v0, v[1]);
  } else {
    const hn::RepartitionToWide<Tag<T>> pairs;
    const auto a = hn::BitCast(pairs, hn::InterleaveLower(d, v[0], v[1]));
    const auto b = hn::BitCast(pairs, hn::InterleaveUpper(d, v[0], v[1]));
    const auto e = hn::BitCast(pairs, hn::InterleaveLower(d, v[2], v[3]));
    const auto f = hn::BitCast(pairs, hn::InterleaveUpper(d, v[2], v[3]));
    v[0] = hn::BitCast(d, hn::InterleaveLower(pairs, a, e));
    v[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, a, e));
    v[2] = hn::BitCast(d, hn::InterleaveLower(pairs, b, f));
    v[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, b, f));
  }
}

template <class T>
FENCHEL_INLINE Vector<T> load_two_blocks(const T* lower, [[maybe_unused]] const T* upper) {
  if constexpr (lanes<T> == block_lanes<T>) {
    return load(lower);
  } else {
    const hn::Half<Tag<T>> half;
    return hn::Combine(Tag<T>(), hn::LoadU(half, upper), hn::LoadU(half, lower));
  }
}

template <class T>
FENCHEL_INLINE void store_two_blocks(Vector<T> v, T* lower, [[maybe_unused]] T* upper) {
  if constexpr (lanes<T> == block_lanes<T>) {
    store(v, lower);
  } else {
    const hn::Half<Tag<T>> half;
    hn::StoreU(hn::LowerHalf(half, v), half, lower);
    hn::StoreU(hn::UpperHalf(half, v), half, upper);
  }
}

/// tile[c·step + r] = entry c of row r.
template <class T>
FENCHEL_INLINE void load_tile(const RowGroup<const T>& group, std::size_t cols, T* HWY_RESTRICT tile,
                              std::size_t step) {
  constexpr std::size_t block = block_lanes<T>;
  constexpr std::size_t upper = lanes<T> - block;
  if (cols < block) {
    for (std::size_t c = 0; c < cols; ++c) {
      for (std::size_t r = 0; r < lanes<T>; ++r) tile[c * step + r] = group.row[r][c];
    }
    return;
  }
  Vector<T> v[block];
  for (std::size_t at = 0; at < cols; at += block) {
    const std::size_t c = std::min(at, cols - block);  // the last block overlaps the one before
    for (std::size_t r = 0; r < block; ++r)
      v[r] = load_two_blocks(group.row[r] + c, group.row[r + upper] + c);
    transpose_blocks<T>(v);
    for (std::size_t r = 0; r < block; ++r) hn::Store(v[r], Tag<T>(), tile + (c + r) * step);
  }
}

/// Row r = column vectors' lane r times scale's lane r.
template <class T>
FENCHEL_INLINE void store_tile(const T* HWY_RESTRICT tile, std::size_t step, std::size_t cols,
                               Vector<T> scale, const RowGroup<T>& group) {
  constexpr std::size_t block = block_lanes<T>;
  constexpr std::size_t upper = lanes<T> - block;
  if (cols < block) {
    HWY_ALIGN T column[lanes<T>];
    for (std::size_t c = 0; c < cols; ++c) {
      hn::Store(hn::Mul(hn::Load(Tag<T>(), tile + c * step), scale), Tag<T>(), column);
      for (std::size_t r = 0; r < lanes<T>; ++r) group.row[r][c] = column[r];
    }
    return;
  }
  Vector<T> v[block];
  for (std::size_t at = 0; at < cols; at += block) {
    const std::size_t c = std::min(at, cols - block);
    for (std::size_t r = 0; r < block; ++r) {
      v[r] = hn::Mul(hn::Load(Tag<T>(), tile + (c + r) * step), scale);
    }
    transpose_blocks<T>(v);
    for (std::size_t r = 0; r < block; ++r)
      store_two_blocks(v[r], group.row[r] + c, group.row[r + upper] + c);
  }
}

struct Add {
  template <class V>
  FENCHEL_INLINE V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
};
struct Max {
  template <class V>
  FENCHEL_INLINE V operator()(V a, V b) const {
    return hn::Max(a, b);
  }
};

/// Lane r of the result = the lanes of v[r] combined by `op`, in the same order for every r.
template <class T, class Op>
FENCHEL_INLINE Vector<T> reduce_rows(const Vector<T> (&v)[lanes<T>], Op op) {
  const Tag<T> d;
  constexpr std::size_t block = block_lanes<T>;
  Vector<T> blocks[lanes<T> / block];
  for (std::size_t b = 0; b < lanes<T> / block; ++b) {
    const Vector<T>* w = v + b * block;
    const Vector<T> low = op(hn::InterleaveLower(d, w[0], w[1]), hn::InterleaveUpper(d, w[0], w[1]));
    if constexpr (sizeof(T) == 8) {
      blocks[b] = low;
    } else {
      const hn::RepartitionToWide<Tag<T>> pairs;
      const Vector<T> high = op(hn::InterleaveLower(d, w[2], w[3]), hn::InterleaveUpper(d, w[2], w[3]));
      const auto l = hn::BitCast(pairs, low);
      const auto h = hn::BitCast(pairs, high);
      blocks[b] = op(hn::BitCast(d, hn::InterleaveLower(pairs, l, h)),
                     hn::BitCast(d, hn::InterleaveUpper(pairs, l, h)));
    }
  }
  if constexpr (lanes<T> == block) {
    return blocks[0];
  } else {
    return op(hn::ConcatLowerLower(d, blocks[1], blocks[0]), hn::ConcatUpperUpper(d, blocks[1], blocks[0]));
  }
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
