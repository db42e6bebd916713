// SPDX-License-Identifier: Apache-2.0
// The Euclidean projection onto a relaxation of the arborescence polytope: the points μ ≥ 0 whose columns sum
// to one, with one root (where asked for) and few of the sets S in which no cycle is allowed,
//   Σ over m of μ(m, m) = 1,   Σ over arcs h → m inside S of μ(h, m) ≤ |S| − 1.
// With a multiplier λ_0 of the root and λ_S ≥ 0 of each set, every column of μ is the projection of
//   z(h, m) = θ(h, m) − λ_0 [h is the root] − Σ over S with both h and m of λ_S
// onto the simplex. The dual is convex, piecewise quadratic and has a continuous gradient, the
// residuals of the constraints; Newton's method on it, with the bounds of λ kept by each step's quadratic and
// an exact line search, ends after finitely many steps, up to rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/report.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/arborescence.hpp"

namespace fenchel::arborescence {

class Relaxation {
 public:
  /// No sets yet. Every column of θ has a finite entry; digits are lost unless its best is about zero. Takes
  /// its memory from the enclosing frame.
  Relaxation(const Arborescence& set, std::span<const double> theta, Workspace& scratch);

  /// Whether there is no room for further sets.
  bool full() const { return count_ == capacity_; }
  /// A set into which only `inflow` < 1 flows from outside, at the μ of the last solve. It replaces those
  /// added since then that contain it and are violated no more; if there is no room, it is left out.
  void add_cut(std::span<const std::uint32_t> words, double inflow);

  /// Finds the multipliers, and drops the sets for which they are zero. The report's residual is the
  /// largest violation of a constraint.
  Report solve();
  /// The rounding error of the constraints' sums.
  double noise() const;
  /// The largest |λ|, or zero.
  double largest_multiplier() const;

  /// μ, transposed: row m holds the arcs into m, its entry m that of the root.
  MatrixView<const double> mu() const { return mu_; }

  /// J v for the Jacobian J of this projection where the support stays as it is, also transposed; false if
  /// rounding gets in the way.
  bool jvp(MatrixView<double> v);

 private:
  void remove_around(std::span<const std::uint32_t> words, double inflow);
  void move_cut(std::size_t from, std::size_t to);
  void drop_idle();
  void predict(MatrixView<const double> z);
  void sum_inside(MatrixView<const double> x, std::span<double> sums) const;
  void measure();
  double residual() const;
  void form_hessian(MatrixView<double> hessian, double ridge);
  void add_column(std::size_t m, std::span<double> counts, std::span<std::size_t> touching,
                  MatrixView<double> hessian);
  bool find_step(double residual);
  void add_penalty(std::span<const double> weights, MatrixView<double> to) const;
  double slope(double t);
  bool search_line();
  void center_scores();
  void center(MatrixView<double> v) const;

  bool has(std::size_t k, std::size_t word) const { return contains_[k * n_ + word]; }
  std::span<const std::uint32_t> support(std::size_t m) const {
    return heads_.subspan(starts_[m], starts_[m + 1] - starts_[m]);
  }
  std::span<const std::uint32_t> members(std::size_t k) const {
    return {members_.data() + k * n_, sizes_[k]};
  }

  std::size_t n_, capacity_;
  std::size_t first_, count_;  // multipliers: that of the root comes first, if there is one
  std::size_t solved_;         // those there were at the last solve
  Workspace& scratch_;
  MatrixView<double> scores_;   // z at λ, transposed, shifted by columns
  MatrixView<double> trial_;    // z at λ + t step
  MatrixView<double> penalty_;  // the change of z along the step
  MatrixView<double> mu_;
  std::span<double> zeros_, thresholds_;
  std::span<double> lambda_, inflows_, gradient_, step_, lower_;
  std::span<std::uint32_t> members_, sizes_;
  std::span<bool> contains_;                 // by multiplier and word
  std::span<std::uint32_t> starts_, heads_;  // the support of each column
};

}  // namespace fenchel::arborescence
