// SPDX-License-Identifier: Apache-2.0
// The active set method for the Kullback-Leibler projection onto conv(Y), given nothing but a MAP oracle
// (paper §7.2 and §8.3):
//   μ* = argmax over conv(Y) of ⟨θ, μ⟩ − Σ μ log μ,
// for structures without negative entries. μ is a mixture of structures; Newton's method finds their best
// weights (the Hessian is Vᵀ diag(1/μ) V, V the structures), the oracle supplies the structures that are
// missing. The slope of μ log μ is −inf at 0, so that every entry would take part, if only as e^{−1000}: the
// objective is therefore (μ + δ) log(μ + δ) with a δ far below the accuracy of the result, and entries that
// matter less than δ stay at 0.
#pragma once

#include <span>

#include "fenchel/core/report.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/solvers/active_set.hpp"

namespace fenchel {

/// The Kullback-Leibler projection. Stopping rule: the gap max over Y of ⟨θ − ∇Ω(μ), y − μ⟩, which bounds
/// what is left to gain, is at most `tolerance` times 1 + max |θ| over the entries in use, plus its rounding
/// error.
struct EntropicActiveSet {
  double tolerance = 1e-11;
  int max_iterations = 5000;  ///< calls of the oracle; work on hundreds of structures is limited too

  /// Projects θ: finite scores, or −inf for masks. `mixture` starts empty or as a guess and ends as
  /// structures with positive weights that sum to one; `mu` gets the dense μ*. The report's residual is the
  /// gap, plus what δ may hide; its iterations are the oracle's calls. `stalled` means that rounding stopped
  /// progress or, with an infinite residual, that every structure is masked.
  Report minimize(std::span<const double> theta, MapOracle map, Mixture& mixture, std::span<double> mu,
                  Workspace& scratch) const;
};

/// J v for the Jacobian J of the projection of θ at its solution: with S the span of the differences of the
/// mixture's structures on the face of the solution, the projection of diag(μ) v onto S in the metric
/// diag(1/μ). `out` may be v itself.
void entropic_active_set_jvp(std::span<const double> theta, const Mixture& mixture, std::span<const double> v,
                             std::span<double> out, Workspace& scratch);

}  // namespace fenchel
