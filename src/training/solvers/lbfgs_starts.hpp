// SPDX-License-Identifier: Apache-2.0
// The two ways in which L-BFGS trains.
#pragma once

#include <memory>

#include "fenchel/training/solvers/lbfgs.hpp"
#include "fenchel/training/train.hpp"
#include "training/problems/linear_objective.hpp"

namespace fenchel {

/// One L-BFGS for all parameters.
std::unique_ptr<Algorithm> start_joint_lbfgs(std::shared_ptr<Objective> objective, const Lbfgs& solver,
                                             const TrainOptions& options);

/// An L-BFGS for each output, all fed by the same evaluations; a step is one of them. For separable Ω.
std::unique_ptr<Algorithm> start_separate_lbfgs(std::shared_ptr<OutputsObjective> objective,
                                                const Lbfgs& solver, const TrainOptions& options);

}  // namespace fenchel
