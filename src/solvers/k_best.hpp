// SPDX-License-Identifier: Apache-2.0
// The k best structures of a set whose oracle finds only the best one: Lawler's partition. The best
// structure splits the rest of the set by the first group in which a structure differs from it; the best of
// each part is found by the same oracle under masks, and the parts of the next best structure are split in
// turn.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// argmax over Y of ⟨θ, y⟩; returns ⟨θ, y⟩, or −inf where the masks (−inf) of θ leave no structure.
using MaskedMap = FunctionRef<double(std::span<const double> theta, Structure& out)>;

/// The k best structures, best first, all different; fewer where the masks of θ leave fewer. Y is any set of
/// vectors of zeros and ones with exactly one 1 in each of the groups {i : i mod groups = g}: the head of
/// each word of a tree, the row that each column of a permutation matrix picks. Takes at most k · groups
/// calls of `map`, which may use `scratch` too.
void k_best_by_partition(MaskedMap map, std::size_t groups, std::span<const double> theta, std::size_t k,
                         std::vector<Structure>& out, Workspace& scratch);

}  // namespace fenchel
