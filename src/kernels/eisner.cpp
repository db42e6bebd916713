// SPDX-License-Identifier: Apache-2.0
// Eisner's recursions, column by column (t), with s descending: every sum then runs along finished
// parts of two rows. The derivatives visit the cells in the opposite order.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/eisner.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/eisner.hpp"
#include "kernels/eisner_algebra-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// The span s … t of a table.
struct Span {
  std::size_t s;
  std::size_t t;
  std::size_t stride;
  std::size_t splits;  // of the join

  FENCHEL_INLINE Span(const EisnerProblem& problem, std::size_t first, std::size_t last)
      : s(first),
        t(last),
        stride(problem.stride),
        splits(problem.single_root && first == 0 ? 1 : last - first) {}

  FENCHEL_INLINE std::size_t forward() const { return s * stride + t; }
  FENCHEL_INLINE std::size_t backward() const { return t * stride + s; }
  FENCHEL_INLINE Terms join(const EisnerChart& chart) const {
    return {chart.right + s * stride + s, chart.left + t * stride + s + 1, splits};
  }
  FENCHEL_INLINE Terms right(const EisnerChart& chart) const {
    return {chart.arcs + s * stride + s + 1, chart.right + t * stride + s + 1, t - s};
  }
  FENCHEL_INLINE Terms left(const EisnerChart& chart) const {
    return {chart.left + s * stride + s, chart.arcs + t * stride + s, t - s};
  }
  /// The two halves of a table, added up: adjoints are collected in both.
  FENCHEL_INLINE double both(const double* table) const { return table[forward()] + table[backward()]; }
};

FENCHEL_INLINE void fill(const EisnerProblem& problem, const EisnerChart& chart, double value) {
  const std::size_t size = problem.positions * problem.stride;
  std::fill_n(chart.right, size, value);
  std::fill_n(chart.left, size, value);
  std::fill_n(chart.arcs, size, value);
}

template <class Algebra>
void inside(const EisnerProblem& problem, const EisnerChart& chart) {
  fill(problem, chart, Algebra::zero);
  for (std::size_t t = 0; t < problem.positions; ++t) {
    chart.right[t * problem.stride + t] = chart.left[t * problem.stride + t] = Algebra::one;
    for (std::size_t s = t; s-- > 0;) {
      const Span span(problem, s, t);
      const double join = problem.single_root && s == 0 ? chart.left[t * problem.stride + 1]
                                                        : Algebra::combine(span.join(chart));
      chart.joins[span.forward()] = join;
      chart.arcs[span.forward()] = Algebra::times(problem.weights[span.forward()], join);
      chart.arcs[span.backward()] = Algebra::times(problem.weights[span.backward()], join);
      const double right = Algebra::combine(span.right(chart));
      const double left = Algebra::combine(span.left(chart));
      chart.right[span.forward()] = chart.right[span.backward()] = right;
      chart.left[span.forward()] = chart.left[span.backward()] = left;
    }
  }
}

template <class Algebra>
void marginals(const EisnerProblem& problem, const EisnerChart& chart, const EisnerChart& adjoint) {
  fill(problem, adjoint, 0);
  const std::size_t last = problem.positions - 1;
  adjoint.right[last] = Algebra::top_gradient(chart.right[last]);
  for (std::size_t t = last; t > 0; --t) {
    for (std::size_t s = 0; s < t; ++s) {
      const Span span(problem, s, t);
      const std::size_t there = span.forward();
      const std::size_t back = span.backward();
      Algebra::spread(span.both(adjoint.right), chart.right[there], span.right(chart), span.right(adjoint));
      Algebra::spread(span.both(adjoint.left), chart.left[there], span.left(chart), span.left(adjoint));
      const double gradient = Algebra::arc_gradient(problem.weights[there], adjoint.arcs[there]) +
                              Algebra::arc_gradient(problem.weights[back], adjoint.arcs[back]);
      Algebra::spread(gradient, chart.joins[there], span.join(chart), span.join(adjoint));
      // These two are no longer needed as derivatives.
      adjoint.arcs[there] = Algebra::marginal(chart.arcs[there], adjoint.arcs[there]);
      adjoint.arcs[back] = Algebra::marginal(chart.arcs[back], adjoint.arcs[back]);
    }
  }
}

template <class Algebra>
void tangents(const EisnerProblem& problem, const EisnerChart& chart, const EisnerChart& tangent,
              const double* v) {
  fill(problem, tangent, 0);
  for (std::size_t t = 1; t < problem.positions; ++t) {
    for (std::size_t s = t; s-- > 0;) {
      const Span span(problem, s, t);
      const std::size_t there = span.forward();
      const std::size_t back = span.backward();
      const double join = chart.joins[there];
      const double change = Algebra::change(join, span.join(chart), span.join(tangent));
      tangent.joins[there] = change;
      tangent.arcs[there] = Algebra::arc_change(problem.weights[there], v[there], join, change);
      tangent.arcs[back] = Algebra::arc_change(problem.weights[back], v[back], join, change);
      const double right = Algebra::change(chart.right[there], span.right(chart), span.right(tangent));
      const double left = Algebra::change(chart.left[there], span.left(chart), span.left(tangent));
      tangent.right[there] = tangent.right[back] = right;
      tangent.left[there] = tangent.left[back] = left;
    }
  }
}

template <class Algebra>
void covariance(const EisnerProblem& problem, const EisnerChart& chart, const EisnerTangents& scratch,
                const double* v) {
  const EisnerChart& tangent = scratch.tangent;
  const EisnerChart& adjoint = scratch.adjoint;
  const EisnerChart& moving = scratch.adjoint_tangent;
  tangents<Algebra>(problem, chart, tangent, v);
  fill(problem, adjoint, 0);
  fill(problem, moving, 0);
  const std::size_t last = problem.positions - 1;
  adjoint.right[last] = Algebra::top_gradient(chart.right[last]);
  moving.right[last] = Algebra::top_gradient_change(chart.right[last], tangent.right[last]);
  for (std::size_t t = last; t > 0; --t) {
    for (std::size_t s = 0; s < t; ++s) {
      const Span span(problem, s, t);
      const std::size_t there = span.forward();
      const std::size_t back = span.backward();
      Algebra::spread_change(
          {chart.right[there], tangent.right[there], span.both(adjoint.right), span.both(moving.right)},
          {span.right(chart), span.right(tangent), span.right(adjoint), span.right(moving)});
      Algebra::spread_change(
          {chart.left[there], tangent.left[there], span.both(adjoint.left), span.both(moving.left)},
          {span.left(chart), span.left(tangent), span.left(adjoint), span.left(moving)});
      double gradient = 0;
      double change = 0;
      for (const std::size_t arc : {there, back}) {
        const double weight = problem.weights[arc];
        gradient += Algebra::arc_gradient(weight, adjoint.arcs[arc]);
        change += Algebra::arc_gradient_change(weight, v[arc], adjoint.arcs[arc], moving.arcs[arc]);
        moving.arcs[arc] =
            Algebra::marginal_change(chart.arcs[arc], tangent.arcs[arc], adjoint.arcs[arc], moving.arcs[arc]);
      }
      Algebra::spread_change({chart.joins[there], tangent.joins[there], gradient, change},
                             {span.join(chart), span.join(tangent), span.join(adjoint), span.join(moving)});
    }
  }
}

void inside_any(EisnerAlgebra algebra, const EisnerProblem& problem, const EisnerChart& chart) {
  if (algebra == EisnerAlgebra::max) return inside<MaxAlgebra>(problem, chart);
  if (algebra == EisnerAlgebra::real) return inside<RealAlgebra>(problem, chart);
  inside<LogAlgebra>(problem, chart);
}

void marginals_any(EisnerAlgebra algebra, const EisnerProblem& problem, const EisnerChart& chart,
                   const EisnerChart& adjoint) {
  if (algebra == EisnerAlgebra::real) return marginals<RealAlgebra>(problem, chart, adjoint);
  marginals<LogAlgebra>(problem, chart, adjoint);
}

void covariance_any(EisnerAlgebra algebra, const EisnerProblem& problem, const EisnerChart& chart,
                    const EisnerTangents& scratch, const double* v) {
  if (algebra == EisnerAlgebra::real) return covariance<RealAlgebra>(problem, chart, scratch, v);
  covariance<LogAlgebra>(problem, chart, scratch, v);
}

void exponentials_any(double* values, std::size_t count) {
  std::size_t i = 0;
  for (; i + lanes<double> <= count; i += lanes<double>) store(exp<double>(load(values + i)), values + i);
  if (i == count) return;
  const std::size_t rest = count - i;
  store_first(exp<double>(load_first(values + i, rest, 0.0)), values + i, rest);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

void eisner_inside(EisnerAlgebra algebra, const EisnerProblem& problem, const EisnerChart& chart) {
  FENCHEL_DISPATCH(inside_any)(algebra, problem, chart);
}

void eisner_marginals(EisnerAlgebra algebra, const EisnerProblem& problem, const EisnerChart& chart,
                      const EisnerChart& adjoint) {
  FENCHEL_DISPATCH(marginals_any)(algebra, problem, chart, adjoint);
}

void eisner_covariance(EisnerAlgebra algebra, const EisnerProblem& problem, const EisnerChart& chart,
                       const EisnerTangents& tangents, const double* v) {
  FENCHEL_DISPATCH(covariance_any)(algebra, problem, chart, tangents, v);
}

void eisner_exponentials(double* values, std::size_t count) {
  FENCHEL_DISPATCH(exponentials_any)(values, count);
}

}  // namespace fenchel::kernels
#endif
