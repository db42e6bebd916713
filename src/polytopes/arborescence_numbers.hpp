// SPDX-License-Identifier: Apache-2.0
// Positive numbers with an exponent of their own, mantissa · 2^exponent, for products of weights that no
// double can hold; and such numbers with a directional derivative. They are added, multiplied and divided,
// never subtracted, so that every result is right to a few roundings. (The derivatives do subtract;
// |derivative / value| stays below a few times the largest change of a tree's score, so errors stay small
// against that.)
//
// What Elimination asks of a number: accumulate (y += a x), normalize, divided_by, is_zero, and times.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace fenchel::arborescence {

/// 2^k for k ≤ 0; 0 below the normal range, where no sum of two numbers would notice.
inline double power_of_two(std::int64_t k) {
  constexpr std::int64_t bias = 1023;
  return k <= -bias ? 0.0 : std::bit_cast<double>(static_cast<std::uint64_t>(k + bias) << 52);
}

struct Scaled {
  double mantissa = 0;  // in [½, 1) when normalized, 0 for zero
  std::int64_t exponent = zero_exponent;

  // Far below any exponent that scores lead to, and far from overflow when a few are added.
  static constexpr std::int64_t zero_exponent = -(std::int64_t{1} << 56);

  static Scaled one() { return {0.5, 1}; }
  bool is_zero() const { return mantissa == 0; }

  void normalize() {
    if (is_zero()) {
      *this = {};
      return;
    }
    int shift = 0;
    mantissa = std::frexp(mantissa, &shift);
    exponent += shift;
  }
  Scaled times(const Scaled& x) const { return {mantissa * x.mantissa, exponent + x.exponent}; }
  Scaled divided_by(const Scaled& x) const { return {mantissa / x.mantissa, exponent - x.exponent}; }

  /// *this += x. The mantissa grows by that of x at most: normalize before the sum is a factor.
  void add(const Scaled& x) {
    if (x.exponent <= exponent) {
      mantissa += x.mantissa * power_of_two(x.exponent - exponent);
    } else {
      mantissa = mantissa * power_of_two(exponent - x.exponent) + x.mantissa;
      exponent = x.exponent;
    }
  }
  void accumulate(const Scaled& a, const Scaled& x) { add(a.times(x)); }
  double value() const { return is_zero() ? 0 : std::scalbn(mantissa, clamped(exponent)); }

  static int clamped(std::int64_t exponent) {
    constexpr std::int64_t limit = 1 << 20;
    return static_cast<int>(exponent < -limit ? -limit : exponent > limit ? limit : exponent);
  }
};

/// A double and its derivative, where a double can hold every product.
struct PlainTangent {
  double mantissa = 0;
  double tangent = 0;

  bool is_zero() const { return mantissa == 0; }
  void normalize() {}
  PlainTangent times(const PlainTangent& x) const {
    return {mantissa * x.mantissa, tangent * x.mantissa + mantissa * x.tangent};
  }
  PlainTangent times(double scale) const { return {mantissa * scale, tangent * scale}; }
  PlainTangent divided_by(const PlainTangent& x) const {
    const double ratio = mantissa / x.mantissa;
    return {ratio, (tangent - ratio * x.tangent) / x.mantissa};
  }
  void add(const PlainTangent& x) {
    mantissa += x.mantissa;
    tangent += x.tangent;
  }
  void accumulate(const PlainTangent& a, const PlainTangent& x) { add(a.times(x)); }
  double derivative() const { return tangent; }
};

/// A Scaled value and its derivative: both parts times 2^exponent.
struct ScaledTangent {
  PlainTangent part;
  std::int64_t exponent = Scaled::zero_exponent;

  bool is_zero() const { return part.is_zero(); }
  void normalize() {
    if (is_zero()) {
      *this = {};
      return;
    }
    int shift = 0;
    part.mantissa = std::frexp(part.mantissa, &shift);
    part.tangent = std::scalbn(part.tangent, -shift);
    exponent += shift;
  }
  ScaledTangent times(const ScaledTangent& x) const { return {part.times(x.part), exponent + x.exponent}; }
  ScaledTangent divided_by(const ScaledTangent& x) const {
    return {part.divided_by(x.part), exponent - x.exponent};
  }
  void add(const ScaledTangent& x) {
    if (x.exponent <= exponent) {
      part.add(x.part.times(power_of_two(x.exponent - exponent)));
    } else {
      part = part.times(power_of_two(exponent - x.exponent));
      part.add(x.part);
      exponent = x.exponent;
    }
  }
  void accumulate(const ScaledTangent& a, const ScaledTangent& x) { add(a.times(x)); }
  double derivative() const { return is_zero() ? 0 : std::scalbn(part.tangent, Scaled::clamped(exponent)); }
};

/// exp x for x ≤ 0 with a full mantissa down to x = −furthest: weights of scores further apart only tell
/// which words can be reached.
inline Scaled scaled_exp(double x, double furthest) {
  // log 2 to twice the precision, so that x − k log 2 is right to a rounding.
  constexpr double log2_high = 0x1.62e42fefa39efp-1;
  constexpr double log2_low = 0x1.abc9e3b39803fp-56;
  if (x == -HUGE_VAL) return {};
  x = std::fmax(x, -furthest);
  const double k = std::nearbyint(x / log2_high);
  const double rest = std::fma(-k, log2_low, std::fma(-k, log2_high, x));
  Scaled result{std::exp(rest), static_cast<std::int64_t>(k)};
  result.normalize();
  return result;
}

}  // namespace fenchel::arborescence
