// SPDX-License-Identifier: Apache-2.0
// The active set method for the Euclidean projection onto conv(Y), given nothing but a MAP oracle (paper §7.2
// and §8.3): SparseMAP,
//   μ* = argmin over conv(Y) of ½‖μ − θ‖² = argmax over conv(Y) of ⟨θ, μ⟩ − ½‖μ‖².
// It generalises Wolfe's min-norm point algorithm: keep μ as a mixture of affinely independent structures,
// ask the oracle for the structure with the largest ⟨θ − μ, y⟩, move to the closest point of the affine hull,
// drop what blocks the way. Finite, and exact up to rounding.
#pragma once

#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// argmax over Y of ⟨scores, y⟩ as a structure; returns that maximum, or −inf if every structure has a masked
/// entry (a score of −inf), in which case `best` may hold anything.
using MapOracle = FunctionRef<double(std::span<const double> scores, Structure& best)>;

/// The projection onto conv(Y). Stopping rule: the Wolfe gap max over Y of ⟨θ − μ, y − μ⟩, which bounds
/// ‖μ − μ*‖², is at most `tolerance` plus the rounding error of its own terms.
struct ActiveSet {
  double tolerance = 1e-12;
  int max_iterations = 100000;  ///< calls of the oracle

  /// Projects θ: finite scores, or −inf for masks. `mixture` starts empty or as a guess, such as the solution
  /// for a similar θ (structures that are masked now are left out), and ends as the structures of μ*,
  /// affinely independent and so at most d + 1, with positive weights summing to one. `mu` gets the dense μ*.
  /// The report's residual is the Wolfe gap, its iterations are the oracle's calls. `stalled` means that
  /// rounding stopped progress above the tolerance or, with an infinite residual and an empty mixture, that
  /// every structure is masked. The mixture's vector of structures keeps spare ones beyond its size for the
  /// next call.
  Report minimize(std::span<const double> theta, MapOracle map, Mixture& mixture, std::span<double> mu,
                  Workspace& scratch) const;
};

/// J v for the Jacobian J of the projection where its active set does not change: the orthogonal projection
/// of v onto the span of the differences of the mixture's structures. `out` may be v itself.
void active_set_jvp(const Mixture& mixture, std::span<const double> v, std::span<double> out,
                    Workspace& scratch);

}  // namespace fenchel
