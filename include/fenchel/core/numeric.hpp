// SPDX-License-Identifier: Apache-2.0
// Scalar functions written so that they do not cancel, overflow or meet 0 · ∞.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace fenchel {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double machine_epsilon = std::numeric_limits<double>::epsilon();

inline constexpr double log_of_smallest = -745;  ///< exp of anything below is 0

/// t log t, continuous at 0.
inline double xlogx(double t) { return t > 0 ? t * std::log(t) : 0; }

/// (eᵘ − 1)/u, continuous at 0.
inline double expm1_ratio(double u) { return u == 0 ? 1 : std::expm1(u) / u; }

/// The derivative of expm1_ratio: (u eᵘ − eᵘ + 1)/u², which is ½ at 0.
inline double expm1_ratio_derivative(double u) {
  // Near 0 the closed form loses the digits of u²; the first term the series leaves out is u⁷/45360 < 4e-15.
  constexpr double series_limit = 0.04;
  if (std::abs(u) < series_limit) {
    return 1.0 / 2 +
           u * (1.0 / 3 + u * (1.0 / 8 + u * (1.0 / 30 + u * (1.0 / 144 + u * (1.0 / 840 + u / 5760)))));
  }
  return ((u - 1) * std::exp(u) + 1) / (u * u);
}

/// 1/(1 + e⁻ˣ), without overflow.
inline double logistic(double x) {
  const double e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/// (tᵃ − 1)/a, continuous at a = 0 where it is log t: the derivative of every Tsallis entropy.
inline double power_ratio(double t, double a) {
  if (a == 0) return std::log(t);
  if (t == 0) return a > 0 ? -1 / a : -infinity;
  return std::expm1(a * std::log(t)) / a;
}

/// The inverse of power_ratio: (1 + a x)^{1/a}, 0 where 1 + a x ≤ 0 (a > 0), eˣ at a = 0.
inline double power_ratio_inverse(double x, double a) {
  if (a == 0) return std::exp(x);
  const double base = a * x;
  if (base <= -1) return a > 0 ? 0 : infinity;
  return std::exp(std::log1p(base) / a);
}

/// ⟨θ, μ⟩ where a masked score (−inf) meets no mass: 0 · (−inf) is 0 here.
inline double dot_masked(std::span<const double> theta, std::span<const double> mu) {
  double sum = 0;
  for (std::size_t j = 0; j < mu.size(); ++j) {
    if (mu[j] != 0) sum += theta[j] * mu[j];
  }
  return sum;
}

/// A running sum that carries its rounding error along (Neumaier): exact to a rounding or two for any length.
class CompensatedSum {
 public:
  CompensatedSum(double start = 0) : sum_(start) {}  // NOLINT(google-explicit-constructor)
  void operator+=(double term) {
    const double total = sum_ + term;
    error_ += std::abs(sum_) >= std::abs(term) ? (sum_ - total) + term : (term - total) + sum_;
    sum_ = total;
  }
  double value() const { return sum_ + error_; }

 private:
  double sum_;
  double error_ = 0;
};

inline double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// ⟨a, b⟩.
inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// The same by four sums side by side, in a fixed order: one sum would wait for each addition.
template <class T>
double dot_by_four(std::span<const double> a, std::span<const T> b) {
  double sums[4] = {};
  std::size_t j = 0;
  for (; j + 4 <= b.size(); j += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[j + k] * static_cast<double>(b[j + k]);
  }
  for (; j < b.size(); ++j) sums[0] += a[j] * static_cast<double>(b[j]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// y += scale · x. y has as many entries as x, and the two must not overlap.
inline void add_scaled(double scale, std::span<const double> x, double* __restrict y) {
  const double* __restrict from = x.data();
  for (std::size_t k = 0; k < x.size(); ++k) y[k] += scale * from[k];
}

/// The transpose of a dense row-major matrix with the given number of columns.
inline void transpose(std::span<const double> from, std::size_t columns, std::span<double> to) {
  const std::size_t rows = columns == 0 ? 0 : from.size() / columns;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  }
}

/// ‖a‖².
inline double squared_norm(std::span<const double> a) {
  double sum = 0;
  for (const double entry : a) sum += entry * entry;
  return sum;
}

/// ‖a‖_∞.
inline double max_abs(std::span<const double> a) {
  double largest = 0;
  for (const double entry : a) largest = std::max(largest, std::abs(entry));
  return largest;
}

/// ‖a‖₂, also where squares are too small or too large for a double.
inline double norm(std::span<const double> a) {
  constexpr double least = 1e-280;  // squares that underflow beside it do not count
  const double squares = squared_norm(a);
  if (squares >= least && squares <= std::numeric_limits<double>::max()) return std::sqrt(squares);
  const double largest = max_abs(a);
  if (!(largest > 0 && largest <= std::numeric_limits<double>::max())) return largest;
  double sum = 0;
  for (const double entry : a) sum += (entry / largest) * (entry / largest);
  return largest * std::sqrt(sum);
}

inline double max_of(std::span<const double> values) {
  double top = -infinity;
  for (const double value : values) top = std::max(top, value);
  return top;
}

}  // namespace fenchel
