// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/exp.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include <algorithm>

#include "kernels/exp-inl.h"
#include "kernels/exp.hpp"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

void exp_non_positive_any(std::span<double> z) {
  constexpr std::size_t width = lanes<double>;
  std::size_t j = 0;
  for (; j + width <= z.size(); j += width) store(exp<double>(load(z.data() + j)), z.data() + j);
  if (j == z.size()) return;
  double rest[width] = {};
  std::copy(z.begin() + static_cast<std::ptrdiff_t>(j), z.end(), rest);
  store(exp<double>(load(rest)), rest);
  std::copy_n(rest, z.size() - j, z.data() + j);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

void exp_non_positive(std::span<double> z) { FENCHEL_DISPATCH(exp_non_positive_any)(z); }

}  // namespace fenchel::kernels
#endif
