// SPDX-License-Identifier: Apache-2.0
// The structured separation margin of a loss over conv(Y), costs included (paper §7.4): 1 for SparseMAP, 2
// for the structured hinge with the Hamming cost ‖z − y‖² and 1 with half of it, none for the CRF.
#pragma once

#include <optional>

#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/polytopes/any.hpp"

namespace fenchel {

/// The margin of L_Ω(θ + c_y; y): that of Ω plus 2s where it has one and the cost is s‖z − y‖², else by
/// search (regularizers/margin_search.hpp says how).
std::optional<double> structured_margin(const FenchelYoungLoss& loss, const AnyPolytope& polytope);

}  // namespace fenchel
