// SPDX-License-Identifier: Apache-2.0
// The global maximum of ⟨θ, p⟩ − Ω(p) over the simplex for the Rényi negentropy Ω of order β > 1, which is
// not convex (paper §4.3).
#pragma once

#include <span>

#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// Writes the maximiser p. Converged: no other point is better by more than a rounding, for any number of
/// classes. Else the residual says by how much one could be.
Report maximize_renyi(double beta, std::span<const double> theta, std::span<double> p, Workspace& scratch);

}  // namespace fenchel
