// SPDX-License-Identifier: Apache-2.0
// α-entmax for 1 < α ≤ 2: p = [(α−1)θ − τ]_+^{1/(α−1)} (paper §4.3). Where q = 1/(α−1) is a whole number the
// powers are products.
#include "kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/entmax.cpp"
#include <hwy/foreach_target.h>
// Highway's own headers follow foreach_target.h.
#include <hwy/highway.h>

#include "fenchel/kernels/rows.hpp"
#include "kernels/entmax_rows-inl.h"
#include "kernels/tsallis_power.hpp"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

template <class T>
std::size_t entmax_power(MatrixView<const T> theta, MatrixView<T> out, TsallisPower power,
                         RowSummaries summaries) {
  if (power.whole > 0) return entmax_any(WholePower(power.whole), theta, out, summaries);
  return entmax_any(RealPower(power.q), theta, out, summaries);
}

std::size_t entmax15_float(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries) {
  return entmax_any(SquarePower(), theta, out, summaries);
}
std::size_t entmax15_double(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries) {
  return entmax_any(SquarePower(), theta, out, summaries);
}
std::size_t entmax_float(MatrixView<const float> theta, MatrixView<float> out, TsallisPower power,
                         RowSummaries summaries) {
  return entmax_power(theta, out, power, summaries);
}
std::size_t entmax_double(MatrixView<const double> theta, MatrixView<double> out, TsallisPower power,
                          RowSummaries summaries) {
  return entmax_power(theta, out, power, summaries);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

HWY_EXPORT(entmax15_float);
HWY_EXPORT(entmax15_double);
HWY_EXPORT(entmax_float);
HWY_EXPORT(entmax_double);

std::size_t entmax15(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries) {
  return HWY_DYNAMIC_DISPATCH(entmax15_float)(theta, out, summaries);
}
std::size_t entmax15(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries) {
  return HWY_DYNAMIC_DISPATCH(entmax15_double)(theta, out, summaries);
}
namespace {

template <class T>
std::size_t entmax_of(MatrixView<const T> theta, MatrixView<T> out, double alpha, RowSummaries summaries) {
  const TsallisPower power(alpha);
  if (power.whole == 1) return sparsemax(theta, out, summaries);
  if (power.whole == 2) return entmax15(theta, out, summaries);
  if constexpr (sizeof(T) == 4) return HWY_DYNAMIC_DISPATCH(entmax_float)(theta, out, power, summaries);
  if constexpr (sizeof(T) == 8) return HWY_DYNAMIC_DISPATCH(entmax_double)(theta, out, power, summaries);
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
