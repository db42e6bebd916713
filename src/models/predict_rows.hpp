// SPDX-License-Identifier: Apache-2.0
// Predictions of any model of rows that has scores: θ first, then ŷ_Ω(θ/t).
#pragma once

#include <utility>

#include "core/mapping.hpp"
#include "fenchel/core/features.hpp"
#include "fenchel/models/model_head.hpp"

namespace fenchel {

template <class Model, Real T>
ModelPredictions predict_rows(const Model& model, const FeaturesView<T>& x, const PredictOptions& options) {
  ModelPredictions result;
  result.scores = Matrix<double>(x.rows(), model.outputs());
  result.outputs = Matrix<double>(x.rows(), model.outputs());
  result.ignored = scores(model, x, result.scores.view(), options.threads);
  result.report =
      outputs_from_scores(model, std::as_const(result.scores).view(), result.outputs.view(), options);
  check_mappings();
  return result;
}

}  // namespace fenchel
