// SPDX-License-Identifier: Apache-2.0
// What models of rows have in common, however they compute their scores θ: the task, Ω, what the outputs are
// called, how features are scaled, and the prediction ŷ_{tΩ}(θ) = ŷ_Ω(θ/t).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/nominal_column.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/scaler.hpp"
#include "fenchel/core/task.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/models/certificate.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/regularizers/shannon.hpp"

namespace fenchel {

/// Everything about a model but its scores.
struct ModelHead {
  Task task = Task::classification;
  std::string loss_name = "logistic";      ///< what it was trained with, as resolve_loss reads it
  FenchelYoungLoss loss = Shannon{};       ///< ranking: of two documents
  LossOfSize losses = {};                  ///< ranking: by the number of documents; empty: from loss_name
  Scaler scaler;                           ///< applied to the features first
  std::vector<std::string> classes;        ///< one per output; empty for regression and ranking
  std::vector<std::string> feature_names;  ///< empty, or one per feature
  std::vector<double> fill;  ///< empty, or what stands for a missing value, one per feature: Dataset::fill
  std::vector<NominalColumn> nominal;             ///< columns with names for values: Dataset::nominal
  std::string target;                             ///< the name of the target column there; empty: it had none
  bool zero_based = false;                        ///< svmlight indices of its training data began at 0
  DataFormat format = DataFormat::automatic;      ///< of its training data, as ReadOptions::known_format
  double temperature = 1;                         ///< t of ŷ_{tΩ}(θ) = ŷ_Ω(θ/t) (paper §8.1, remark)
  std::map<std::string, std::string> provenance;  ///< what it was trained on, and how
  std::shared_ptr<const Certificate> certificate;  ///< how good it is, where it was asked for

  /// Throws std::invalid_argument if these do not fit that many features and outputs.
  void check(std::size_t features, std::size_t outputs) const;
};

/// How to predict.
struct PredictOptions {
  std::optional<double> temperature = {};      ///< instead of the model's
  std::span<const std::int64_t> queries = {};  ///< ranking: as in Dataset; all rows are one query if empty
  int threads = 0;                             ///< 0: as many as the machine offers
  std::string_view source = "the data";        ///< where the rows are from, for messages
  std::size_t rows_before = 0;                 ///< of the source that were predicted before, for messages
  bool token_outputs = false;                  ///< taggers: also what each label gets at each token
};

/// Scores and predictions, one example per row.
struct ModelPredictions {
  Matrix<double> scores;    ///< θ
  Matrix<double> outputs;   ///< ŷ_Ω(θ/t); ranking: the worth that a document gets among those of its query
  Report report;            ///< of the predictions
  std::size_t ignored = 0;  ///< features out of the model's range
};
/// ŷ_Ω(θ/t) from scores, t the model's or that of the options.
Report outputs_from_scores(const ModelHead& model, MatrixView<const double> theta, MatrixView<double> out,
                           const PredictOptions& options = {});

/// Only the entries that are not 0; overwrites the scores.
CsrMatrix<double> outputs_from_scores_csr(const ModelHead& model, MatrixView<double> theta,
                                          const PredictOptions& options = {});

/// What one row of scores and outputs says, as indices of classes: the class of the largest score
/// (classification, proportions), a set of labels (multilabel: `predicted_set`), or all classes from best to
/// worst (label-ranking). Nothing for numbers, documents and structures.
std::vector<std::int32_t> predicted_labels(const ModelHead& model, std::span<const double> theta,
                                           std::span<const double> output);

/// Zeros and ones of a set of labels, or a structure. Where Ω is over a set of structures (k labels of d,
/// say), it is one of them: the best by its score if Ω is 0 at all of them, else the one nearest to ŷ.
/// Elsewhere it is the labels whose output is above ½.
void predicted_set(const AnyRegularizer& omega, std::span<const double> theta, std::span<const double> output,
                   std::span<double> set);
/// The structure y of a set that is nearest to a point p of its convex hull, where structures are of zeros
/// and ones, or all of one norm and one sum; elsewhere the one with the largest ⟨p − ½, y⟩.
void nearest_structure(const AnyPolytope& set, std::span<const double> point, std::span<double> structure);
/// predicted_set of each row.
Matrix<double> predicted_sets(const AnyRegularizer& omega, MatrixView<const double> theta,
                              MatrixView<const double> outputs);

}  // namespace fenchel
