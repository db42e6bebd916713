// SPDX-License-Identifier: Apache-2.0
// A quadratic model of F along one output of a linear model, for coordinate descent:
//   q(d) = ⟨g, d⟩ + ½ Σ_i h_i (Σ_j d_j (x_ij − c_j))²,   h_i what example i curves.
// A step of one weight costs as much as its feature has entries, also where features are centred by c and for
// an intercept (an empty feature with c = −1): what all examples share is kept apart from what each has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/numeric.hpp"

namespace fenchel {

template <Real T>
class ColumnModel {
 public:
  /// `centre` may be empty. The columns and it must outlive the model.
  ColumnModel(const CsrView<T>& columns, std::span<const double> centre, bool intercept)
      : columns_(columns),
        centre_(centre),
        shared_(intercept || !centre.empty()),
        bent_(columns.cols()),
        curvatures_(columns.rows() + 1),
        sums_(columns.rows() + 1) {}

  /// d = 0, with other h. The span must stay as it is until the next call.
  void begin(std::span<const double> h) {
    h_ = h;
    total_ = shared_ ? sum_of(h) : 0;
    level_ = 0;
    bent_sum_ = 0;
    std::ranges::fill(bent_, 0.0);
  }
  /// What q curves in weight j, found anew.
  double measure(std::size_t j) {
    double squares = 0, sum = 0;
    if (j < columns_.rows()) {
      const auto rows = columns_.indices(j);
      const auto values = columns_.values(j);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        const double x = static_cast<double>(values[e]);
        const double part = x * h_[static_cast<std::size_t>(rows[e])];
        sum += part;
        squares += x * part;
      }
    }
    const double c = centre(j);
    sums_[j] = sum;
    return curvatures_[j] = squares + (shared_ ? c * (c * total_ - 2 * sum) : 0);
  }
  /// That which was measured last.
  double curvature(std::size_t j) const { return curvatures_[j]; }

  /// ∂(q − ⟨g, d⟩)/∂d_j.
  double slope(std::size_t j) const {
    const double sum = j < columns_.rows() ? product(j) : 0;
    return shared_ ? sum + level_ * sums_[j] - centre(j) * (bent_sum_ + level_ * total_) : sum;
  }
  /// d_j += step, for a weight that was measured.
  void move(std::size_t j, double step) {
    if (j < columns_.rows()) {
      const auto rows = columns_.indices(j);
      const auto values = columns_.values(j);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        const auto i = static_cast<std::size_t>(rows[e]);
        bent_[i] += step * static_cast<double>(values[e]) * h_[i];
      }
    }
    bent_sum_ += step * sums_[j];
    level_ -= step * centre(j);
  }

  /// What moves of other outputs add to the slope of example i's score.
  void bend(std::size_t i, double by) { bent_[i] += by; }
  /// To be called after bend: sums are made anew.
  void settle() { bent_sum_ = shared_ ? sum_of(bent_) : 0; }
  /// The slope of example i's score that its own entries made, and the score that all examples gained.
  double bent(std::size_t i) const { return bent_[i]; }
  double level() const { return level_; }
  std::span<const double> h() const { return h_; }

 private:
  // Σ_i x_ij bent_i in four sums, which need not wait for each other.
  double product(std::size_t j) const {
    const auto rows = columns_.indices(j);
    const auto values = columns_.values(j);
    const auto term = [&](std::size_t e) {
      return static_cast<double>(values[e]) * bent_[static_cast<std::size_t>(rows[e])];
    };
    double sums[4] = {};
    std::size_t e = 0;
    for (; e + 4 <= rows.size(); e += 4) {
      for (std::size_t k = 0; k < 4; ++k) sums[k] += term(e + k);
    }
    for (; e < rows.size(); ++e) sums[0] += term(e);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  double centre(std::size_t j) const {
    if (j == columns_.rows()) return -1;
    return centre_.empty() ? 0 : centre_[j];
  }

  CsrView<T> columns_;
  std::span<const double> centre_;
  bool shared_;  // there is something that all examples share
  std::span<const double> h_;
  std::vector<double> bent_;                     // h_i Σ_j d_j x_ij and what others added
  std::vector<double> curvatures_, sums_;        // of weight j: ∂²q, Σ_i h_i x_ij
  double total_ = 0, level_ = 0, bent_sum_ = 0;  // Σ h, −Σ_j d_j c_j, Σ bent
};

}  // namespace fenchel
