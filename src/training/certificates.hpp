// SPDX-License-Identifier: Apache-2.0
// Dual points of trained models, for their certificates (training/verify.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "fenchel/core/matrix.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/models/task_targets.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/problems/linear.hpp"

namespace fenchel {

/// Why models of this loss cannot have a certificate, as OptionError takes it; nothing where they can.
std::optional<std::string> refuse_certificate(const FenchelYoungLoss& loss, const TaskTargets& targets,
                                              const std::string& loss_name);

/// μ_i of every example: the algorithm's where it keeps dual variables, else ŷ_Ω(θ_i) at the parameters.
template <Real T>
CsrMatrix<double> dual_point(const LinearProblem<T>& problem, const Algorithm& algorithm,
                             std::span<const double> parameters);

/// Moves μ as little as it takes to Σ w_i μ_i = Σ w_i y_i, as a free intercept wants it. By factors for each
/// output and each example in turn (iterative proportional fitting): what is small changes little, so that
/// the dual value falls by the square of the difference only. Verification makes up for what is left.
template <Real T>
void balance(const LinearProblem<T>& problem, CsrMatrix<double>& mu);

}  // namespace fenchel
