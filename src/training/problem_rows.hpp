// SPDX-License-Identifier: Apache-2.0
// One row of a linear problem at a time: θ = Wᵀx and W += x rᵀ, for dense and sparse rows alike. A penalised
// or free intercept is one more feature that is always 1, the last row of W.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/kernels/feature_rows.hpp"
#include "fenchel/training/problem.hpp"

namespace fenchel {

/// y += scale · x, both of the same length.
inline void add_scaled(double scale, const double* __restrict x, std::size_t size, double* __restrict y) {
  for (std::size_t k = 0; k < size; ++k) y[k] += scale * x[k];
}

/// The rows of X, not centred.
template <Real T>
class ProblemRows {
 public:
  explicit ProblemRows(const LinearProblem<T>& problem)
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
  bool sparse() const { return sparse_; }
  /// Rows of W, with that of the intercept.
  std::size_t features() const { return columns_ + (intercept_ ? 1 : 0); }
  std::size_t columns() const { return columns_; }
  bool intercept() const { return intercept_; }

  /// Calls f(feature, value) for every entry of row i; zeros of dense rows are left out.
  template <class F>
  void visit(std::size_t i, F f) const {
    if (sparse_) {
      const auto indices = csr_.indices(i);
      const auto values = csr_.values(i);
      for (std::size_t e = 0; e < indices.size(); ++e) {
        f(static_cast<std::size_t>(indices[e]), static_cast<double>(values[e]));
      }
    } else {
      const auto row = dense_.row(i);
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (row[j] != 0) f(j, static_cast<double>(row[j]));
      }
    }
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
    if (intercept_) add_scaled(1, r.data(), r.size(), w + columns_ * r.size());
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

/// The target of row i, or a slice of it from entry `first` on, in double precision.
template <Real T>
void write_target(const Targets<T>& y, std::size_t i, std::size_t first, std::span<double> out) {
  if (y.are_labels()) {
    const auto label = static_cast<std::size_t>(y.label(i));
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = first + k == label ? 1 : 0;
  } else {
    const auto row = y.rows().row(i);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<double>(row[first + k]);
  }
}

/// The costs c_y of the rows of a problem: a table where targets are labels, else computed for each row.
template <Real T>
class RowCosts {
 public:
  explicit RowCosts(const LinearProblem<T>& problem)
      : cost_(problem.cost), y_(problem.y), outputs_(problem.outputs) {
    if (cost_.empty() || !y_.are_labels()) return;
    table_.resize(outputs_ * outputs_);
    std::vector<double> vertex(outputs_, 0.0);
    for (std::size_t k = 0; k < outputs_; ++k) {
      vertex[k] = 1;
      cost_.write(vertex, std::span(table_).subspan(k * outputs_, outputs_));
      vertex[k] = 0;
    }
  }

  bool empty() const { return cost_.empty(); }
  /// θ += c_y of row i, of which θ holds the entries from `first` on.
  void add(std::size_t i, std::size_t first, std::span<double> theta, Workspace& scratch) const {
    if (cost_.empty()) return;
    if (!table_.empty()) {
      const double* row = table_.data() + static_cast<std::size_t>(y_.label(i)) * outputs_ + first;
      for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += row[k];
      return;
    }
    const Workspace::Frame frame(scratch);
    const auto target = scratch.take<double>(outputs_);
    const auto cost = scratch.take<double>(outputs_);
    write_target(y_, i, 0, target);
    cost_.write(target, cost);
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += cost[first + k];
  }

 private:
  Cost cost_;
  Targets<T> y_;
  std::size_t outputs_;
  std::vector<double> table_;
};

}  // namespace fenchel
