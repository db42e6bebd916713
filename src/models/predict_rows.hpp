// SPDX-License-Identifier: Apache-2.0
// Predictions of any model of rows that has scores: θ first, then ŷ_Ω(θ/t).
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/mapping.hpp"
#include "fenchel/core/features.hpp"
#include "fenchel/models/model_head.hpp"

namespace fenchel {

/// Throws std::invalid_argument about the first row with a score that left the range of numbers.
inline void check_row_scores(MatrixView<const double> theta, const PredictOptions& options) {
  for (std::size_t i = 0; i < theta.rows(); ++i) {
    for (const double score : theta.row(i)) {
      if (std::isfinite(score)) continue;
      throw std::invalid_argument(
          fmt::format("{}: row {} has the score {}; its features are too large for the model", options.source,
                      options.rows_before + i + 1, score));
    }
  }
}

template <class Model, Real T>
ModelPredictions predict_rows(const Model& model, const FeaturesView<T>& x, const PredictOptions& options) {
  ModelPredictions result;
  result.scores = Matrix<double>(x.rows(), model.outputs());
  result.outputs = Matrix<double>(x.rows(), model.outputs());
  result.ignored = scores(model, x, result.scores.view(), options.threads);
  check_row_scores(std::as_const(result.scores).view(), options);
  result.report =
      outputs_from_scores(model, std::as_const(result.scores).view(), result.outputs.view(), options);
  check_mappings();
  return result;
}

}  // namespace fenchel
