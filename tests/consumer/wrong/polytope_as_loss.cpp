// SPDX-License-Identifier: Apache-2.0
// expected: this is a polytope, not an Omega: wrap it in SparseMap{...}, Marginal{...} or Map{...}
#include "fenchel/fenchel.hpp"

fenchel::FenchelYoungLoss loss{fenchel::Arborescence{4}};
