// SPDX-License-Identifier: Apache-2.0
// Root of a decreasing function on a bracket, by bisection, TOMS 748 (Brent's family) or safeguarded Newton
// behind one interface, so that the paper's solver comparison (§9.1) can be run on any of them.
#pragma once

#include <optional>
#include <string_view>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/report.hpp"

namespace fenchel {

/// How to search.
enum class RootMethod { bisection, toms748, newton };

/// The method called `name` ("bisection", "toms748", "newton"), if there is one.
std::optional<RootMethod> root_method(std::string_view name);
std::string_view to_string(RootMethod method);

/// A function value and, for Newton, its slope.
struct RootSample {
  double value = 0;
  double slope = 0;
};

/// When to stop. With the defaults the bracket closes to neighbouring floating-point numbers, or φ hits 0.
struct RootOptions {
  RootMethod method = RootMethod::toms748;
  double residual = 0;        ///< stop when |φ| is at most this
  int max_iterations = 2000;  ///< more than bisection needs from any bracket of doubles
};

/// The final bracket: φ(lower) ≥ 0 ≥ φ(upper), and the best point seen.
struct Root {
  double x = 0;
  double lower = 0;
  double upper = 0;
  Report report;
};

/// The root of a decreasing φ with φ(lower) ≥ 0 ≥ φ(upper). Where rounding gives an end the wrong sign, that
/// end is returned. Newton's slope must be that of φ (negative); a useless step falls back to bisection.
Root find_root(FunctionRef<RootSample(double)> phi, double lower, double upper,
               const RootOptions& options = {});

}  // namespace fenchel
