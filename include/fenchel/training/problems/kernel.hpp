// SPDX-License-Identifier: Apache-2.0
// The training problem of kernel models (paper §8.2): G(W) = (λ/2)‖W‖², and features enter through the Gram
// matrix K of a kernel alone. Parameters are the coefficients a_i = w_i (y_i − μ_i)/λ (examples × outputs) of
// θ(x) = Σ_i a_i k(x_i, x).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "fenchel/core/features.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/losses/targets.hpp"
#include "fenchel/models/kernel_function.hpp"
#include "fenchel/training/penalty.hpp"

namespace fenchel {

/// A Gram matrix in memory, which fits of one kernel on the same examples can share: see `tune`.
template <Real T>
class GramMatrix;

/// What a kernel model is trained on. Views only: whoever makes it keeps the memory alive.
template <Real T>
struct KernelProblem {
  FeaturesView<T> x;  ///< one example per row; the Gram matrix where the kernel is precomputed
  Targets<T> y;
  std::size_t outputs = 0;
  FenchelYoungLoss loss;
  Kernel kernel = {};
  std::span<const double> weights = {};
  std::size_t memory = std::size_t{1} << 30;      ///< bytes for rows of the Gram matrix
  std::shared_ptr<GramMatrix<T>> gram = nullptr;  ///< the matrix, where fits share it; else each has its own

  std::size_t examples() const { return x.rows(); }
  ParameterShape shape() const { return {x.rows() * outputs, x.rows() * outputs, outputs}; }
};

/// Throws std::invalid_argument as for linear problems, and if a parameter of the kernel is out of range.
void check_problem(const KernelProblem<float>& problem);
void check_problem(const KernelProblem<double>& problem);

}  // namespace fenchel
