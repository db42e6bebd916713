// SPDX-License-Identifier: Apache-2.0
// The instruction sets the kernels are compiled for. Include before any Highway header.
//
// SSSE3 is left out because no CPU worth a copy of the code stops there. The scalable sets (SVE, RVV) are
// left out because the kernels keep arrays of vectors, whose size must be known. The fallback is EMU128,
// which has the shuffles the kernels need; Highway swaps it for SCALAR under GCC < 12.3 because of a
// miscompiled integer multiplication (GCC PR 106322), which no kernel uses: the tests run this target too.
#pragma once

#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
#ifndef HWY_BROKEN_EMU128
#define HWY_BROKEN_EMU128 0
#endif
