// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/evaluation.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "data/label_rows.hpp"
#include "fenchel/models/task_targets.hpp"
#include "models/features_for.hpp"
#include "models/judge.hpp"
#include "models/model_for.hpp"

namespace fenchel {
namespace {

std::string no_targets(const ModelHead& model, const Dataset& data) {
  return fmt::format(
      "{}: no example has a target for {}{}", data.source, to_string(model.task),
      model.target.empty() ? "" : fmt::format("; expected column {}", in_quotes(model.target)));
}

template <class Model>
Evaluation evaluate_rows(const Model& model, const Dataset& data, std::optional<double> temperature,
                         int threads) {
  const Features known = features_for(model, data);
  const bool judged = data.labels.rows() > 0 || !data.values.empty() || model.task == Task::structured;
  if (!judged) throw std::invalid_argument(no_targets(model, data));
  const TaskTargets targets = make_targets(data, model.task, model.classes, model.outputs());
  if (targets.examples() == 0) {
    throw std::invalid_argument(no_targets(model, data));
  }
  const bool all = targets.examples() == data.rows();
  const Features x = all ? known : select_rows({.x = known}, targets.kept).x;
  PredictOptions options{.temperature = temperature, .queries = targets.queries, .threads = threads};
  if (!data.source.empty()) options.source = data.source;
  const ModelPredictions predictions =
      x.visit([&](const auto& view) { return predict(model, view, options); });
  Evaluation result;
  result.metrics =
      judge(model, predictions.scores.view(), predictions.outputs.view(), targets.truth(), &result.details);
  result.examples = targets.examples();
  result.dropped = targets.dropped;
  result.unseen_rows = targets.unseen_rows;
  result.ignored = predictions.ignored;
  result.report = predictions.report;
  if (model.task == Task::label_ranking) result.unseen_effect = "these labels are left out of their orders";
  result.classes = targets.classes;
  return result;
}

template <class Data>
Evaluation evaluate_any(const AnyModel& model, const Data& data, std::optional<double> temperature,
                        int threads) {
  return with_model_for<Evaluation, Data>(
      model, [&](const auto& one) { return evaluate(one, data, temperature, threads); });
}

}  // namespace

Evaluation evaluate(const LinearModel& model, const Dataset& data, std::optional<double> temperature,
                    int threads) {
  return evaluate_rows(model, data, temperature, threads);
}
Evaluation evaluate(const KernelPredictor& model, const Dataset& data, std::optional<double> temperature,
                    int threads) {
  return evaluate_rows(model, data, temperature, threads);
}

Evaluation evaluate(const AnyModel& model, const Dataset& data, std::optional<double> temperature,
                    int threads) {
  return evaluate_any(model, data, temperature, threads);
}
Evaluation evaluate(const AnyModel& model, const TaggerData& data, std::optional<double> temperature,
                    int threads) {
  return evaluate_any(model, data, temperature, threads);
}

}  // namespace fenchel
