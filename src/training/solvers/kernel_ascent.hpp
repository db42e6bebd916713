// SPDX-License-Identifier: Apache-2.0
// Dual block coordinate ascent on the Gram matrix (paper §8.2): G*(V) = ½ λ⁻¹ tr((Y − μ)ᵀ K (Y − μ)). Rows of
// K are computed when they are first needed, and kept as far as memory allows.
#pragma once

#include <memory>

#include "fenchel/training/train.hpp"

namespace fenchel {

/// `random`: a new order for every pass, else the order of the examples. A warm start is a row of
/// coefficients for each example.
template <Real T>
std::unique_ptr<Algorithm> start_kernel_ascent(const KernelProblem<T>& problem, bool random,
                                               const TrainOptions& options);

}  // namespace fenchel
