// SPDX-License-Identifier: Apache-2.0
// Derivatives by central differences, for maps that have none of their own: about nine digits.
#pragma once

#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// A map from R^d to R^d.
using VectorMap = FunctionRef<Report(std::span<const double>, std::span<double>)>;

/// The step that balances truncation (step²) and rounding (ε/step), for arguments of order one.
inline constexpr double difference_step = 6e-6;

/// The Jacobian of `map` at θ, times v.
void jvp_by_differences(VectorMap map, std::span<const double> theta, std::span<const double> v,
                        std::span<double> out, Workspace& scratch);

}  // namespace fenchel
