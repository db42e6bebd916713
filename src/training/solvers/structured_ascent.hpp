// SPDX-License-Identifier: Apache-2.0
// Block coordinate ascent on the dual of examples over structures, Ω = (r/2)‖μ‖² (sparsemap) or 0 (hinge):
// with weights w_i and costs c_i,
//   max_μ  Σ_i w_i (⟨c_i, μ_i − y_i⟩ − (r/2)(‖μ_i‖² − ‖y_i‖²)) − (λ/2)‖W‖²,  W = Σ_i w_i A_iᵀ(y_i − μ_i)/λ.
// Each μ_i is kept as a mixture of structures. A visit asks for the structure that the slopes
// θ_i + c_i − r μ_i like best, and then moves shares between the structures of the mixture, from the worst to
// the best of them by exact line searches (pairwise steps), until they are near the optimum of the block. As
// in Lacoste-Julien et al. (2013), a best structure is all it asks for, but shares can be taken back, which
// makes convergence linear. The gap of a block, w_i max_z ⟨slopes, z − μ_i⟩, tells where to go next; the
// duality gap is found from all losses after each round.
#pragma once

#include <memory>

#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/train.hpp"
#include "training/problems/structured_examples.hpp"

namespace fenchel {

/// DualAscent on such examples. Needs the l2 penalty alone, with l2 > 0.
std::unique_ptr<Algorithm> start_structured_ascent(std::shared_ptr<const StructuredExamples> examples,
                                                   bool random, const TrainOptions& options);

}  // namespace fenchel
