// SPDX-License-Identifier: Apache-2.0
// The examples of a linear problem one at a time: θ_i = Wᵀ (x_i − center) + b.
#pragma once

#include <memory>

#include "fenchel/training/examples.hpp"
#include "fenchel/training/problem.hpp"

namespace fenchel {

/// The examples of a checked problem, whose views must outlive them.
std::unique_ptr<Examples> make_linear_examples(const LinearProblem<float>& problem);
std::unique_ptr<Examples> make_linear_examples(const LinearProblem<double>& problem);

}  // namespace fenchel
