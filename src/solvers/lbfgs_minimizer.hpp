// SPDX-License-Identifier: Apache-2.0
// Limited-memory BFGS. Where f is known to be smooth, lines are searched with cubic interpolation for a
// strong Wolfe point; else by bisection for a weak one, which also makes progress on convex functions with
// kinks (strong conditions would lead into them). Minimises Ω*-like objectives: Moreau's decomposition (paper
// §8.4), infimal convolutions (§2.3) and the inner problem of Fenchel-Youngization (appendix A.2); trains
// models (§8.1). As a machine it asks for one evaluation after another and can be saved in between.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/state.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// Stopping rule: ‖∇f(x)‖_∞ ≤ tolerance. `stalled` means that f can no longer be decreased in floating point.
struct LbfgsMinimizer {
  double tolerance = 1e-12;
  int max_iterations = 2000;
  int memory = 20;      ///< pairs of steps and gradient differences kept
  bool smooth = false;  ///< f has a gradient everywhere: strong Wolfe conditions
  double noise = 0;     ///< f is rounded by this share of |f|; 0: as double precision rounds
  int threads = 1;      ///< for arithmetic on long vectors; results do not depend on it

  using ValueAndGradient = FunctionRef<double(std::span<const double> x, std::span<double> gradient)>;

  /// Improves x in place.
  Report minimize(ValueAndGradient f, std::span<double> x, Workspace& scratch) const;
};

/// L-BFGS that is told values and gradients: evaluate f at trial(), write ∇f into trial_gradient(), then
/// tell(f). Spans move from one tell to the next: ask for them again.
class LbfgsMachine {
 public:
  /// Takes its memory, 2 · options.memory + 5 vectors, from `memory`, which must outlive it.
  LbfgsMachine(const LbfgsMinimizer& options, std::span<const double> start, Workspace& memory);

  std::span<const double> trial() const { return trial_; }
  std::span<double> trial_gradient() { return trial_gradient_; }
  /// f at trial(); a value that is not finite makes it try a shorter step.
  void tell(double value);

  /// The best point so far, with f and ∇f there; known after the first tell.
  std::span<const double> point() const { return x_; }
  double value() const { return value_; }
  std::span<const double> gradient() const { return gradient_; }
  /// Whether it has been told anything.
  bool started() const { return started_; }
  /// Steps taken; one may need several evaluations.
  int iterations() const { return iterations_; }
  bool done() const { return done_; }
  Report report() const { return {status_, iterations_, residual_}; }

  /// Names everything that the next tell depends on. A machine that was out of iterations goes on if the
  /// options of the one that reads the state leave some.
  void visit_state(StateArchive& archive);

 private:
  /// A point on the line that is searched.
  struct Sample {
    double step = 0;
    double value = 0;
    double slope = 0;

    void visit_state(StateArchive& archive);
  };
  enum class Verdict { accepted, too_short, too_long };

  void begin_iteration();
  void set_direction();
  void choose_coefficients(std::span<double> coefficients);
  void try_step(double step);
  Verdict judge(const Sample& sample) const;
  double next_step() const;
  double noise_at(double other) const;
  void accept(double value);
  void learn();
  void learn_products(std::size_t at, std::size_t live);
  void recurse();
  void search_failed();
  void stop(Status status);
  void go_on();
  double dot_trial_slope() const;
  std::span<double> pair_step(std::size_t slot) const { return steps_.subspan(slot * d_, d_); }
  std::span<double> pair_change(std::size_t slot) const { return changes_.subspan(slot * d_, d_); }
  std::size_t slot(std::size_t age) const { return (next_ - 1 - age) % memory_; }
  double& gram(std::size_t a, std::size_t b) const { return gram_[a * (2 * memory_ + 1) + b]; }

  LbfgsMinimizer options_;
  std::size_t d_;
  std::size_t memory_;
  std::size_t blocks_;
  std::span<double> x_, gradient_, trial_, trial_gradient_, direction_;
  std::span<double> steps_, changes_;  // the last pairs, in a ring
  std::span<double> gram_;             // inner products: steps, changes, then the gradient
  std::span<double> coefficients_, partial_;
  std::size_t next_ = 0;   // pairs written so far
  std::size_t count_ = 0;  // pairs in use
  double value_ = 0;
  double slope_ = 0;             // along the direction, at x
  Sample last_, lower_, upper_;  // the last trial; the minimum lies between the other two
  bool bracketed_ = false;
  bool fresh_ = true;  // the direction is plain steepest descent
  bool started_ = false;
  bool settling_ = false;  // the search has failed: whatever lower_ is will do
  bool done_ = false;
  int trials_ = 0;
  int iterations_ = 0;
  int idle_ = 0;  // iterations since f fell by more than its noise or ∇f was smaller than ever
  double lowest_residual_ = 0;
  double residual_ = 0;
  Status status_ = Status::max_iterations;
};

}  // namespace fenchel
