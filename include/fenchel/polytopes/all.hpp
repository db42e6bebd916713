// SPDX-License-Identifier: Apache-2.0
// The one list of polytopes. The tool's names, the bindings, the property tests and the tables of the
// documentation all iterate it: adding a polytope takes its files and one line here.
#pragma once

#include "fenchel/core/spec.hpp"
#include "fenchel/polytopes/alignment.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "fenchel/polytopes/birkhoff.hpp"
#include "fenchel/polytopes/chain.hpp"
#include "fenchel/polytopes/cube.hpp"
#include "fenchel/polytopes/k_subsets.hpp"
#include "fenchel/polytopes/permutahedron.hpp"
#include "fenchel/polytopes/projective_tree.hpp"
#include "fenchel/polytopes/sequence.hpp"
#include "fenchel/polytopes/simplex.hpp"
#include "fenchel/polytopes/transport.hpp"

namespace fenchel {

/// Every polytope with a name.
using AllPolytopes = TypeList<Simplex, KSubsets, Cube, Sequence, Chain, Alignment, Arborescence,
                              ProjectiveTree, Permutahedron, Birkhoff, Transport>;

}  // namespace fenchel
