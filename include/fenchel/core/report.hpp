// SPDX-License-Identifier: Apache-2.0
// The outcome of a numerical procedure: returned, never thrown and never printed.
#pragma once

#include <algorithm>
#include <string_view>

namespace fenchel {

/// How a procedure ended, from best to worst.
enum class Status {
  converged,       ///< the stopping criterion holds (closed forms always report this)
  stationary,      ///< a stationary point of a non-convex problem; a better one may exist
  stalled,         ///< no further progress at working precision
  max_iterations,  ///< out of iterations
  diverged,        ///< numbers grew beyond what floating point holds: the result is not to be used
};

/// The status in words.
constexpr std::string_view to_string(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::stationary:
      return "stationary";
    case Status::stalled:
      return "stalled";
    case Status::max_iterations:
      return "max_iterations";
    case Status::diverged:
      return "diverged";
  }
  return "unknown";
}

/// What an iterative procedure did. `residual` is the measure its stopping criterion looks at.
struct Report {
  Status status = Status::converged;
  int iterations = 0;
  double residual = 0;

  bool converged() const { return status == Status::converged; }

  /// The summary of two procedures run side by side: the worse status, the larger numbers.
  friend Report worst(const Report& a, const Report& b) {
    return {std::max(a.status, b.status), std::max(a.iterations, b.iterations),
            std::max(a.residual, b.residual)};
  }
};

}  // namespace fenchel
