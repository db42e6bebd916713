// SPDX-License-Identifier: Apache-2.0
// Accelerated projected gradient with backtracking and adaptive restart (paper §8.3, "generic algorithms"):
// minimises a smooth convex f over a set that is easy to project onto.
#pragma once

#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// Stopping rule: ‖x − P(x − ∇f(x))‖_∞ ≤ tolerance.
struct Fista {
  double tolerance = 1e-12;
  int max_iterations = 100000;
  double first_step = 1;  ///< the first trial step; backtracking and growth adapt it

  using ValueAndGradient = FunctionRef<double(std::span<const double> x, std::span<double> gradient)>;
  using Projection = FunctionRef<void(std::span<double> x)>;
  using Monitor = FunctionRef<bool(std::span<const double> x)>;  ///< true: stop here

  /// Improves x, which starts as given (it is projected first) and ends at the best point found.
  Report minimize(ValueAndGradient f, Projection project, std::span<double> x, Workspace& scratch) const;
  /// The same, stopping as soon as `monitor` says so (used to time runs to a given accuracy).
  Report minimize(ValueAndGradient f, Projection project, std::span<double> x, Workspace& scratch,
                  Monitor monitor) const;
};

}  // namespace fenchel
