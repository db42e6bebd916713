// SPDX-License-Identifier: Apache-2.0
// What a model of any kind says of data: scores, outputs ŷ_Ω(θ/t), and the answers by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/models/kernel_predictor.hpp"
#include "fenchel/models/linear_model.hpp"
#include "fenchel/models/model_file.hpp"
#include "fenchel/models/tagger.hpp"

namespace fenchel {

/// Of rows, one example each. The answer of regression is a row of `outputs`, that of rankings of documents
/// one of `scores`.
struct Predictions : ModelPredictions {
  Task task = Task::classification;
  std::vector<std::string> classes;               ///< the model's; empty for tasks without
  std::vector<std::vector<std::int32_t>> labels;  ///< of each row, as predicted_labels has them; see `names`
  Matrix<double> structures;                      ///< the structured task: predicted_set of each row

  std::size_t rows() const { return outputs.rows(); }
  /// The class (classification, proportions), the labels of a set, or all classes from best to worst.
  std::vector<std::string_view> names(std::size_t row) const;
  /// The first of them. Throws std::invalid_argument if there is none.
  std::string_view label(std::size_t row) const;
};

/// Of sentences.
struct TagPredictions {
  std::vector<std::int32_t> tags;       ///< a best sequence: of each token, in the tagger's numbers
  std::vector<std::int64_t> sentences;  ///< as in TaggerData: where each begins, and the end
  StringTable labels;                   ///< the tagger's
  Matrix<double> outputs;  ///< [tokens, labels] ŷ_Ω, if asked for: PredictOptions::token_outputs
  Report report;           ///< of these

  std::string_view tag(std::size_t token) const { return labels[tags[token]]; }
};

/// Predictions of all rows, with or without targets. Columns are known by name where the model and the data
/// have names; std::invalid_argument where one is missing, or its words have other numbers (read_for reads
/// them right). Queries of rankings are those of the data, unless the options have some.
Predictions predict(const LinearModel& model, const Dataset& data, const PredictOptions& options = {});
Predictions predict(const KernelPredictor& model, const Dataset& data, const PredictOptions& options = {});

/// Tags of sentences whose numbers are not the tagger's yet.
TagPredictions predict(const Tagger& tagger, const TaggerData& data, const PredictOptions& options = {});

/// The same for a model of any kind. Throws std::invalid_argument if rows meet a tagger, or sentences another
/// model.
Predictions predict(const AnyModel& model, const Dataset& data, const PredictOptions& options = {});
TagPredictions predict(const AnyModel& model, const TaggerData& data, const PredictOptions& options = {});

}  // namespace fenchel
