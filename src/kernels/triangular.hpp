// SPDX-License-Identifier: Apache-2.0
// Triangular solves for one right-hand side, compiled for every instruction set: what an active set method
// does once or twice per iteration, at sizes where calling the BLAS costs as much as the work itself.
#pragma once

#include <span>

#include "fenchel/core/views.hpp"

namespace fenchel::kernels {

/// x ← R⁻ᵀ x for the upper triangle R of a square matrix; what lies below the diagonal is not read.
void solve_upper_transposed(MatrixView<const double> upper, std::span<double> x);

/// x ← R⁻¹ x.
void solve_upper(MatrixView<const double> upper, std::span<double> x);

}  // namespace fenchel::kernels
