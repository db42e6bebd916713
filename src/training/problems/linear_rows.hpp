// SPDX-License-Identifier: Apache-2.0
// One row of a linear problem at a time: θ = Wᵀx and W += x rᵀ, for dense and sparse rows alike. A penalised
// or free intercept is one more feature that is always 1, the last row of W.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "fenchel/training/problems/kernel.hpp"
#include "fenchel/training/problems/linear.hpp"
#include "kernels/feature_rows.hpp"

namespace fenchel {

/// The rows of X, not centred.
template <Real T>
class LinearRows {
 public:
  explicit LinearRows(const LinearProblem<T>& problem)
      : x_(problem.x),
        sparse_(problem.x.sparse()),
        columns_(problem.features()),
        intercept_(problem.intercept != Intercept::none) {
    if (sparse_) {
      csr_ = x_.sparse_rows();
    } else {
      dense_ = x_.dense_rows();
    }
  }

  std::size_t size() const { return x_.rows(); }
  /// Rows of W, with that of the intercept.
  std::size_t features() const { return columns_ + (intercept_ ? 1 : 0); }
  bool intercept() const { return intercept_; }

  /// Calls f(feature, value) for every entry of row i; zeros of dense rows are left out.
  template <class F>
  void visit(std::size_t i, F f) const {
    x_.for_each(i, f);
    if (intercept_) f(columns_, 1.0);
  }

  /// θ = Wᵀ x_i, W in rows of as many entries as θ has.
  void scores(std::size_t i, const double* w, std::span<double> theta) const {
    if (intercept_) {
      std::copy_n(w + columns_ * theta.size(), theta.size(), theta.begin());
    } else {
      std::fill(theta.begin(), theta.end(), 0.0);
    }
    if (sparse_) {
      kernels::add_scores(csr_.indices(i), csr_.values(i), w, theta);
    } else {
      kernels::add_scores(dense_.row(i), w, theta);
    }
  }

  /// W += x_i rᵀ.
  void add(std::size_t i, std::span<const double> r, double* w) const {
    if (intercept_) add_scaled(1, r, w + columns_ * r.size());
    if (sparse_) {
      kernels::add_outer(csr_.indices(i), csr_.values(i), r, w);
    } else {
      kernels::add_outer(dense_.row(i), r, w);
    }
  }

  /// ‖x_i‖².
  double squared_norm(std::size_t i) const {
    double sum = 0;
    visit(i, [&](std::size_t, double x) { sum += x * x; });
    return sum;
  }

  /// ⟨center, x_i⟩ over the columns.
  double dot(std::size_t i, std::span<const double> center) const {
    double sum = 0;
    visit(i, [&](std::size_t j, double x) { sum += j < columns_ ? center[j] * x : 0; });
    return sum;
  }

 private:
  FeaturesView<T> x_;
  bool sparse_;
  std::size_t columns_;
  bool intercept_;
  MatrixView<const T> dense_;
  CsrView<T> csr_;
};

/// The rows, targets and loss of a kernel problem as those of a linear one.
template <Real T>
LinearProblem<T> linear_part(const KernelProblem<T>& problem) {
  return {.x = problem.x,
          .y = problem.y,
          .outputs = problem.outputs,
          .loss = problem.loss,
          .weights = problem.weights,
          .intercept = Intercept::none};
}

}  // namespace fenchel
