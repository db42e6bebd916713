// SPDX-License-Identifier: Apache-2.0
// Ω(μ) = max_θ ⟨θ, μ⟩ − Ω*(θ), whose gradient is μ − ŷ_Ω(θ): L-BFGS, then Newton's method. A μ that was
// rounded lies beside conv(Y), where there is no maximum: θ would grow without end while ŷ stays where it is.
// So the search ends once ŷ no longer comes nearer to μ. The result is Ω(ŷ) = ⟨θ, ŷ⟩ − Ω*(θ), on which the
// part of θ that leaves ŷ as it is has no effect.
#include <algorithm>
#include <cmath>
#include <functional>

#include "fenchel/core/check.hpp"
#include "fenchel/regularizers/operations.hpp"
#include "solvers/lbfgs_minimizer.hpp"

namespace fenchel::operations {
namespace {

constexpr double exact = 1e-14;          // ‖μ − ŷ‖_∞ where rounding begins
constexpr double precise_enough = 1e-9;  // its square, over the curvature, is the error of the value
constexpr double nearer = 0.9;           // a share of ‖μ − ŷ‖ that is progress in a search
constexpr int patience = 50;             // evaluations without progress, or products in one Newton step
constexpr double farthest = 1e4;         // scores beyond only make ŷ lose digits: e^−10000 is 0
constexpr double flat = 1e-13;           // curvature that is a rounding, relative to the largest met

// θ, ŷ_Ω(θ), and how far that is from μ.
struct DualPoint {
  std::span<double> theta;
  std::span<double> prediction;
  std::span<double> residual;  // μ − ŷ, 0 where masked
  double conjugate = 0;
  double distance = 0;  // ‖μ − ŷ‖

  void move_to(const ConjugateProblem& problem, std::span<const double> mu, std::span<const double> x) {
    for (std::size_t j = 0; j < mu.size(); ++j) theta[j] = problem.masks && mu[j] == 0 ? -infinity : x[j];
    conjugate = problem.conjugate(theta, prediction);
    for (std::size_t j = 0; j < mu.size(); ++j) {
      residual[j] = theta[j] == -infinity ? 0 : mu[j] - prediction[j];
    }
    distance = std::sqrt(dot_masked(residual, residual));
  }
  double largest() const { return max_abs(residual); }
};

// L-BFGS from x, which becomes the nearest point, and `at` with it.
int search(const ConjugateProblem& problem, std::span<const double> mu, DualPoint& at, std::span<double> x,
           Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const double rounded = simplex_tolerance<double> * std::sqrt(static_cast<double>(mu.size()));
  LbfgsMachine machine({.tolerance = exact}, x, scratch);
  double nearest = infinity;
  for (int idle = 0; !machine.done() && (nearest > rounded || idle < patience); ++idle) {
    at.move_to(problem, mu, machine.trial());
    const bool usable = max_abs(machine.trial()) <= farthest;
    if (usable && (at.distance < nearer * nearest || at.largest() <= exact)) {
      nearest = at.distance;
      idle = 0;
      std::ranges::copy(machine.trial(), x.begin());
    }
    std::ranges::transform(at.residual, machine.trial_gradient().begin(), std::negate<>());
    machine.tell(at.conjugate - dot_masked(at.theta, mu));
  }
  at.move_to(problem, mu, x);
  return machine.iterations();
}

// J d = r by conjugate gradients: J is symmetric and positive semidefinite. A part of r outside its range,
// from a rounded μ, never goes away: then d is the one that left least.
void solve_by_conjugate_gradients(const ConjugateProblem& problem, const DualPoint& at, std::span<double> d,
                                  Workspace& scratch) {
  constexpr double reduction = 1e-10;  // of ‖r‖: Newton's steps are then as good as exact
  const Workspace::Frame frame(scratch);
  const std::size_t n = d.size();
  const auto r = scratch.take<double>(n), direction = scratch.take<double>(n),
             product = scratch.take<double>(n), solution = scratch.take<double>(n);
  std::ranges::fill(solution, 0.0);
  std::ranges::fill(d, 0.0);
  std::ranges::copy(at.residual, r.begin());
  std::ranges::copy(r, direction.begin());
  double size = dot_masked(r, r), least = size;
  const double goal = reduction * reduction * size;
  double steepest = 0;
  int idle = 0;
  for (std::size_t i = 0; i < 2 * n && size > goal && idle < patience; ++i, ++idle) {
    problem.jvp(at.theta, at.prediction, direction, product);
    const double curvature = dot_masked(direction, product), length = dot_masked(direction, direction);
    steepest = std::max(steepest, curvature / length);
    if (!(curvature > flat * steepest * length)) return;
    const double step = size / curvature;
    for (std::size_t j = 0; j < n; ++j) {
      solution[j] += step * direction[j];
      r[j] -= step * product[j];
    }
    const double previous = size;
    size = dot_masked(r, r);
    if (size < nearer * nearer * least) {
      least = size;
      idle = 0;
      std::ranges::copy(solution, d.begin());
    }
    for (std::size_t j = 0; j < n; ++j) direction[j] = r[j] + size / previous * direction[j];
  }
}

// Moves x along Newton's step as far as that brings ŷ nearer to μ; returns whether it did.
bool newton_step(const ConjugateProblem& problem, std::span<const double> mu, DualPoint& at,
                 std::span<double> x, Workspace& scratch) {
  constexpr int halvings = 8;
  constexpr double enough = 0.999;  // of the distance: less than this is noise
  constexpr double longest = 16;    // beyond, probabilities vanish and rounded residuals lead the way
  const Workspace::Frame frame(scratch);
  const auto step = scratch.take<double>(x.size()), trial = scratch.take<double>(x.size());
  const double before = at.distance;
  solve_by_conjugate_gradients(problem, at, step, scratch);
  double length = std::min(1.0, longest / max_abs(step));
  for (int i = 0; i < halvings; ++i, length *= 0.5) {
    for (std::size_t j = 0; j < x.size(); ++j) trial[j] = x[j] + length * step[j];
    at.move_to(problem, mu, trial);
    if (!(at.distance < enough * before)) continue;
    std::ranges::copy(trial, x.begin());
    return true;
  }
  at.move_to(problem, mu, x);
  return false;
}

}  // namespace

SolvedValue value_by_conjugate(const ConjugateProblem& problem, std::span<const double> mu,
                               std::span<double> theta, Workspace& scratch) {
  constexpr int newton_steps = 20;
  const Workspace::Frame frame(scratch);
  const auto x = scratch.take<double>(mu.size());
  DualPoint at{theta, scratch.take<double>(mu.size()), scratch.take<double>(mu.size())};
  std::ranges::fill(x, 0.0);
  int iterations = search(problem, mu, at, x, scratch);
  // L-BFGS ends where values no longer tell points apart; Newton's method needs only gradients.
  for (int i = 0; i < newton_steps && at.largest() > exact; ++i) {
    if (!newton_step(problem, mu, at, x, scratch)) break;
    ++iterations;
  }
  const double residual = at.largest();
  const Status status = residual <= precise_enough ? Status::converged : Status::stalled;
  return {dot_masked(at.theta, at.prediction) - at.conjugate, {status, iterations, residual}};
}

}  // namespace fenchel::operations
