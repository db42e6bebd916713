// SPDX-License-Identifier: Apache-2.0
// The sum S of softmax when it feeds a loss: log S = log1p(S − 1) must be accurate also when S − 1 is tiny.
#if defined(FENCHEL_KERNELS_SOFTMAX_TERMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_SOFTMAX_TERMS_INL_H
#undef FENCHEL_KERNELS_SOFTMAX_TERMS_INL_H
#else
#define FENCHEL_KERNELS_SOFTMAX_TERMS_INL_H
#endif

#include <span>

#include "kernels/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// Below this S a float sum keeps fewer than five digits of S − 1 next to the maximum's 1: sum it separately.
inline constexpr double confident_sum = 1.0 + 1.0 / 128;

/// A sum in double of vectors of T.
template <class T>
struct WideSum {
  Vector<double> low;
  Vector<double> high;

  FENCHEL_INLINE WideSum() : low(hn::Zero(Tag<double>())), high(hn::Zero(Tag<double>())) {}
  FENCHEL_INLINE void add(Vector<T> v) {
    if constexpr (sizeof(T) == 8) {
      low = hn::Add(low, v);
    } else {
      const hn::Half<Tag<T>> half;
      low = hn::Add(low, hn::PromoteTo(Tag<double>(), hn::LowerHalf(half, v)));
      high = hn::Add(high, hn::PromoteTo(Tag<double>(), hn::UpperHalf(half, v)));
    }
  }
  FENCHEL_INLINE double total() const {
    return hn::GetLane(hn::SumOfLanes(Tag<double>(), hn::Add(low, high)));
  }
};

/// The terms of S with the maxima counted separately, so that nothing is absorbed by their 1.
struct TermsApart {
  double below_one = 0.0;
  double ones = 0.0;

  double others() const { return below_one + (ones - 1.0); }
};

template <class T>
FENCHEL_INLINE TermsApart sum_apart(const T* e, std::size_t cols) {
  constexpr std::size_t n = lanes<T>;
  const Vector<T> one = broadcast<T>(1);
  WideSum<T> small;
  WideSum<T> ones;
  const auto add = [&](Vector<T> v) HWY_ATTR {
    const auto is_one = hn::Ge(v, one);
    small.add(hn::IfThenZeroElse(is_one, v));
    ones.add(hn::IfThenElseZero(is_one, one));
  };
  std::size_t i = 0;
  for (; i + n <= cols; i += n) add(load(e + i));
  if (i < cols) add(load_first(e + i, cols - i, T{0}));
  return {small.total(), ones.total()};
}

/// Rows leave S − 1 where the conjugate belongs; this makes it log S.
inline void log1p_in_place(std::span<double> values) {
  constexpr std::size_t n = lanes<double>;
  std::size_t i = 0;
  for (; i + n <= values.size(); i += n) store(log1p(load(values.data() + i)), values.data() + i);
  const std::size_t rest = values.size() - i;
  if (rest > 0) store_first(log1p(load_first(values.data() + i, rest, 0.0)), values.data() + i, rest);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
