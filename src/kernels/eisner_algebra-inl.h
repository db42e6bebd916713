// SPDX-License-Identifier: Apache-2.0
// The sums ⊕ a_r ⊗ b_r along two rows of a table, in the algebras of Eisner's recursions, with their
// derivatives.
//
// Derivatives are with respect to what the tables hold: to the value in the real algebra, to its logarithm in
// the other one, where they are probabilities and cannot overflow.
#if defined(FENCHEL_KERNELS_EISNER_ALGEBRA_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_EISNER_ALGEBRA_INL_H
#undef FENCHEL_KERNELS_EISNER_ALGEBRA_INL_H
#else
#define FENCHEL_KERNELS_EISNER_ALGEBRA_INL_H
#endif

#include <cmath>

#include "kernels/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// The terms of a sum: entries of two rows.
struct Terms {
  double* a;
  double* b;
  std::size_t count;
};

/// A sum and its derivative, with their changes.
struct Moving {
  double sum;
  double sum_change;
  double gradient;
  double gradient_change;
};

/// The same terms in each of the four tables.
struct MovingTerms {
  Terms value;
  Terms tangent;
  Terms adjoint;
  Terms adjoint_tangent;
};

struct KeepAll {
  FENCHEL_INLINE Vector<double> operator()(Vector<double> v) const { return v; }
};

struct KeepFirst {
  hn::Mask<Tag<double>> mask;
  FENCHEL_INLINE Vector<double> operator()(Vector<double> v) const { return hn::IfThenElseZero(mask, v); }
};

/// step(i, keep) for each vector of entries; at the end of the rows `keep` tells which lanes count. A step
/// reads and writes past that end, but writes back what it read there.
template <class Step>
FENCHEL_INLINE void sweep(std::size_t count, const Step& step) {
  std::size_t i = 0;
  for (; i + lanes<double> <= count; i += lanes<double>) step(i, KeepAll());
  if (i < count) step(i, KeepFirst{hn::FirstN(Tag<double>(), count - i)});
}

FENCHEL_INLINE double sum_of_lanes(Vector<double> v) { return hn::GetLane(hn::SumOfLanes(Tag<double>(), v)); }

FENCHEL_INLINE void accumulate(Vector<double> v, double* to) { store(hn::Add(load(to), v), to); }

/// (max, +). `combine` runs over the end of the rows: one of the two must hold `zero` there.
struct MaxAlgebra {
  static constexpr double zero = -std::numeric_limits<double>::infinity();
  static constexpr double one = 0;

  static FENCHEL_INLINE double times(double x, double y) { return x + y; }
  static FENCHEL_INLINE double combine(Terms terms) {
    Vector<double> top = hn::Add(load(terms.a), load(terms.b));
    for (std::size_t i = lanes<double>; i < terms.count; i += lanes<double>) {
      top = hn::Max(top, hn::Add(load(terms.a + i), load(terms.b + i)));
    }
    return max_of_lanes<double>(top);
  }
};

/// (+, ·).
struct RealAlgebra {
  static constexpr double zero = 0;
  static constexpr double one = 1;

  static FENCHEL_INLINE double times(double x, double y) { return x * y; }
  static FENCHEL_INLINE double combine(Terms terms) {
    Vector<double> sum = hn::Mul(load(terms.a), load(terms.b));
    for (std::size_t i = lanes<double>; i < terms.count; i += lanes<double>) {
      sum = hn::MulAdd(load(terms.a + i), load(terms.b + i), sum);
    }
    return sum_of_lanes(sum);
  }

  /// Hands the derivative with respect to a sum on to its terms.
  static FENCHEL_INLINE void spread(double gradient, double, Terms terms, Terms adjoint) {
    const Vector<double> rate = broadcast(gradient);
    sweep(terms.count, [&](std::size_t i, auto keep) HWY_ATTR {
      const Vector<double> g = keep(rate);
      const Vector<double> a = load(terms.a + i);
      store(hn::MulAdd(g, load(terms.b + i), load(adjoint.a + i)), adjoint.a + i);
      store(hn::MulAdd(g, a, load(adjoint.b + i)), adjoint.b + i);
    });
  }

  /// The change of a sum, given those of its terms.
  static FENCHEL_INLINE double change(double, Terms terms, Terms tangent) {
    Vector<double> sum = hn::Zero(Tag<double>());
    sweep(terms.count, [&](std::size_t i, auto keep) HWY_ATTR {
      sum = hn::MulAdd(keep(load(tangent.a + i)), load(terms.b + i), sum);
      sum = hn::MulAdd(keep(load(terms.a + i)), load(tangent.b + i), sum);
    });
    return sum_of_lanes(sum);
  }

  /// `spread` and its change.
  static FENCHEL_INLINE void spread_change(Moving of, const MovingTerms& terms) {
    const Vector<double> gradient = broadcast(of.gradient);
    const Vector<double> gradient_change = broadcast(of.gradient_change);
    sweep(terms.value.count, [&](std::size_t i, auto keep) HWY_ATTR {
      const Vector<double> g = keep(gradient);
      const Vector<double> dg = keep(gradient_change);
      const Vector<double> a = load(terms.value.a + i);
      const Vector<double> b = load(terms.value.b + i);
      accumulate(hn::Mul(g, b), terms.adjoint.a + i);
      accumulate(hn::Mul(g, a), terms.adjoint.b + i);
      accumulate(hn::MulAdd(dg, b, hn::Mul(g, load(terms.tangent.b + i))), terms.adjoint_tangent.a + i);
      accumulate(hn::MulAdd(dg, a, hn::Mul(g, load(terms.tangent.a + i))), terms.adjoint_tangent.b + i);
    });
  }

  static FENCHEL_INLINE double arc_gradient(double weight, double gradient) { return weight * gradient; }
  static FENCHEL_INLINE double arc_change(double weight, double v, double join, double change) {
    return weight * (v * join + change);
  }
  static FENCHEL_INLINE double arc_gradient_change(double weight, double v, double gradient, double change) {
    return weight * (v * gradient + change);
  }
  static FENCHEL_INLINE double top_gradient(double total) { return 1 / total; }
  static FENCHEL_INLINE double top_gradient_change(double total, double change) {
    return -change / total / total;
  }
  static FENCHEL_INLINE double marginal(double arc, double gradient) { return arc * gradient; }
  static FENCHEL_INLINE double marginal_change(double arc, double change, double gradient,
                                               double gradient_change) {
    return arc * gradient_change + change * gradient;
  }
};

/// (log-sum-exp, +).
struct LogAlgebra {
  static constexpr double zero = -std::numeric_limits<double>::infinity();
  static constexpr double one = 0;

  static FENCHEL_INLINE double times(double x, double y) { return x + y; }
  static FENCHEL_INLINE double combine(Terms terms) {
    const double top = MaxAlgebra::combine(terms);
    if (!(std::abs(top) < std::numeric_limits<double>::infinity())) return top;
    const Vector<double> shift = broadcast(top);
    Vector<double> sum = hn::Zero(Tag<double>());
    for (std::size_t i = 0; i < terms.count; i += lanes<double>) {
      sum = hn::Add(sum, exp<double>(hn::Sub(hn::Add(load(terms.a + i), load(terms.b + i)), shift)));
    }
    return top + std::log(sum_of_lanes(sum));
  }

  /// exp(a_r + b_r − sum): the probability of a term given the sum.
  static FENCHEL_INLINE Vector<double> share(Terms terms, std::size_t i, Vector<double> sum) {
    return exp<double>(hn::Sub(hn::Add(load(terms.a + i), load(terms.b + i)), sum));
  }

  static FENCHEL_INLINE void spread(double gradient, double sum, Terms terms, Terms adjoint) {
    if (gradient == 0) return;
    const Vector<double> rate = broadcast(gradient), logarithm = broadcast(sum);
    sweep(terms.count, [&](std::size_t i, auto keep) HWY_ATTR {
      const Vector<double> part = keep(hn::Mul(rate, share(terms, i, logarithm)));
      accumulate(part, adjoint.a + i);
      accumulate(part, adjoint.b + i);
    });
  }

  static FENCHEL_INLINE double change(double sum, Terms terms, Terms tangent) {
    if (sum == zero) return 0;
    const Vector<double> logarithm = broadcast(sum);
    Vector<double> total = hn::Zero(Tag<double>());
    sweep(terms.count, [&](std::size_t i, auto keep) HWY_ATTR {
      const Vector<double> moved = hn::Add(load(tangent.a + i), load(tangent.b + i));
      total = hn::Add(total, keep(hn::Mul(share(terms, i, logarithm), moved)));
    });
    return sum_of_lanes(total);
  }

  static FENCHEL_INLINE void spread_change(Moving of, const MovingTerms& terms) {
    if (of.gradient == 0 && of.gradient_change == 0) return;
    const Vector<double> gradient = broadcast(of.gradient), gradient_change = broadcast(of.gradient_change);
    const Vector<double> sum = broadcast(of.sum), sum_change = broadcast(of.sum_change);
    sweep(terms.value.count, [&](std::size_t i, auto keep) HWY_ATTR {
      const Vector<double> p = share(terms.value, i, sum);
      const Vector<double> part = keep(hn::Mul(gradient, p));
      accumulate(part, terms.adjoint.a + i);
      accumulate(part, terms.adjoint.b + i);
      const Vector<double> excess =
          hn::Sub(hn::Add(load(terms.tangent.a + i), load(terms.tangent.b + i)), sum_change);
      const Vector<double> moved = keep(hn::Mul(p, hn::MulAdd(gradient, excess, gradient_change)));
      accumulate(moved, terms.adjoint_tangent.a + i);
      accumulate(moved, terms.adjoint_tangent.b + i);
    });
  }

  static FENCHEL_INLINE double arc_gradient(double, double gradient) { return gradient; }
  static FENCHEL_INLINE double arc_change(double, double v, double, double change) { return v + change; }
  static FENCHEL_INLINE double arc_gradient_change(double, double, double, double change) { return change; }
  static FENCHEL_INLINE double top_gradient(double) { return 1; }
  static FENCHEL_INLINE double top_gradient_change(double, double) { return 0; }
  static FENCHEL_INLINE double marginal(double, double gradient) { return gradient; }
  static FENCHEL_INLINE double marginal_change(double, double, double, double gradient_change) {
    return gradient_change;
  }
};

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
