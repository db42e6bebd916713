// SPDX-License-Identifier: Apache-2.0
// exp, log1p and powers on vectors, as the simplex needs them: exp of z ≤ 0, log1p of s ≥ 0, u^e of
// 0 < u ≤ 1.
//
// 2^(n+f) = 2^n·P(f) with |f| ≤ ½; n comes from adding 1.5·2^mantissa plus the exponent bias, so that a shift
// of the sum's bits already gives 2^n. P(f) = 1 + f·Q(f) with Q interpolated at Chebyshev nodes: relative
// error 2.1e-7 (float, degree 5) and 8.5e-18 (double, degree 11) before rounding, and exp(0) = 1 exactly,
// which the log-sum-exp by-product relies on. Results below the normal range are flushed to 0, so a mask of
// −inf has probability exactly 0. NaN comes out as NaN: softmax detects bad rows by it.
#if defined(FENCHEL_KERNELS_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_EXP_INL_H
#undef FENCHEL_KERNELS_EXP_INL_H
#else
#define FENCHEL_KERNELS_EXP_INL_H
#endif

#include <cstdint>
#include <iterator>

#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

template <class T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  static constexpr float magic = 12582912.0F + 127.0F;
  static constexpr float lowest = -88.0F;  // 2^(−88 log2 e) rounds to n = −127, whose scale is 0
  static constexpr float lowest2 = -127.0F;
  static constexpr float log2e = 1.44269504088896341F;
  static constexpr float log2e_tail = 0.0F;  // not needed: its effect is far below the error of the rest
  static constexpr int shift = 23;
  static constexpr float q[] = {0.69314718055994531F, 0.24022349038020361F, 0.055503810137964574F,
                                0.009666368515385448F, 0.001338130253732080F};
};

template <>
struct ExpConstants<double> {
  static constexpr double magic = 6755399441055744.0 + 1023.0;
  static constexpr double lowest = -709.0;
  static constexpr double lowest2 = -1023.0;
  static constexpr double log2e = 1.44269504088896341;
  static constexpr double log2e_tail = 2.035527374093103e-17;  // log2 e − log2e
  static constexpr int shift = 52;
  static constexpr double q[] = {
      0.69314718055994530942,     0.2402265069591009822,    0.055504108664821594339,
      0.0096181291076068885273,   0.001333355814641693531,  0.00015403530441736050155,
      0.000015252733829836118394, 1.3215442587921689653e-6, 1.0178062445845773521e-7,
      7.0725859492692236999e-9,   4.4549605981865183938e-10};
};

/// 2^(n+f) where `biased` = magic + n.
template <class T>
FENCHEL_INLINE Vector<T> scaled_exp2(Vector<T> f, Vector<T> biased) {
  using C = ExpConstants<T>;
  constexpr std::size_t degree = std::size(C::q);
  Vector<T> q = broadcast<T>(C::q[degree - 1]);
  for (std::size_t k = degree - 1; k-- > 0;) q = hn::MulAdd(q, f, broadcast<T>(C::q[k]));
  const Vector<T> p = hn::MulAdd(q, f, broadcast<T>(1));
  const hn::RebindToUnsigned<Tag<T>> bits;
  const Vector<T> scale = hn::BitCast(Tag<T>(), hn::ShiftLeft<C::shift>(hn::BitCast(bits, biased)));
  return hn::Mul(p, scale);
}

/// max(low, z), but NaN where z is.
template <class T>
FENCHEL_INLINE Vector<T> at_least(Vector<T> z, T low) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  return hn::Max(broadcast(low), z);  // x86 returns its second operand when either is a NaN
#else
  return hn::IfThenElse(hn::Lt(z, broadcast(low)), broadcast(low), z);
#endif
}

/// exp z for z ≤ 0.
template <class T>
FENCHEL_INLINE Vector<T> exp(Vector<T> z) {
  using C = ExpConstants<T>;
  z = at_least<T>(z, C::lowest);
  const Vector<T> biased = hn::MulAdd(z, broadcast<T>(C::log2e), broadcast<T>(C::magic));
  const Vector<T> n = hn::Sub(biased, broadcast<T>(C::magic));
  Vector<T> f = hn::MulSub(z, broadcast<T>(C::log2e), n);
  if constexpr (sizeof(T) == 8) f = hn::MulAdd(z, broadcast<T>(C::log2e_tail), f);
  return scaled_exp2<T>(f, biased);
}

/// v = exp v for v ≤ 0, stage by stage over all vectors, so that several exponentials advance together: the
/// processor does not overlap them by itself when they come one after another.
template <class T, std::size_t count>
FENCHEL_INLINE void exp_each(Vector<T> (&v)[count]) {
  using C = ExpConstants<T>;
  constexpr std::size_t degree = std::size(C::q);
  Vector<T> biased[count];
  Vector<T> q[count];
  for (std::size_t i = 0; i < count; ++i) v[i] = at_least<T>(v[i], C::lowest);
  for (std::size_t i = 0; i < count; ++i) {
    biased[i] = hn::MulAdd(v[i], broadcast<T>(C::log2e), broadcast<T>(C::magic));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Vector<T> n = hn::Sub(biased[i], broadcast<T>(C::magic));
    const Vector<T> f = hn::MulSub(v[i], broadcast<T>(C::log2e), n);
    v[i] = sizeof(T) == 8 ? hn::MulAdd(v[i], broadcast<T>(C::log2e_tail), f) : f;
  }
  for (std::size_t i = 0; i < count; ++i) {
    q[i] = hn::MulAdd(broadcast<T>(C::q[degree - 1]), v[i], broadcast<T>(C::q[degree - 2]));
  }
  for (std::size_t k = degree - 2; k-- > 0;) {
    for (std::size_t i = 0; i < count; ++i) q[i] = hn::MulAdd(q[i], v[i], broadcast<T>(C::q[k]));
  }
  const hn::RebindToUnsigned<Tag<T>> bits;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector<T> p = hn::MulAdd(q[i], v[i], broadcast<T>(1));
    const auto scale = hn::ShiftLeft<C::shift>(hn::BitCast(bits, biased[i]));
    v[i] = hn::Mul(p, hn::BitCast(Tag<T>(), scale));
  }
}

/// 2^y for y ≤ 0.
template <class T>
FENCHEL_INLINE Vector<T> exp2(Vector<T> y) {
  using C = ExpConstants<T>;
  y = hn::Max(broadcast(C::lowest2), y);
  const Vector<T> biased = hn::Add(y, broadcast(C::magic));
  return scaled_exp2<T>(hn::Sub(y, hn::Sub(biased, broadcast(C::magic))), biased);
}

struct ScaledLog {
  Vector<double> exponent;  // of the power of two
  Vector<double> mantissa;  // natural logarithm of the mantissa, in [−½ log 2, ½ log 2]
};

/// log u = exponent·log 2 + mantissa, for positive normal u. log m = 2 artanh((m−1)/(m+1)), by its series.
FENCHEL_INLINE ScaledLog log_parts(Vector<double> u) {
  const Tag<double> d;
  const hn::RebindToSigned<Tag<double>> di;
  // Subtracting the bits of √½ makes the exponent field roll over at √½ instead of 1.
  const auto offset = hn::Set(di, 0x3FE6A09E667F3BCD);
  const auto bits = hn::Sub(hn::BitCast(di, u), offset);
  // A 64-bit arithmetic shift and conversion are slow before AVX-512: the magic constant does both.
  const auto biased = hn::ShiftRight<52>(
      hn::BitCast(hn::RebindToUnsigned<Tag<double>>(), hn::Add(bits, hn::Set(di, int64_t{1024} << 52))));
  const Vector<double> two52 = broadcast(4503599627370496.0);
  const Vector<double> k =
      hn::Sub(hn::BitCast(d, hn::Or(biased, hn::BitCast(hn::RebindToUnsigned<Tag<double>>(), two52))),
              broadcast(4503599627370496.0 + 1024.0));
  const auto mantissa_bits = hn::And(bits, hn::Set(di, 0x000FFFFFFFFFFFFF));
  const Vector<double> m = hn::BitCast(d, hn::Add(mantissa_bits, offset));
  const Vector<double> one = broadcast(1.0);
  const Vector<double> s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const Vector<double> s2 = hn::Mul(s, s);
  // |s| ≤ 0.1716: the first omitted term, s^22/23, is 7e-19 of the sum.
  Vector<double> series = broadcast(2.0 / 21);
  for (int j = 19; j >= 1; j -= 2) series = hn::MulAdd(series, s2, broadcast(2.0 / j));
  return {k, hn::Mul(s, series)};
}

/// log(1 + s) for s ≥ 0, with a relative error of a few ulp also when s is tiny.
FENCHEL_INLINE Vector<double> log1p(Vector<double> s) {
  const Vector<double> one = broadcast(1.0);
  const Vector<double> u = hn::Add(one, s);
  const Vector<double> lost = hn::Sub(s, hn::Sub(u, one));
  const ScaledLog log = log_parts(u);
  const Vector<double> head = hn::MulAdd(log.exponent, broadcast(0.69314718055994530942), log.mantissa);
  return hn::Add(head, hn::Div(lost, u));
}

/// log₂ u for positive normal u.
FENCHEL_INLINE Vector<double> log2(Vector<double> u) {
  const ScaledLog log = log_parts(u);
  return hn::MulAdd(log.mantissa, broadcast(1.44269504088896341), log.exponent);
}
/// The same in single precision: exact to 1e-7 near u = 1, where powers are large.
FENCHEL_INLINE Vector<float> log2(Vector<float> u) {
  const Tag<float> d;
  const hn::RebindToSigned<Tag<float>> di;
  const auto offset = hn::Set(di, 0x3F3504F3);  // √½, as above
  const auto bits = hn::Sub(hn::BitCast(di, u), offset);
  const Vector<float> k = hn::ConvertTo(d, hn::ShiftRight<23>(bits));
  const Vector<float> m = hn::BitCast(d, hn::Add(hn::And(bits, hn::Set(di, 0x007FFFFF)), offset));
  const Vector<float> one = broadcast(1.0F);
  const Vector<float> s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const Vector<float> s2 = hn::Mul(s, s);
  // The first omitted term, s^10/11, is 2e-9 of the sum.
  constexpr float log2e = ExpConstants<float>::log2e;
  Vector<float> series = broadcast(2 * log2e / 9);
  for (int j = 7; j >= 1; j -= 2)
    series = hn::MulAdd(series, s2, broadcast(2 * log2e / static_cast<float>(j)));
  return hn::MulAdd(s, series, k);
}

/// u^e for 0 < u ≤ 1 and e ≥ 0; 0 for u = 0 and e > 0 (0 is treated as the smallest normal number).
template <class T>
FENCHEL_INLINE Vector<T> power(Vector<T> u, Vector<T> e) {
  const Vector<T> exponent = hn::Mul(log2(hn::Max(broadcast(std::numeric_limits<T>::min()), u)), e);
  return hn::IfThenElseZero(hn::Gt(u, hn::Zero(Tag<T>())), exp2<T>(exponent));
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
