// SPDX-License-Identifier: Apache-2.0
// softmax and log-sum-exp: p = exp(θ − m)/S with m = max θ, S = Σ exp(θ − m); Ω*(θ − m) = log S (paper §3.1,
// §4.3). A NaN, a +inf or nothing but −inf makes S a NaN or 0, so bad rows are found by looking at S alone.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/rows.hpp"
#include "kernels/softmax_rows-inl.h"
#include "kernels/softmax_short-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

template <class T>
std::size_t softmax_any(MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries) {
  if (theta.rows() == 0 || theta.cols() == 0) return 0;
  const std::size_t cols = theta.cols();
  const std::size_t bad = cols < lanes<T>                    ? softmax_narrow(theta, out, summaries)
                          : cols <= short_vectors * lanes<T> ? softmax_short<1>(theta, out, summaries)
                          : cols <= group_cols<T>            ? softmax_groups(theta, out, summaries)
                                                             : softmax_wide(theta, out, summaries);
  if (summaries.wanted()) log1p_in_place(summaries.conjugate.first(theta.rows()));
  return bad;
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

std::size_t softmax(MatrixView<const float> theta, MatrixView<float> out, RowSummaries summaries) {
  return FENCHEL_DISPATCH(softmax_any<float>)(theta, out, summaries);
}
std::size_t softmax(MatrixView<const double> theta, MatrixView<double> out, RowSummaries summaries) {
  return FENCHEL_DISPATCH(softmax_any<double>)(theta, out, summaries);
}
const char* simd_target() { return FENCHEL_DISPATCH(target_name)(); }

}  // namespace fenchel::kernels
#endif
