// SPDX-License-Identifier: Apache-2.0
// A kernel expansion θ(x) = Σ_i a_i k(x_i, x) over the examples whose dual variables are not their targets,
// a_i = w_i (y_i − μ_i)/λ (paper §8.2): the sparser the μ_i, the fewer they are and the fewer entries they
// have.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/core/features.hpp"
#include "fenchel/core/matrix.hpp"
#include "fenchel/models/kernel_function.hpp"

namespace fenchel {

/// Everything that predictions need; nothing of the other training examples is kept.
struct KernelModel {
  Kernel kernel;
  std::size_t features = 0;  ///< of a row to predict; those of training where precomputed
  std::size_t outputs = 0;
  std::vector<std::size_t> support;  ///< the numbers of these examples in training
  Matrix<double> dense;              ///< their rows, where features were dense
  CsrMatrix<double> sparse;          ///< their rows, where features were sparse
  CsrMatrix<double> coefficients;    ///< a_i, one row for each of them

  /// θ of every row of x, which may be dense or sparse whatever the support is. Throws
  /// std::invalid_argument unless x has `features` columns and out x.rows() × outputs.
  void scores(const FeaturesView<float>& x, MatrixView<double> out, int threads = 0) const;
  void scores(const FeaturesView<double>& x, MatrixView<double> out, int threads = 0) const;
};

/// The model of coefficients a (examples × outputs) on rows x; rows of zeros are left out.
KernelModel make_kernel_model(const Kernel& kernel, const FeaturesView<float>& x,
                              MatrixView<const double> coefficients);
KernelModel make_kernel_model(const Kernel& kernel, const FeaturesView<double>& x,
                              MatrixView<const double> coefficients);

}  // namespace fenchel
