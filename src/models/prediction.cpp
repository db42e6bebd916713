// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/prediction.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "fenchel/core/workspace.hpp"
#include "models/features_for.hpp"
#include "models/model_for.hpp"

namespace fenchel {
namespace {

template <class Model>
Predictions predict_rows(const Model& model, const Dataset& data, PredictOptions options) {
  if (options.queries.empty()) options.queries = data.queries;
  if (!data.source.empty()) options.source = data.source;
  Predictions result;
  static_cast<ModelPredictions&>(result) =
      features_for(model, data).visit([&](const auto& x) { return predict(model, x, options); });
  result.task = model.task;
  result.classes = model.classes;
  if (has_classes(model.task)) {
    result.labels.reserve(result.rows());
    for (std::size_t i = 0; i < result.rows(); ++i) {
      result.labels.push_back(predicted_labels(model, result.scores.row(i), result.outputs.row(i)));
    }
  } else if (model.task == Task::structured) {
    result.structures = predicted_sets(model.loss.omega(), result.scores.view(), result.outputs.view());
  }
  return result;
}

}  // namespace

std::vector<std::string_view> Predictions::names(std::size_t row) const {
  std::vector<std::string_view> result;
  if (labels.empty()) return result;
  for (const std::int32_t label : labels.at(row)) result.push_back(classes[static_cast<std::size_t>(label)]);
  return result;
}

std::string_view Predictions::label(std::size_t row) const {
  const std::vector<std::string_view> all = names(row);
  if (all.empty()) {
    throw std::invalid_argument(
        fmt::format("row {} has no label; the model is for {}", row, to_string(task)));
  }
  return all.front();
}

Predictions predict(const LinearModel& model, const Dataset& data, const PredictOptions& options) {
  return predict_rows(model, data, options);
}
Predictions predict(const KernelPredictor& model, const Dataset& data, const PredictOptions& options) {
  return predict_rows(model, data, options);
}

TagPredictions predict(const Tagger& tagger, const TaggerData& data, const PredictOptions& options) {
  const TaggerData numbered = renumber(data, tagger);
  const TagPredictor predictor(tagger, options.temperature.value_or(tagger.temperature));
  TagPredictions result{.tags = predictor.tag(numbered, options.threads),
                        .sentences = numbered.sentences,
                        .labels = tagger.labels,
                        .outputs = {},
                        .report = {}};
  if (!options.token_outputs) return result;
  const std::size_t labels = predictor.labels();
  result.outputs = Matrix<double>(numbered.tokens(), labels);
  for (std::size_t s = 0; s < numbered.sentence_count(); ++s) {
    const auto first = static_cast<std::size_t>(numbered.sentences[s]);
    const auto count = static_cast<std::size_t>(numbered.sentences[s + 1]) - first;
    const auto out = result.outputs.entries().subspan(first * labels, count * labels);
    result.report = worst(result.report, predictor.outputs(sentence(numbered, s), out, thread_workspace()));
  }
  return result;
}

Predictions predict(const AnyModel& model, const Dataset& data, const PredictOptions& options) {
  return with_model_for<Predictions, Dataset>(model,
                                              [&](const auto& one) { return predict(one, data, options); });
}
TagPredictions predict(const AnyModel& model, const TaggerData& data, const PredictOptions& options) {
  return with_model_for<TagPredictions, TaggerData>(
      model, [&](const auto& one) { return predict(one, data, options); });
}

}  // namespace fenchel
