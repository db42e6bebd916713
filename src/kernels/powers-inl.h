// SPDX-License-Identifier: Apache-2.0
// The powers behind α-entmax. With q = 1/(α−1), z = (θ − max θ)/q and u = [z − τ]_+ the prediction is
// p = u^q, where τ solves S_q(τ) = Σ u^q = 1 (paper, Proposition "Reduction to root finding"). Newton's step
// on the q-norm ‖u‖_q = 1 is (S_q − S_q^{1−1/q})/S_{q−1}; from the left it never passes the root. For q = 1
// it is Michelot's, which ends after finitely many steps.
//
// Ω*(θ − max θ) = q/(q+1)·(head + Σ_{i≠max} u_i^{q+1}) with x = −τ = max u and head = x^{q+1} − 1 +
// (q+1)(1−x): a sum of positive terms, stationary in τ. For whole q, head = (1−x)² Σ_{i<q} (q−i) x^i, free of
// cancellation.
#if defined(FENCHEL_KERNELS_POWERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_POWERS_INL_H
#undef FENCHEL_KERNELS_POWERS_INL_H
#else
#define FENCHEL_KERNELS_POWERS_INL_H
#endif

#include <cmath>

#include "kernels/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// Newton stops after taking a step this small. For q ≥ 2 the error squares: 1e-8 becomes 1e-16 times a
/// modest curvature (1e-4 → 1e-8 in float). For q < 2 the curvature is unbounded where an entry leaves the
/// support, so the last step must itself be negligible.
template <class T>
inline constexpr T smooth_tolerance = sizeof(T) == 8 ? T(1e-8) : T(1e-4);
template <class T>
inline constexpr T kinked_tolerance = sizeof(T) == 8 ? T(1e-15) : T(1e-7);

/// q = 1, sparsemax.
struct UnitPower {
  template <class T>
  static constexpr T tolerance = kinked_tolerance<T>;
  static constexpr double q() { return 1.0; }

  template <class V>
  FENCHEL_INLINE void accumulate(V u, V& low, V& high) const {
    const hn::DFromV<V> d;
    low = hn::Add(low, hn::IfThenElseZero(hn::Gt(u, hn::Zero(d)), hn::Set(d, 1)));
    high = hn::Add(high, u);
  }
  template <class V>
  FENCHEL_INLINE V raise(V u) const {
    return u;
  }
  template <class V>
  FENCHEL_INLINE V step(V low, V high) const {
    return hn::Div(hn::Sub(high, hn::Set(hn::DFromV<V>(), 1)), low);
  }
  double step(double low, double high) const { return (high - 1.0) / low; }
  FENCHEL_INLINE Vector<double> head(Vector<double> x) const {
    const Vector<double> v = hn::Sub(broadcast(1.0), x);
    return hn::Mul(v, v);
  }
};

/// q = 2, 1.5-entmax.
struct SquarePower {
  template <class T>
  static constexpr T tolerance = smooth_tolerance<T>;
  static constexpr double q() { return 2.0; }

  template <class V>
  FENCHEL_INLINE void accumulate(V u, V& low, V& high) const {
    low = hn::Add(low, u);
    high = hn::MulAdd(u, u, high);
  }
  template <class V>
  FENCHEL_INLINE V raise(V u) const {
    return hn::Mul(u, u);
  }
  template <class V>
  FENCHEL_INLINE V step(V low, V high) const {
    return hn::Div(hn::Sub(high, hn::Sqrt(high)), low);
  }
  double step(double low, double high) const { return (high - std::sqrt(high)) / low; }
  FENCHEL_INLINE Vector<double> head(Vector<double> x) const {
    const Vector<double> v = hn::Sub(broadcast(1.0), x);
    return hn::Mul(hn::Mul(v, v), hn::Add(broadcast(2.0), x));
  }
};

FENCHEL_INLINE Vector<double> power_of_any(Vector<double> u, double e) {
  return power<double>(u, broadcast(e));
}

FENCHEL_INLINE Vector<float> power_of_any(Vector<float> u, double e) {
  const Tag<float> d;
  const hn::Half<Tag<float>> half;
  const Tag<double> wide;
  const auto low = power<double>(hn::PromoteTo(wide, hn::LowerHalf(half, u)), broadcast(e));
  const auto high = power<double>(hn::PromoteTo(wide, hn::UpperHalf(half, u)), broadcast(e));
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

/// q = 3, 4, 5, …: α = 4/3, 1.25, 1.2, …
class WholePower {
 public:
  template <class T>
  static constexpr T tolerance = smooth_tolerance<T>;

  explicit WholePower(int q) : q_(q) {}
  double q() const { return q_; }

  template <class V>
  FENCHEL_INLINE void accumulate(V u, V& low, V& high) const {
    const V w = below(u);
    low = hn::Add(low, w);
    high = hn::MulAdd(w, u, high);
  }
  template <class V>
  FENCHEL_INLINE V raise(V u) const {
    return hn::Mul(below(u), u);
  }
  template <class V>
  FENCHEL_INLINE V step(V low, V high) const {
    return hn::Div(hn::Sub(high, power_of_any(high, 1.0 - 1.0 / q_)), low);
  }
  double step(double low, double high) const { return (high - std::pow(high, 1.0 - 1.0 / q_)) / low; }
  FENCHEL_INLINE Vector<double> head(Vector<double> x) const {
    Vector<double> sum = broadcast(1.0);
    for (int i = 2; i <= q_; ++i) sum = hn::MulAdd(sum, x, broadcast(static_cast<double>(i)));
    const Vector<double> v = hn::Sub(broadcast(1.0), x);
    return hn::Mul(hn::Mul(v, v), sum);
  }

 private:
  /// u^{q−1}.
  template <class V>
  FENCHEL_INLINE V below(V u) const {
    V w = hn::Mul(u, u);
    for (int i = 3; i < q_; ++i) w = hn::Mul(w, u);
    return w;
  }

  int q_;
};

/// Any q ≥ 1.
class RealPower {
 public:
  template <class T>
  static constexpr T tolerance = kinked_tolerance<T>;

  explicit RealPower(double q) : q_(q) {}
  double q() const { return q_; }

  template <class V>
  FENCHEL_INLINE void accumulate(V u, V& low, V& high) const {
    using T = hn::TFromV<V>;
    const V w = power<T>(u, broadcast(static_cast<T>(q_ - 1.0)));
    low = hn::Add(low, w);
    high = hn::MulAdd(w, u, high);
  }
  FENCHEL_INLINE Vector<double> raise(Vector<double> u) const { return power<double>(u, broadcast(q_)); }
  template <class V>
  FENCHEL_INLINE V step(V low, V high) const {
    return hn::Div(hn::Sub(high, power_of_any(high, 1.0 - 1.0 / q_)), low);
  }
  double step(double low, double high) const { return (high - std::pow(high, 1.0 - 1.0 / q_)) / low; }
  FENCHEL_INLINE Vector<double> head(Vector<double> x) const {
    HWY_ALIGN double values[lanes<double>];
    hn::Store(x, Tag<double>(), values);
    for (double& value : values) {
      const double v = 1.0 - value;
      value = std::expm1((q_ + 1.0) * std::log1p(-v)) + (q_ + 1.0) * v;
    }
    return hn::Load(Tag<double>(), values);
  }

 private:
  double q_;
};

/// Ω*(θ − max θ) from τ and S_{q+1} = Σ u^{q+1}, both in double.
template <class Power>
FENCHEL_INLINE Vector<double> tsallis_conjugate(const Power& power, Vector<double> tau,
                                                Vector<double> above) {
  const Vector<double> x = hn::Neg(tau);
  const Vector<double> others = hn::Max(hn::Zero(Tag<double>()), hn::Sub(above, hn::Mul(power.raise(x), x)));
  const double factor = power.q() / (power.q() + 1.0);
  return hn::Mul(broadcast(factor), hn::Add(power.head(x), others));
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
