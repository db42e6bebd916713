// SPDX-License-Identifier: Apache-2.0
// Limited-memory BFGS within orthants, for f(x) + l1 Σ_{j < penalised} |x_j| with a smooth f (Andrew and Gao
// 2007). Within the orthant of a point the sum is smooth: the direction is −H p with p its steepest slope,
// from which entries that lead out of the orthant are taken, and the line search sets to 0 what would cross
// it. As a machine it asks for one evaluation of f after another and can be saved in between.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/state.hpp"

namespace fenchel {

/// The problem and how to solve it.
struct OrthantLbfgs {
  double l1 = 0;
  std::size_t penalised = 0;              ///< the first entries of x
  std::vector<double> inverse_curvature;  ///< 1/∂²f by entry, roughly; empty: all alike
  int max_iterations = 2000;
  int memory = 10;   ///< pairs of steps and gradient differences kept
  double noise = 0;  ///< f is rounded by this share of |f|; 0: as double precision rounds
  int threads = 1;   ///< for arithmetic on long vectors; results do not depend on it
};

/// Evaluate f at trial(), write ∇f into trial_gradient(), then tell(f).
class OrthantMachine {
 public:
  OrthantMachine(OrthantLbfgs options, std::span<const double> start);

  std::span<const double> trial() const { return trial_; }
  std::span<double> trial_gradient() { return trial_gradient_; }
  /// f at trial(); a value that is not finite makes it try a shorter step.
  void tell(double value);

  /// The best point so far, with f and ∇f there; known after the first tell.
  std::span<const double> point() const { return x_; }
  double value() const { return value_; }
  std::span<const double> gradient() const { return gradient_; }
  bool started() const { return started_; }
  int iterations() const { return iterations_; }
  bool done() const { return done_; }
  Report report() const { return {status_, iterations_, 0}; }

  void visit_state(StateArchive& archive);

 private:
  void begin_iteration();
  void go_on();
  void set_slope();
  void set_direction();
  void try_step();
  void accept(double value);
  void learn();
  void search_failed();
  void stop(Status status);
  double absolute_sum(std::span<const double> x) const;
  double dot(std::span<const double> a, std::span<const double> b) const;
  double free_dot(std::span<const double> a, std::span<const double> b) const;
  double scaled_size(std::span<const double> a) const;
  void add_free(double scale, std::span<const double> a, std::span<double> to) const;
  std::span<double> pair_step(std::size_t slot) {
    return std::span(steps_).subspan(slot * x_.size(), x_.size());
  }
  std::span<double> pair_change(std::size_t slot) {
    return std::span(changes_).subspan(slot * x_.size(), x_.size());
  }
  std::size_t slot(std::size_t age) const { return (next_ - 1 - age) % memory_; }

  OrthantLbfgs options_;
  std::size_t memory_;
  std::vector<double> x_, gradient_, trial_, trial_gradient_;
  std::vector<double> slope_, direction_;     // p and the direction
  std::vector<double> steps_, changes_;       // the last pairs, in a ring
  std::vector<double> free_;                  // 1 where x_j may move, else 0
  std::vector<double> curvatures_, weights_;  // ⟨step, change⟩ of each pair; scratch of the recursion
  mutable std::vector<double> partial_;       // sums of blocks
  std::size_t next_ = 0;                      // pairs written so far
  std::size_t count_ = 0;                     // pairs in use
  double value_ = 0;
  bool fresh_ = true;  // the direction is plain steepest descent
  bool started_ = false;
  bool done_ = false;
  int trials_ = 0;  // along this direction that were too long
  int iterations_ = 0;
  int idle_ = 0;                    // iterations since the last that gained something
  double lowest_slope_ = infinity;  // the least ‖p‖_∞ so far
  Status status_ = Status::max_iterations;
};

}  // namespace fenchel
