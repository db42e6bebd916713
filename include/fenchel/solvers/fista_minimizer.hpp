// SPDX-License-Identifier: Apache-2.0
// Accelerated proximal gradient with backtracking and adaptive restart (paper §8.3, "generic algorithms"):
// minimises f + g for a smooth convex f and a g whose proximity operator is easy, such as the indicator of a
// set (then it is a projection) or a norm (training, §8.1). As a machine it asks for one evaluation after
// another and can be saved in between.
#pragma once

#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/state.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// Stopping rule: ‖x − prox_g(x − ∇f(x))‖_∞ ≤ tolerance.
struct FistaMinimizer {
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

/// FISTA that is told values and gradients: evaluate f at trial(), write ∇f into trial_gradient(), then
/// tell(f, prox). An iteration takes two evaluations, and one more for every time the step is cut.
class FistaMachine {
 public:
  /// x ← prox_{step · g}(x). A step of 0 stands for the projection onto the domain of g.
  using Prox = FunctionRef<void(double step, std::span<double> x)>;

  /// Takes its memory, six vectors, from `memory`, which must outlive it.
  FistaMachine(const FistaMinimizer& options, std::span<const double> start, Prox prox, Workspace& memory);

  std::span<const double> trial() const { return testing_ ? next_ : ahead_; }
  std::span<double> trial_gradient() { return testing_ ? next_gradient_ : gradient_; }
  void tell(double value, Prox prox);

  /// Where the next iteration starts.
  std::span<const double> ahead() const { return ahead_; }
  /// The last iterate, with f and ∇f there once there has been an iteration. After a tell that ended none,
  /// the gradient is not to be used.
  std::span<const double> point() const { return x_; }
  double value() const { return value_; }
  std::span<const double> gradient() const { return next_gradient_; }
  int iterations() const { return iterations_; }
  bool done() const { return done_; }
  Report report() const { return {status_, iterations_, residual_}; }

  /// Names everything that the next tell depends on, at the end of an iteration. A machine that was out of
  /// iterations goes on if the options of the one that reads the state leave some.
  void visit_state(StateArchive& archive);

 private:
  void take_step(Prox prox);
  bool step_fits(double at_next) const;
  double shorter_step(double at_next) const;
  void finish_iteration(double at_next, Prox prox);

  FistaMinimizer options_;
  std::span<double> x_, ahead_, next_, gradient_, next_gradient_, work_;  // `gradient_` is at `ahead_`
  double at_ahead_ = 0;
  double value_ = 0;
  double momentum_ = 1;
  double step_;
  double residual_;
  bool testing_ = false;  // the evaluation at `next_` is awaited, else that at `ahead_`
  bool done_ = false;
  int iterations_ = 0;
  Status status_ = Status::max_iterations;
};

}  // namespace fenchel
