// SPDX-License-Identifier: Apache-2.0
// What keeps a forward pass in the linear domain in range: the range of a step's scores, forward vectors that
// sum to one, and a product of their scales that never leaves the range of double.
#if defined(FENCHEL_KERNELS_CHAIN_SCALING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_CHAIN_SCALING_INL_H
#undef FENCHEL_KERNELS_CHAIN_SCALING_INL_H
#else
#define FENCHEL_KERNELS_CHAIN_SCALING_INL_H
#endif

#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "kernels/chain.hpp"
#include "kernels/softmax_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// The smallest and the largest of some scores.
struct Range {
  double low;
  double high;

  /// Whether the finite scores lie within `spread` of the largest: all others are
  /// masks.
  bool usable(const double* scores, std::size_t count, double spread) const {
    const double bound = high - spread;
    if (low >= bound) return true;
    for (std::size_t i = 0; i < count; ++i) {
      if (scores[i] < bound && scores[i] != -infinity<double>) return false;
    }
    return true;
  }

  /// The largest distance between finite scores.
  double spread(const double* scores, std::size_t count) const {
    double lowest = high;
    for (std::size_t i = 0; i < count; ++i) {
      if (scores[i] < lowest && scores[i] != -infinity<double>) lowest = scores[i];
    }
    return high == -infinity<double> ? 0 : high - lowest;
  }
};

FENCHEL_INLINE Range range_of(const double* scores, std::size_t count) {
  constexpr std::size_t n = lanes<double>;
  if (count < n) {
    return {*std::min_element(scores, scores + count), *std::max_element(scores, scores + count)};
  }
  Vector<double> low[2];
  Vector<double> high[2];
  low[0] = low[1] = high[0] = high[1] = load(scores + count - n);
  std::size_t i = 0;
  for (; i + 4 * n <= count; i += 4 * n) {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto a = load(scores + i + k * n);
      const auto b = load(scores + i + (k + 2) * n);
      low[k] = hn::Min(low[k], hn::Min(a, b));
      high[k] = hn::Max(high[k], hn::Max(a, b));
    }
  }
  for (; i + n <= count; i += n) {
    low[0] = hn::Min(low[0], load(scores + i));
    high[0] = hn::Max(high[0], load(scores + i));
  }
  const auto zero = hn::Zero(Tag<double>());
  return {-max_of_lanes<double>(hn::Sub(zero, hn::Min(low[0], low[1]))),
          max_of_lanes<double>(hn::Max(high[0], high[1]))};
}

/// log Π (e^shift · factor), with one logarithm for many factors.
class LogProduct {
 public:
  void multiply(double shift, double factor) {
    if (factor == 0) {
      zero_ = true;
      return;
    }
    shifts_ += shift;
    const double product = product_ * factor;
    if (product > smallest && product < 1 / smallest) {
      product_ = product;
    } else {
      shifts_ += std::log(product_);
      product_ = 1;
      shifts_ += std::log(factor);
    }
  }
  bool zero() const { return zero_; }
  double log() const {
    CompensatedSum sum = shifts_;
    sum += std::log(product_);
    return zero_ ? -infinity<double> : sum.value();
  }

 private:
  static constexpr double smallest = 1e-200;  // far from where a product would lose digits

  CompensatedSum shifts_;
  double product_ = 1;
  bool zero_ = false;
};

/// Divides `alpha`, `width` entries in whole vectors, by its sum, which goes to `scale` and with e^shift into
/// z; false where a positive entry is too small. A sum of 0 leaves z = 0.
FENCHEL_INLINE bool normalize(double* alpha, std::size_t width, double& scale, double shift, LogProduct& z) {
  constexpr std::size_t n = lanes<double>;
  const auto zero = hn::Zero(Tag<double>());
  const auto one = broadcast(1.0);
  auto sums = zero;
  auto least = one;
  for (std::size_t i = 0; i < width; i += n) {
    const auto a = load(alpha + i);
    sums = hn::Add(sums, a);
    least = hn::Min(least, hn::IfThenElse(hn::Gt(a, zero), a, one));
  }
  const double sum = hn::GetLane(hn::SumOfLanes(Tag<double>(), sums));
  const double smallest = -max_of_lanes<double>(hn::Sub(zero, least));
  scale = sum;
  z.multiply(shift, sum);
  if (sum == 0) return true;
  const double inverse = 1 / sum;
  for (std::size_t i = 0; i < width; i += n) store(hn::Mul(load(alpha + i), broadcast(inverse)), alpha + i);
  return smallest * inverse >= chain_smallest;
}

/// Subtracts the mean under p from x and returns it: derivatives that matter only up to a constant per step
/// then do not grow with the number of steps.
FENCHEL_INLINE double centre(const double* p, double* x, std::size_t m) {
  double mean = 0;
  for (std::size_t i = 0; i < m; ++i) mean += p[i] * x[i];
  for (std::size_t i = 0; i < m; ++i) x[i] -= mean;
  return mean;
}

/// counts += Σ_t a_{t−1} b_tᵀ, [m, width], for one piece of the columns and four rows, which stay in
/// registers.
template <std::size_t vectors, class Chain>
FENCHEL_INLINE void add_outer_piece(const Chain& chain, const double* a, const double* b, std::size_t j,
                                    double* counts) {
  constexpr std::size_t n = lanes<double>;
  constexpr std::size_t block = 4;
  Vector<double> sum[block][vectors];
  const std::size_t used = std::min(block, chain.m - j), width = chain.width, steps = chain.n;
  // Beyond the last row, that one again: without branches, and with bounds that are constant, sums stay in
  // registers.
  std::size_t row[block];
  for (std::size_t r = 0; r < block; ++r) {
    row[r] = j + std::min(r, used - 1);
    for (std::size_t v = 0; v < vectors; ++v) sum[r][v] = load(counts + row[r] * width + v * n);
  }
  for (std::size_t t = 1; t < steps; ++t) {
    const double* at = a + (t - 1) * width;
    Vector<double> bt[vectors];
    for (std::size_t v = 0; v < vectors; ++v) bt[v] = load(b + t * width + v * n);
    for (std::size_t r = 0; r < block; ++r) {
      const auto x = broadcast(at[row[r]]);
      for (std::size_t v = 0; v < vectors; ++v) sum[r][v] = hn::MulAdd(x, bt[v], sum[r][v]);
    }
  }
  for (std::size_t r = 0; r < block; ++r) {
    for (std::size_t v = 0; v < vectors; ++v) store(sum[r][v], counts + row[r] * width + v * n);
  }
}

template <std::size_t vectors, class Chain>
FENCHEL_INLINE void add_outer(const Chain& chain, const double* a, const double* b, double* counts) {
  constexpr std::size_t n = lanes<double>;
  for (std::size_t j = 0; j < chain.m; j += 4) {
    std::size_t i = 0;
    for (; i + vectors * n <= chain.width; i += vectors * n)
      add_outer_piece<vectors>(chain, a, b + i, j, counts + i);
    for (; i < chain.width; i += n) add_outer_piece<1>(chain, a, b + i, j, counts + i);
  }
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
