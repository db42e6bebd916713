// SPDX-License-Identifier: Apache-2.0
// Exponentials of many numbers at once.
#pragma once

#include <span>

namespace fenchel::kernels {

/// z_j becomes exp(z_j), z_j ≤ 0; below −709 it is 0.
void exp_non_positive(std::span<double> z);

}  // namespace fenchel::kernels
