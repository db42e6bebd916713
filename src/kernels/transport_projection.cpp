// SPDX-License-Identifier: Apache-2.0
// The sum Σ [x + α]₊ is convex and piecewise linear in α, so that Newton's method from the right of its
// solution is monotone and ends after finitely many passes; from the left, its first step leads to the right.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/transport_projection.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/transport_projection.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

using Doubles = Vector<double>;
constexpr std::size_t width = lanes<double>;
// Each step drops an entry or ends; far more than any row takes, unless rounding stalls it.
constexpr int max_passes = 200;

void clipped_plan_any(MatrixView<const double> scores, const PlanVectors& x, MatrixView<double> plan) {
  std::fill(x.column_sums.begin(), x.column_sums.end(), 0.0);
  const std::size_t columns = scores.cols();
  const Doubles zero = broadcast(0.0);
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const double* from = scores.row(i).data();
    double* to = plan.row(i).data();
    const Doubles alpha = broadcast(x.alpha[i]);
    Doubles sums = zero;
    std::size_t j = 0;
    for (; j + width <= columns; j += width) {
      const Doubles p = hn::Max(hn::Add(load(from + j), hn::Add(alpha, load(&x.beta[j]))), zero);
      store(p, to + j);
      store(hn::Add(load(&x.column_sums[j]), p), &x.column_sums[j]);
      sums = hn::Add(sums, p);
    }
    double sum = sum_in_order(sums);
    for (; j < columns; ++j) {
      to[j] = std::max(from[j] + (x.alpha[i] + x.beta[j]), 0.0);
      x.column_sums[j] += to[j];
      sum += to[j];
    }
    x.row_sums[i] = sum;
  }
}

struct Active {
  double sum;
  double count;
};

/// The sum of row + beta + alpha over its positive entries, and their number.
FENCHEL_INLINE Active active(std::span<const double> row, std::span<const double> beta, double alpha) {
  const Doubles shift = broadcast(alpha);
  const Doubles zero = broadcast(0.0);
  const Doubles one = broadcast(1.0);
  Doubles sums[2] = {zero, zero};
  Doubles counts[2] = {zero, zero};
  std::size_t j = 0;
  for (; j + 2 * width <= row.size(); j += 2 * width) {
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t at = j + half * width;
      const Doubles x = hn::Add(hn::Add(load(&row[at]), load(&beta[at])), shift);
      sums[half] = hn::Add(sums[half], hn::Max(x, zero));
      counts[half] = hn::Add(counts[half], hn::IfThenElseZero(hn::Gt(x, zero), one));
    }
  }
  Active result{sum_in_order(hn::Add(sums[0], sums[1])), sum_in_order(hn::Add(counts[0], counts[1]))};
  for (; j < row.size(); ++j) {
    const double x = row[j] + beta[j] + alpha;
    result.sum += std::max(x, 0.0);
    result.count += x > 0 ? 1 : 0;
  }
  return result;
}

double shift_for_sum_any(std::span<const double> row, std::span<const double> beta, double sum,
                         double guess) {
  double alpha = guess;
  bool right = false;
  for (int pass = 0; pass < max_passes; ++pass) {
    const Active now = active(row, beta, alpha);
    if (now.count == 0) {
      double top = -infinity<double>;
      for (std::size_t j = 0; j < row.size(); ++j) top = std::max(top, row[j] + beta[j]);
      alpha = sum - top;
      continue;
    }
    const double step = (sum - now.sum) / now.count;
    const double next = alpha + step;
    if (next == alpha || (right && step >= 0)) return next;
    right = true;
    alpha = next;
  }
  return alpha;
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

void clipped_plan(MatrixView<const double> scores, const PlanVectors& vectors, MatrixView<double> plan) {
  FENCHEL_DISPATCH(clipped_plan_any)(scores, vectors, plan);
}
double shift_for_sum(std::span<const double> row, std::span<const double> beta, double sum, double guess) {
  return FENCHEL_DISPATCH(shift_for_sum_any)(row, beta, sum, guess);
}

}  // namespace fenchel::kernels
#endif
