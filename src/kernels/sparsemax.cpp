// SPDX-License-Identifier: Apache-2.0
// sparsemax, α-entmax with α = 2: p = [θ − τ]_+, the Euclidean projection onto the simplex (paper §4.3).
#include "kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sparsemax.cpp"
#include <hwy/foreach_target.h>
// Highway's own headers follow foreach_target.h.
#include <hwy/highway.h>

#include "fenchel/kernels/rows.hpp"
#include "kernels/entmax_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

std::size_t sparsemax_float(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries) {
  return entmax_any(UnitPower(), theta, out, summaries);
}
std::size_t sparsemax_double(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries) {
  return entmax_any(UnitPower(), theta, out, summaries);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

HWY_EXPORT(sparsemax_float);
HWY_EXPORT(sparsemax_double);

std::size_t sparsemax(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries) {
  return HWY_DYNAMIC_DISPATCH(sparsemax_float)(theta, out, summaries);
}
std::size_t sparsemax(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries) {
  return HWY_DYNAMIC_DISPATCH(sparsemax_double)(theta, out, summaries);
}

}  // namespace fenchel::kernels
#endif
