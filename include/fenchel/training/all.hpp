// SPDX-License-Identifier: Apache-2.0
// The one list of solvers. The tool, the bindings, `auto`, the table of the documentation and the tests
// iterate it: adding a solver is its files and one line here. `auto` takes the first that suits a problem.
#pragma once

#include "fenchel/core/spec.hpp"
#include "fenchel/training/solvers/dual_ascent.hpp"
#include "fenchel/training/solvers/fista.hpp"
#include "fenchel/training/solvers/frank_wolfe.hpp"
#include "fenchel/training/solvers/lbfgs.hpp"
#include "fenchel/training/solvers/owlqn.hpp"
#include "fenchel/training/solvers/prox_newton.hpp"
#include "fenchel/training/solvers/saga.hpp"
#include "fenchel/training/solvers/subgradient.hpp"

namespace fenchel {

/// Every solver with a name.
using AllSolvers = TypeList<DualAscent, FrankWolfe, Lbfgs, ProxNewton, Owlqn, Fista, Saga, Subgradient>;

}  // namespace fenchel
