// SPDX-License-Identifier: Apache-2.0
// Ragged batches: every example has its own loss, over its own polytope, and rows of its own length. The loop
// is that of batches of rows: threads take blocks of examples, results have the same bits for any number of
// threads, and steady state allocates nothing per example.
#pragma once

#include <span>

#include "fenchel/core/views.hpp"
#include "fenchel/losses/fenchel_young.hpp"

namespace fenchel::batch {

/// ŷ_Ω of every example; `out` may be `theta` itself.
Report predict(std::span<const FenchelYoungLoss> losses, RaggedView<const float> theta, RaggedView<float> out,
               const BatchOptions& options = {});
Report predict(std::span<const FenchelYoungLoss> losses, RaggedView<const double> theta,
               RaggedView<double> out, const BatchOptions& options = {});

/// Ω*(θ) of every example.
Report conjugate(std::span<const FenchelYoungLoss> losses, RaggedView<const float> theta,
                 std::span<double> out, const BatchOptions& options = {});
Report conjugate(std::span<const FenchelYoungLoss> losses, RaggedView<const double> theta,
                 std::span<double> out, const BatchOptions& options = {});

/// w_i L_Ω(θ_i; y_i) of every example into `values` (or nowhere, if empty), and their sum.
BatchLoss loss(std::span<const FenchelYoungLoss> losses, RaggedView<const float> theta,
               RaggedView<const float> y, std::span<double> values, const BatchOptions& options = {});
BatchLoss loss(std::span<const FenchelYoungLoss> losses, RaggedView<const double> theta,
               RaggedView<const double> y, std::span<double> values, const BatchOptions& options = {});

/// The same and the gradients w_i (ŷ_Ω(θ_i) − y_i), which may overwrite `theta`.
BatchLoss loss_and_gradient(std::span<const FenchelYoungLoss> losses, RaggedView<const float> theta,
                            RaggedView<const float> y, std::span<double> values, RaggedView<float> gradient,
                            const BatchOptions& options = {});
BatchLoss loss_and_gradient(std::span<const FenchelYoungLoss> losses, RaggedView<const double> theta,
                            RaggedView<const double> y, std::span<double> values, RaggedView<double> gradient,
                            const BatchOptions& options = {});

/// J_i v_i of every example, J_i the (symmetric) Jacobian of ŷ_Ω at θ_i.
Report jvp(std::span<const FenchelYoungLoss> losses, RaggedView<const float> theta, RaggedView<const float> v,
           RaggedView<float> out, const BatchOptions& options = {});
Report jvp(std::span<const FenchelYoungLoss> losses, RaggedView<const double> theta,
           RaggedView<const double> v, RaggedView<double> out, const BatchOptions& options = {});

}  // namespace fenchel::batch
