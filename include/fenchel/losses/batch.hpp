// SPDX-License-Identifier: Apache-2.0
// Batches: the only loop over rows. Rows are grouped in blocks; threads take blocks; results have the same
// bits for any number of threads. Everything is written into the caller's buffers, and steady state
// allocates nothing per row.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/losses/cost.hpp"
#include "fenchel/losses/targets.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// How to run a batch.
struct BatchOptions {
  int threads = 0;                       ///< 0: as many as the machine offers
  std::span<const double> weights = {};  ///< one weight ≥ 0 a row; empty: all 1
  const Cost* cost = nullptr;            ///< costs added to the scores, for losses only
  bool one_vector = false;               ///< a single vector: messages name its entries without a row
  std::size_t first_row = 0;             ///< what messages call the first row, for a part of a larger batch
};

/// The weighted sum of losses, and how the predictions behind it went.
struct BatchLoss {
  double total = 0;
  Report report;
};

namespace batch {

/// ŷ_Ω of every row; `out` may be `theta` itself.
Report predict(const AnyRegularizer& omega, MatrixView<const float> theta, MatrixView<float> out,
               const BatchOptions& options = {});
Report predict(const AnyRegularizer& omega, MatrixView<const double> theta, MatrixView<double> out,
               const BatchOptions& options = {});

/// ŷ_Ω of every row, only its non-zero entries.
CsrMatrix<float> predict_csr(const AnyRegularizer& omega, MatrixView<const float> theta,
                             const BatchOptions& options = {});
CsrMatrix<double> predict_csr(const AnyRegularizer& omega, MatrixView<const double> theta,
                              const BatchOptions& options = {});

/// Ω*(θ) of every row.
Report conjugate(const AnyRegularizer& omega, MatrixView<const float> theta, std::span<double> out,
                 const BatchOptions& options = {});
Report conjugate(const AnyRegularizer& omega, MatrixView<const double> theta, std::span<double> out,
                 const BatchOptions& options = {});

/// w_i L_Ω(θ_i; y_i) of every row into `losses` (or nowhere, if empty), and their sum.
BatchLoss loss(const AnyRegularizer& omega, MatrixView<const float> theta, const Targets<float>& y,
               std::span<double> losses, const BatchOptions& options = {});
BatchLoss loss(const AnyRegularizer& omega, MatrixView<const double> theta, const Targets<double>& y,
               std::span<double> losses, const BatchOptions& options = {});

/// The same and the gradients w_i (ŷ_Ω(θ_i) − y_i), which may overwrite `theta`.
BatchLoss loss_and_gradient(const AnyRegularizer& omega, MatrixView<const float> theta,
                            const Targets<float>& y, std::span<double> losses, MatrixView<float> gradient,
                            const BatchOptions& options = {});
BatchLoss loss_and_gradient(const AnyRegularizer& omega, MatrixView<const double> theta,
                            const Targets<double>& y, std::span<double> losses, MatrixView<double> gradient,
                            const BatchOptions& options = {});

/// J_i v_i of every row, J_i the (symmetric) Jacobian of ŷ_Ω at θ_i.
Report jvp(const AnyRegularizer& omega, MatrixView<const float> theta, MatrixView<const float> v,
           MatrixView<float> out, const BatchOptions& options = {});
Report jvp(const AnyRegularizer& omega, MatrixView<const double> theta, MatrixView<const double> v,
           MatrixView<double> out, const BatchOptions& options = {});

/// prox_{τΩ} of every row.
Report prox(const AnyRegularizer& omega, MatrixView<const float> eta, double tau, MatrixView<float> out,
            const BatchOptions& options = {});
Report prox(const AnyRegularizer& omega, MatrixView<const double> eta, double tau, MatrixView<double> out,
            const BatchOptions& options = {});

}  // namespace batch
}  // namespace fenchel
