// SPDX-License-Identifier: Apache-2.0
// A kernel expansion with what makes a model of it: predictions as those of linear models, from the scores
// θ(x) = Σ_i a_i k(x_i, x) of the examples that the dual variables left (paper §8.2).
#pragma once

#include <cstddef>

#include "fenchel/core/features.hpp"
#include "fenchel/models/kernel_model.hpp"
#include "fenchel/models/model_head.hpp"

namespace fenchel {

/// A trained kernel model. The rows of the expansion are scaled already.
struct KernelPredictor : ModelHead {
  KernelModel expansion;

  std::size_t features() const { return expansion.features; }
  std::size_t outputs() const { return expansion.outputs; }
  /// Throws std::invalid_argument if parts do not fit each other or are not finite.
  void check() const;
};

/// θ of every row of x, which is not scaled yet. Columns that the model does not have are ignored, those that
/// x does not have are 0; a precomputed kernel takes rows of the right size only. Returns how many non-zero
/// entries were ignored.
std::size_t scores(const KernelPredictor& model, const FeaturesView<float>& x, MatrixView<double> theta,
                   int threads = 0);
std::size_t scores(const KernelPredictor& model, const FeaturesView<double>& x, MatrixView<double> theta,
                   int threads = 0);

ModelPredictions predict(const KernelPredictor& model, const FeaturesView<float>& x,
                         const PredictOptions& options = {});
ModelPredictions predict(const KernelPredictor& model, const FeaturesView<double>& x,
                         const PredictOptions& options = {});

}  // namespace fenchel
