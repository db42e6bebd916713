// SPDX-License-Identifier: Apache-2.0
// A linear change of variables, W = S L⁻ᵀ U and b = c − Wᵀ mean, after which F + (l2/2)‖W‖² curves about
// alike in all directions. With the diagonal S alone, features on different scales or far from 0 cost an
// algorithm no iterations: on counts of words L-BFGS needs some hundred instead of thousands. With L as well,
// the Cholesky factor of how features vary together, dependent features cost few. Features that are never
// seen get no variables at all; their weights are 0.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/core/matrix.hpp"
#include "fenchel/training/curvature.hpp"
#include "fenchel/training/penalty.hpp"

namespace fenchel {

class Conditioning {
 public:
  /// For parameters of this shape under (l2/2)‖W‖²; their last row is the intercept if `curvature` has a
  /// mean. Where nothing is known, the variables are the parameters themselves.
  Conditioning(const Curvature& curvature, const ParameterShape& shape, double l2, int threads);
  /// Only the intercept moves: W = U, as penalties other than l2 need it.
  static Conditioning centring(const Curvature& curvature, const ParameterShape& shape, int threads);

  /// L, from the curvature between any two rows (lower triangles): one for all outputs or one for each. The
  /// variables change, their number does not.
  void join(std::span<const Matrix<double>> joint_curvature, double l2);

  /// Whether the variables are the parameters.
  bool identity() const { return identity_; }
  /// The number of variables.
  std::size_t variables() const { return rows_.size() * width_; }

  void to_parameters(std::span<const double> variables, std::span<double> w) const;
  void to_variables(std::span<const double> w, std::span<double> variables) const;
  /// ∇ by parameters to ∇ by variables, and back again. What has no variables has gradient 0.
  void gradient_to_variables(std::span<const double> gradient, std::span<double> by_variables) const;
  void gradient_to_parameters(std::span<const double> by_variables, std::span<double> gradient) const;

 private:
  struct Row {
    std::size_t at;  // among the rows of parameters
    double scale;    // S
    double mean;     // of the feature
  };

  Conditioning(const ParameterShape& shape, int threads);

  enum class Apply { product, inverse };

  void keep_all(std::span<const double> mean);
  void apply_factors(Apply apply, bool transpose, std::span<double> rows) const;
  std::span<const double> applied(Apply apply, bool transpose, std::span<const double> rows) const;
  template <class Body>
  void for_each_row(Body body) const;
  void clear_others(std::span<double> w) const;
  std::vector<double> mean_product(std::span<const double> w) const;

  std::size_t parameters_;
  std::size_t width_;
  std::size_t penalised_rows_;
  int threads_;
  bool identity_ = false;
  bool moves_ = false;  // there are means
  std::vector<Row> rows_;
  std::vector<Matrix<double>> factors_;  // L, lower triangular, for all outputs or one each; none: 1
};

}  // namespace fenchel
