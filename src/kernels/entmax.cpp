// SPDX-License-Identifier: Apache-2.0
// α-entmax for 1 < α ≤ 2: p = [(α−1)θ − τ]_+^{1/(α−1)} (paper §4.3). Where q = 1/(α−1) is a whole number the
// powers are products. α = 2 is sparsemax, p = [θ − τ]_+, the Euclidean projection onto the simplex.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/entmax.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/entmax_rows-inl.h"
#include "kernels/rows.hpp"
#include "kernels/tsallis_power.hpp"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

template <class T>
std::size_t entmax_power(MatrixView<const T> theta, MatrixView<T> out, TsallisPower power,
                         RowSummaries summaries) {
  if (power.whole > 0) return entmax_any(WholePower(power.whole), theta, out, summaries);
  return entmax_any(RealPower(power.q), theta, out, summaries);
}

template <class T>
std::size_t sparsemax_any(MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries) {
  return entmax_any(UnitPower(), theta, out, summaries);
}

template <class T>
std::size_t entmax15_any(MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries) {
  return entmax_any(SquarePower(), theta, out, summaries);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

std::size_t sparsemax(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries) {
  return FENCHEL_DISPATCH(sparsemax_any<float>)(theta, out, summaries);
}
std::size_t sparsemax(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries) {
  return FENCHEL_DISPATCH(sparsemax_any<double>)(theta, out, summaries);
}
std::size_t entmax15(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries) {
  return FENCHEL_DISPATCH(entmax15_any<float>)(theta, out, summaries);
}
std::size_t entmax15(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries) {
  return FENCHEL_DISPATCH(entmax15_any<double>)(theta, out, summaries);
}
namespace {

template <class T>
std::size_t entmax_of(MatrixView<const T> theta, MatrixView<T> out, double alpha, RowSummaries summaries) {
  const TsallisPower power(alpha);
  if (power.whole == 1) return sparsemax(theta, out, summaries);
  if (power.whole == 2) return entmax15(theta, out, summaries);
  return FENCHEL_DISPATCH(entmax_power<T>)(theta, out, power, summaries);
}

}  // namespace

std::size_t entmax(MatrixView<const float> theta, MatrixView<float> out, double alpha,
                   RowSummaries summaries) {
  return entmax_of(theta, out, alpha, summaries);
}
std::size_t entmax(MatrixView<const double> theta, MatrixView<double> out, double alpha,
                   RowSummaries summaries) {
  return entmax_of(theta, out, alpha, summaries);
}

}  // namespace fenchel::kernels
#endif
