// SPDX-License-Identifier: Apache-2.0
// The instruction sets the kernels are compiled for, and the choice among them when the program runs. A file
// of kernels defines HWY_TARGET_INCLUDE as itself and includes this first: what is outside `#if HWY_ONCE`
// is then compiled once per set, so this header, like Highway's, has no guard.
//
// SSSE3 is left out because hardly any CPU in use stops there. The scalable sets (SVE, RVV) are
// left out because the kernels keep arrays of vectors, whose size must be known. The fallback is EMU128,
// which has the shuffles the kernels need; Highway swaps it for SCALAR under GCC < 12.3 because of a
// miscompiled integer multiplication (GCC PR 106322), which no kernel uses: the tests run this target too.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
#ifndef HWY_BROKEN_EMU128
#define HWY_BROKEN_EMU128 0
#endif

#include <hwy/foreach_target.h>
// Highway's own headers follow foreach_target.h.
#include <hwy/highway.h>

#ifndef FENCHEL_DISPATCH
#include <cstddef>

namespace fenchel::kernels {

/// Where the instruction set in use stands in Highway's tables of functions.
inline std::size_t target_index() {
  hwy::ChosenTarget& target = hwy::GetChosenTarget();
  if (!target.IsInitialized()) target.Update(hwy::SupportedTargets());
  return target.GetIndex();
}

}  // namespace fenchel::kernels

/// The function of that name for the instruction set in use. Unlike HWY_EXPORT and HWY_DYNAMIC_DISPATCH it
/// takes functions with template arguments, such as scores<float>.
#if HWY_IDE || (HWY_TARGETS & (HWY_TARGETS - 1)) == 0  // only one set
#define FENCHEL_DISPATCH(function) HWY_STATIC_DISPATCH(function)
#else
#define FENCHEL_DISPATCH(function)                                                 \
  ([] {                                                                            \
    static constexpr decltype(&HWY_STATIC_DISPATCH(function)) functions[] = {      \
        nullptr, HWY_CHOOSE_TARGET_LIST(function), HWY_CHOOSE_FALLBACK(function)}; \
    return functions[target_index()];                                              \
  }())
#endif
#endif
