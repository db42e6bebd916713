// SPDX-License-Identifier: Apache-2.0
// The Jacobian of α-entmax times vectors, from the predictions alone: J v = s ∘ (v − ⟨s, v⟩/Σs), s = p^{2−α}
// on the support and 0 elsewhere (paper §8.3: Ω is separable). The backward pass of the layer.
#pragma once

#include "fenchel/core/views.hpp"

namespace fenchel::kernels {

/// J v of every row; `out` may be `v`. Sums are taken in double. A v that is not finite makes its row NaN.
void entmax_jvp(MatrixView<const float> prediction, MatrixView<const float> v, double alpha,
                MatrixView<float> out);
void entmax_jvp(MatrixView<const double> prediction, MatrixView<const double> v, double alpha,
                MatrixView<double> out);

}  // namespace fenchel::kernels
