// SPDX-License-Identifier: Apache-2.0
// A small strictly convex quadratic over lower bounds,
//   argmin over x ≥ lower of ½ xᵀHx + ⟨g, x⟩,
// by block principal pivoting (Portugal, Júdice and Vicente, 1994): guess which bounds hold, solve for the
// rest, and flip every wrong guess; where that does not make fewer of them, flip one at a time (Murty),
// which always ends.
#pragma once

#include <span>

#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

struct BoundedQuadratic {
  MatrixView<const double> hessian;  ///< symmetric, positive definite
  std::span<const double> gradient;
  std::span<const double> lower;  ///< −inf: none

  /// False if the matrix is not positive definite up to rounding, or rounding keeps the guesses from
  /// settling; `x` may then hold anything.
  bool minimize(std::span<double> x, Workspace& scratch) const;
};

}  // namespace fenchel
