// SPDX-License-Identifier: Apache-2.0
// Dual block coordinate ascent on the Gram matrix (paper §8.2): G(W) = (λ/2)‖W‖² gives
// G*(V) = ½ λ⁻¹ tr((Y − μ)ᵀ K (Y − μ)), and the features enter through K alone. The scores Θ = K a of all
// examples, a_i = w_i (y_i − μ_i)/λ, are kept up to date: an update costs a row of K, a visit without one
// nothing. Rows of K are computed when they are first needed, and kept as far as memory allows.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "fenchel/losses/cost.hpp"
#include "fenchel/losses/targets.hpp"
#include "fenchel/models/kernel.hpp"
#include "fenchel/models/kernel_model.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {

/// What a kernel model is trained on. Views only: whoever makes it keeps the memory alive.
template <Real T>
struct KernelProblem {
  FeaturesView<T> x;  ///< one example a row; the Gram matrix where the kernel is precomputed
  Targets<T> y;
  std::size_t outputs = 0;
  AnyRegularizer omega;
  Kernel kernel = {};
  Cost cost = {};
  std::span<const double> weights = {};
  std::size_t memory = std::size_t{1} << 30;  ///< bytes for rows of the Gram matrix
};

/// Parameters are the coefficients a (examples × outputs). Needs l2 > 0 alone and a convex Ω. Converged when
/// gap ≤ tolerance · |objective|. `solver` and `start` of the options are not used.
std::unique_ptr<Algorithm> make_kernel_ascent(const KernelProblem<float>& problem,
                                              const TrainOptions& options);
std::unique_ptr<Algorithm> make_kernel_ascent(const KernelProblem<double>& problem,
                                              const TrainOptions& options);

/// A model, and how it was found.
struct KernelResult {
  KernelModel model;
  Standing standing;
  Report report;
};
KernelResult train_kernel(const KernelProblem<float>& problem, const TrainOptions& options = {});
KernelResult train_kernel(const KernelProblem<double>& problem, const TrainOptions& options = {});

}  // namespace fenchel
