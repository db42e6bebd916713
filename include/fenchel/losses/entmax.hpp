// SPDX-License-Identifier: Apache-2.0
// α-entmax and its loss over rows that may each have their own α, with derivatives in α: what a layer with
// learnable α needs (Tsallis has the formulas). Runs of rows with one α go through the kernels of that α;
// results have the same bits for any number of threads.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/views.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/losses/targets.hpp"

namespace fenchel {

/// Where derivatives go; an empty span of `alpha` is not written.
template <Real T>
struct EntmaxDerivatives {
  MatrixView<T> theta;
  std::span<double> alpha = {};  ///< one per row
};

namespace batch {

// `alphas` holds one α > 0 for all rows, or one per row.

/// The α-entmax of every row.
void entmax(MatrixView<const float> theta, std::span<const double> alphas, MatrixView<float> out,
            const BatchOptions& options = {});
void entmax(MatrixView<const double> theta, std::span<const double> alphas, MatrixView<double> out,
            const BatchOptions& options = {});

/// J v and ⟨∂ŷ/∂α, v⟩ of every row, from the predictions ŷ alone.
void entmax_backward(MatrixView<const float> prediction, std::span<const double> alphas,
                     MatrixView<const float> v, const EntmaxDerivatives<float>& derivatives,
                     const BatchOptions& options = {});
void entmax_backward(MatrixView<const double> prediction, std::span<const double> alphas,
                     MatrixView<const double> v, const EntmaxDerivatives<double>& derivatives,
                     const BatchOptions& options = {});

/// L(θ; y) of every row, its gradient ŷ − y and ∂L/∂α.
void entmax_loss(MatrixView<const float> theta, std::span<const double> alphas, const Targets<float>& y,
                 std::span<double> losses, const EntmaxDerivatives<float>& derivatives,
                 const BatchOptions& options = {});
void entmax_loss(MatrixView<const double> theta, std::span<const double> alphas, const Targets<double>& y,
                 std::span<double> losses, const EntmaxDerivatives<double>& derivatives,
                 const BatchOptions& options = {});

}  // namespace batch
}  // namespace fenchel
