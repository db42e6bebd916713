// SPDX-License-Identifier: Apache-2.0
#include "fenchel/solvers/fista.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

// The sufficient-decrease test compares differences of f; below this many roundings of |f| they are noise.
constexpr double decrease_slack = 8 * machine_epsilon;
constexpr double noise_range = 1e4;      // from here on differences of f are accurate to 1e-4 of themselves
constexpr double smallest_step = 1e-20;  // a smaller step means that f is not smooth here
constexpr double growth = 1.3;           // per iteration, so that one bad region does not slow the rest down

double max_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t j = 0; j < a.size(); ++j) largest = std::max(largest, std::abs(a[j] - b[j]));
  return largest;
}

}  // namespace

Report Fista::minimize(ValueAndGradient f, Projection project, std::span<double> x,
                       Workspace& scratch) const {
  return minimize(f, project, x, scratch, [](std::span<const double>) { return false; });
}

Report Fista::minimize(ValueAndGradient f, Projection project, std::span<double> x, Workspace& scratch,
                       Monitor monitor) const {
  const Workspace::Frame frame(scratch);
  const std::size_t d = x.size();
  const auto ahead = scratch.take<double>(d);  // the extrapolated point
  const auto next = scratch.take<double>(d);
  const auto gradient = scratch.take<double>(d);  // at `ahead`
  const auto probe = scratch.take<double>(d);
  project(x);
  std::ranges::copy(x, ahead.begin());
  double momentum = 1;
  double step = first_step;
  double residual = infinity;
  for (int iteration = 1; iteration <= max_iterations; ++iteration) {
    const double at_ahead = f(ahead, gradient);
    for (;; step *= 0.5) {
      for (std::size_t j = 0; j < d; ++j) next[j] = ahead[j] - step * gradient[j];
      project(next);
      double linear = 0;
      double squared = 0;
      for (std::size_t j = 0; j < d; ++j) {
        const double move = next[j] - ahead[j];
        linear += gradient[j] * move;
        squared += move * move;
      }
      const double at_next = f(next, probe);
      const double noise = decrease_slack * std::max(std::abs(at_ahead), std::abs(at_next));
      bool decreases = at_next <= at_ahead + linear + squared / (2 * step);
      if (std::abs(at_next - at_ahead) <= noise_range * noise) {
        // Differences of f are rounding here; the gradients still tell whether the step suits the curvature.
        double curvature = 0;
        for (std::size_t j = 0; j < d; ++j) curvature += (probe[j] - gradient[j]) * (next[j] - ahead[j]);
        decreases = curvature * step <= squared;
      }
      if (decreases) break;
      if (step < smallest_step) return {Status::stalled, iteration, residual};
    }
    // probe holds ∇f(next): the fixed-point residual of a unit step tells how far from stationary it is.
    for (std::size_t j = 0; j < d; ++j) probe[j] = next[j] - probe[j];
    project(probe);
    residual = max_difference(probe, next);
    double against = 0;  // ⟨ahead − next, next − x⟩ > 0: the momentum points uphill, so restart it
    for (std::size_t j = 0; j < d; ++j) against += (ahead[j] - next[j]) * (next[j] - x[j]);
    const double previous = momentum;
    momentum = against > 0 ? 1 : 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    const double beta = against > 0 ? 0 : (previous - 1) / momentum;
    for (std::size_t j = 0; j < d; ++j) {
      ahead[j] = next[j] + beta * (next[j] - x[j]);
      x[j] = next[j];
    }
    project(ahead);  // keeps f's argument in its domain
    if (residual <= tolerance || monitor(x)) return {Status::converged, iteration, residual};
    step *= growth;
  }
  return {Status::max_iterations, max_iterations, residual};
}

}  // namespace fenchel
