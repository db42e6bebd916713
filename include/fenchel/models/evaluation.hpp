// SPDX-License-Identifier: Apache-2.0
// How good a model is on data with known targets.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/metrics/evaluate.hpp"
#include "fenchel/models/kernel_predictor.hpp"
#include "fenchel/models/linear_model.hpp"
#include "fenchel/models/model_file.hpp"
#include "fenchel/models/tagger.hpp"

namespace fenchel {

/// Metrics, and what was left out of them.
struct Evaluation {
  std::vector<metrics::Metric> metrics;
  std::size_t examples = 0;     ///< rows judged
  std::size_t dropped = 0;      ///< rows without a target
  std::size_t unseen_rows = 0;  ///< rows with a label that the model does not know
  std::size_t ignored = 0;      ///< entries of features that the model does not have
  Report report;                ///< of the predictions
  std::string_view unseen_effect = "they count as errors";  ///< what the metrics make of unseen_rows
  metrics::Details details = {};          ///< class by class, for classification, sets of labels and tokens
  std::vector<std::string> classes = {};  ///< their names: the model's, then those that training did not see
                                          ///< (taggers: those that occur, in the order of letters)
  std::map<std::string, metrics::ClassMetrics> chunks = {};  ///< taggers of chunks: by their types
};

/// Predicts every row that has a target (columns by name, as predict does), and compares.
/// `temperature` instead of the model's, if given.
Evaluation evaluate(const LinearModel& model, const Dataset& data, std::optional<double> temperature = {},
                    int threads = 0);
Evaluation evaluate(const KernelPredictor& model, const Dataset& data, std::optional<double> temperature = {},
                    int threads = 0);

/// The labels that a tagger gives to sentences with known ones (not in the tagger's numbers yet): metrics of
/// tokens (accuracy, f1_macro), of sentences (subset_accuracy), of chunks where labels look like them
/// (chunk_f1 …), the mean number of sequences that SparseMAP mixes (mean_support), and −log p of a token
/// (log_loss, CRF).
Evaluation evaluate(const Tagger& tagger, const TaggerData& data, std::optional<double> temperature = {},
                    int threads = 0);

/// The same for a model of any kind. Throws std::invalid_argument if rows meet a tagger, or sentences another
/// model.
Evaluation evaluate(const AnyModel& model, const Dataset& data, std::optional<double> temperature = {},
                    int threads = 0);
Evaluation evaluate(const AnyModel& model, const TaggerData& data, std::optional<double> temperature = {},
                    int threads = 0);

}  // namespace fenchel
