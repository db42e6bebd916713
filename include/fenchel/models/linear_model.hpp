// SPDX-License-Identifier: Apache-2.0
// Linear models θ = Wᵀx + b with the prediction ŷ_Ω(θ): classifiers, label sets, numbers, orders of classes,
// and orders of the documents of a query (one output, Ω over the permutahedron of the query's size).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/core/features.hpp"
#include "fenchel/models/model_head.hpp"

namespace fenchel {

/// A trained linear model.
struct LinearModel : ModelHead {
  Matrix<double> weights;         ///< features × outputs, of scaled features
  std::vector<double> intercept;  ///< one per output; none if empty

  std::size_t features() const { return weights.rows(); }
  std::size_t outputs() const { return weights.cols(); }
  /// Takes weights and intercept out of a problem's parameters: rows of `outputs` entries for each feature,
  /// and one more for the intercept if there is one.
  void set_parameters(std::span<const double> parameters, std::size_t features, std::size_t outputs);
  /// The inverse: a warm start, with a row for the intercept if asked for.
  std::vector<double> parameters(bool with_intercept) const;
  /// Scores and predictions of the rows of x, which is not scaled yet.
  ModelPredictions predict(const Features& x, const PredictOptions& options = {}) const;
  /// Throws std::invalid_argument if parts do not fit each other or are not finite.
  void check() const;
};

/// The model with the same scores that scales features in another way: Scaler{} for weights of features as
/// they come.
LinearModel rescaled(const LinearModel& model, const Scaler& scaler);

/// θ of every row of x, which is not scaled yet. Columns that the model does not have are ignored, those that
/// x does not have are 0. Returns how many non-zero entries were ignored.
std::size_t scores(const LinearModel& model, const FeaturesView<float>& x, MatrixView<double> theta,
                   int threads = 0);
std::size_t scores(const LinearModel& model, const FeaturesView<double>& x, MatrixView<double> theta,
                   int threads = 0);

/// Scores and predictions, one example per row.
ModelPredictions predict(const LinearModel& model, const FeaturesView<float>& x,
                         const PredictOptions& options = {});
ModelPredictions predict(const LinearModel& model, const FeaturesView<double>& x,
                         const PredictOptions& options = {});
/// Only the entries of the outputs that are not 0.
CsrMatrix<double> predict_csr(const LinearModel& model, const FeaturesView<float>& x,
                              const PredictOptions& options = {});
CsrMatrix<double> predict_csr(const LinearModel& model, const FeaturesView<double>& x,
                              const PredictOptions& options = {});

}  // namespace fenchel
