// SPDX-License-Identifier: Apache-2.0
// Both solves go through R four rows at a time, so that one pass over x serves all of them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/triangular.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/triangular.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

using Doubles = Vector<double>;
constexpr std::size_t width = lanes<double>;
constexpr std::size_t block = 4;

// x[first, n) −= Σ factors_i · row_i[first, n), for the four rows that end at `first`.
FENCHEL_INLINE void subtract_rows(MatrixView<const double> upper, std::size_t first, double* x) {
  const std::size_t n = upper.rows();
  const double* rows[block];
  Doubles factors[block];
  for (std::size_t i = 0; i < block; ++i) {
    rows[i] = upper.row(first - block + i).data();
    factors[i] = broadcast(x[first - block + i]);
  }
  std::size_t j = first;
  for (; j + width <= n; j += width) {
    Doubles sum = load(x + j);
    for (std::size_t i = 0; i < block; ++i) sum = hn::NegMulAdd(factors[i], load(rows[i] + j), sum);
    store(sum, x + j);
  }
  for (; j < n; ++j) {
    for (std::size_t i = 0; i < block; ++i) x[j] -= x[first - block + i] * rows[i][j];
  }
}

// sums_i = ⟨row_i, x⟩ over [first, n), for the four rows that end at `first`.
FENCHEL_INLINE void multiply_rows(MatrixView<const double> upper, std::size_t first, const double* x,
                                  double* sums) {
  const std::size_t n = upper.rows();
  const double* rows[block];
  Doubles totals[block];
  for (std::size_t i = 0; i < block; ++i) {
    rows[i] = upper.row(first - block + i).data();
    totals[i] = broadcast(0.0);
  }
  std::size_t j = first;
  for (; j + width <= n; j += width) {
    const Doubles entries = load(x + j);
    for (std::size_t i = 0; i < block; ++i) totals[i] = hn::MulAdd(load(rows[i] + j), entries, totals[i]);
  }
  for (std::size_t i = 0; i < block; ++i) {
    sums[i] = sum_in_order(totals[i]);
    for (std::size_t k = j; k < n; ++k) sums[i] += rows[i][k] * x[k];
  }
}

void solve_upper_transposed_any(MatrixView<const double> upper, std::span<double> x) {
  const std::size_t n = x.size();
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t last = std::min(first + block, n);
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t k = first; k < i; ++k) x[i] -= upper.row(k)[i] * x[k];
      x[i] /= upper.row(i)[i];
    }
    if (last < n) subtract_rows(upper, last, x.data());
  }
}

void solve_upper_any(MatrixView<const double> upper, std::span<double> x) {
  const std::size_t n = x.size();
  // The rows that do not fill a block come first, so that the others do.
  std::size_t last = n;
  while (last > 0) {
    const std::size_t first = last == n && n % block != 0 ? n - n % block : last - block;
    double sums[block] = {};
    if (last < n) multiply_rows(upper, last, x.data(), sums);
    for (std::size_t i = last; i-- > first;) {
      double known = sums[i - first];
      for (std::size_t k = i + 1; k < last; ++k) known += upper.row(i)[k] * x[k];
      x[i] = (x[i] - known) / upper.row(i)[i];
    }
    last = first;
  }
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

void solve_upper_transposed(MatrixView<const double> upper, std::span<double> x) {
  FENCHEL_DISPATCH(solve_upper_transposed_any)(upper, x);
}
void solve_upper(MatrixView<const double> upper, std::span<double> x) {
  FENCHEL_DISPATCH(solve_upper_any)(upper, x);
}

}  // namespace fenchel::kernels
#endif
