// SPDX-License-Identifier: Apache-2.0
// A sweep of Sinkhorn's method takes groups of rows: their products with v, then, while they are in the first
// cache, their part of Kᵀu. So the matrix comes from memory once per sweep, and v and w once per group.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sinkhorn.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include <cmath>

#include "kernels/exp-inl.h"
#include "kernels/sinkhorn.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

using Doubles = Vector<double>;
constexpr std::size_t width = lanes<double>;
constexpr double largest_exponent = 700;  // e^700 squared overflows, but sums of e^700 do not

/// One group of rows; returns its part of the violation.
template <std::size_t group>
FENCHEL_INLINE double sweep_group(MatrixView<const double> kernel, const SweepVectors& x, std::size_t first) {
  const std::size_t columns = kernel.cols();
  const double* rows[group];
  Doubles sums[group][2];
  for (std::size_t r = 0; r < group; ++r) {
    rows[r] = kernel.row(first + r).data();
    sums[r][0] = sums[r][1] = broadcast(0.0);
  }
  std::size_t j = 0;
  for (; j + 2 * width <= columns; j += 2 * width) {
    for (std::size_t half = 0; half < 2; ++half) {
      const Doubles v = load(&x.v[j + half * width]);
      for (std::size_t r = 0; r < group; ++r) {
        sums[r][half] = hn::MulAdd(load(rows[r] + j + half * width), v, sums[r][half]);
      }
    }
  }
  double violation = 0;
  Doubles scales[group];
  double tail_scales[group];
  for (std::size_t r = 0; r < group; ++r) {
    double product = sum_in_order(hn::Add(sums[r][0], sums[r][1]));
    for (std::size_t k = j; k < columns; ++k) product += rows[r][k] * x.v[k];
    double& u = x.u[first + r];
    const double wanted = x.a[first + r];
    violation += std::abs(u * product - wanted);
    u = wanted > 0 && product > 0 ? wanted / product : 0;
    tail_scales[r] = u;
    scales[r] = broadcast(u);
  }
  for (j = 0; j + width <= columns; j += width) {
    Doubles w = load(&x.w[j]);
    for (std::size_t r = 0; r < group; ++r) w = hn::MulAdd(scales[r], load(rows[r] + j), w);
    store(w, &x.w[j]);
  }
  for (; j < columns; ++j) {
    for (std::size_t r = 0; r < group; ++r) x.w[j] += tail_scales[r] * rows[r][j];
  }
  return violation;
}

double sweep_any(MatrixView<const double> kernel, const SweepVectors& x) {
  constexpr std::size_t group = 4;
  std::fill(x.w.begin(), x.w.end(), 0.0);
  double violation = 0;
  std::size_t i = 0;
  for (; i + group <= kernel.rows(); i += group) violation += sweep_group<group>(kernel, x, i);
  for (; i < kernel.rows(); ++i) violation += sweep_group<1>(kernel, x, i);
  return violation;
}

FENCHEL_INLINE Doubles entry(Doubles scores, Doubles potential) {
  return exp<double>(hn::Min(hn::Add(scores, potential), broadcast(largest_exponent)));
}

void exponential_plan_any(MatrixView<const double> scores, const PlanVectors& x, MatrixView<double> plan) {
  std::fill(x.column_sums.begin(), x.column_sums.end(), 0.0);
  const std::size_t columns = scores.cols();
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const double* from = scores.row(i).data();
    double* to = plan.row(i).data();
    const Doubles alpha = broadcast(x.alpha[i]);
    Doubles sums = broadcast(0.0);
    std::size_t j = 0;
    for (; j + width <= columns; j += width) {
      const Doubles p = entry(load(from + j), hn::Add(alpha, load(&x.beta[j])));
      store(p, to + j);
      store(hn::Add(load(&x.column_sums[j]), p), &x.column_sums[j]);
      sums = hn::Add(sums, p);
    }
    double sum = sum_in_order(sums);
    for (; j < columns; ++j) {
      to[j] = hn::GetLane(entry(broadcast(from[j]), broadcast(x.alpha[i] + x.beta[j])));
      x.column_sums[j] += to[j];
      sum += to[j];
    }
    x.row_sums[i] = sum;
  }
}

void scale_plan_any(MatrixView<const double> kernel, std::span<const double> u, std::span<const double> v,
                    MatrixView<double> plan) {
  const std::size_t columns = kernel.cols();
  for (std::size_t i = 0; i < kernel.rows(); ++i) {
    const double* from = kernel.row(i).data();
    double* to = plan.row(i).data();
    const Doubles scale = broadcast(u[i]);
    std::size_t j = 0;
    for (; j + width <= columns; j += width) {
      store(hn::Mul(load(from + j), hn::Mul(scale, load(&v[j]))), to + j);
    }
    for (; j < columns; ++j) to[j] = from[j] * (u[i] * v[j]);
  }
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

double sinkhorn_sweep(MatrixView<const double> kernel, const SweepVectors& vectors) {
  return FENCHEL_DISPATCH(sweep_any)(kernel, vectors);
}
void exponential_plan(MatrixView<const double> scores, const PlanVectors& vectors, MatrixView<double> plan) {
  FENCHEL_DISPATCH(exponential_plan_any)(scores, vectors, plan);
}
void scale_plan(MatrixView<const double> kernel, std::span<const double> u, std::span<const double> v,
                MatrixView<double> plan) {
  FENCHEL_DISPATCH(scale_plan_any)(kernel, u, v, plan);
}

}  // namespace fenchel::kernels
#endif
