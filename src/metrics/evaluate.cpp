// SPDX-License-Identifier: Apache-2.0
#include "fenchel/metrics/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/spec_reader.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/metrics/classification.hpp"
#include "fenchel/metrics/probability.hpp"
#include "fenchel/metrics/ranking.hpp"

namespace fenchel::metrics {
namespace {

using Metrics = std::vector<Metric>;
using Rows = MatrixView<const double>;

bool on_simplex(Rows rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double sum = 0;
    for (const double p : rows.row(i)) {
      if (!(p >= 0)) return false;
      sum += p;
    }
    if (!(std::abs(sum - 1) <= simplex_tolerance<double>)) return false;
  }
  return true;
}

bool in_cube(Rows rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (!std::ranges::all_of(rows.row(i), [](double p) { return p >= 0 && p <= 1; })) return false;
  }
  return true;
}

Rows scores_of(const Predictions& predictions) {
  return predictions.scores.cols() > 0 ? predictions.scores : predictions.outputs;
}

void add_averages(std::string_view suffix, const PrecisionRecall& values, Metrics& out) {
  out.push_back({fmt::format("f1_{}", suffix), values.f1});
  out.push_back({fmt::format("precision_{}", suffix), values.precision});
  out.push_back({fmt::format("recall_{}", suffix), values.recall});
}

Metrics classification(const Predictions& predictions, const Truth& truth) {
  const Rows scores = scores_of(predictions);
  const auto predicted = largest_columns(scores);
  Metrics out{{"accuracy", accuracy(truth.labels, predicted)}};
  for (const std::size_t k : {3U, 5U}) {
    if (truth.classes > k) out.push_back({fmt::format("top_{}", k), top_k_accuracy(truth.labels, scores, k)});
  }
  const auto counts = class_counts(truth.labels, predicted, std::max(truth.classes, scores.cols()));
  add_averages("micro", micro_average(counts), out);
  add_averages("macro", macro_average(counts, true), out);
  if (on_simplex(predictions.outputs)) {
    out.push_back({"log_loss", log_loss(truth.labels, predictions.outputs)});
    out.push_back({"brier", brier(truth.labels, predictions.outputs)});
    out.push_back({"calibration_error", calibration_error(truth.labels, predictions.outputs)});
  }
  out.push_back({"mean_support", mean_support(predictions.outputs)});
  return out;
}

Metrics proportions(const Predictions& predictions, const Truth& truth) {
  const Rows p = predictions.outputs;
  return {{"js", jensen_shannon(truth.rows, p)},
          {"squared_error", squared_error(truth.rows, p)},
          {"half_squared_error", half_squared_error(truth.rows, p)},
          {"log_loss", log_loss(truth.rows, p)},
          {"mean_support", mean_support(p)}};
}

Metrics multilabel(const Predictions& predictions, const Truth& truth) {
  const Rows p = predictions.outputs;
  Matrix<double> sets(p.rows(), p.cols());
  for (std::size_t i = 0; i < p.rows(); ++i) {
    for (std::size_t j = 0; j < p.cols(); ++j) sets(i, j) = p.row(i)[j] > label_threshold ? 1 : 0;
  }
  const Rows predicted = std::as_const(sets).view();
  Metrics out{{"subset_accuracy", subset_accuracy(truth.rows, predicted)},
              {"hamming_loss", hamming_loss(truth.rows, predicted)}};
  const auto counts = label_counts(truth.rows, predicted);
  add_averages("micro", micro_average(counts), out);
  add_averages("macro", macro_average(counts, false), out);
  if (in_cube(p)) {
    out.push_back({"log_loss", binary_log_loss(truth.rows, p)});
    out.push_back({"brier", squared_error(truth.rows, p)});
  }
  out.push_back({"mean_support", mean_support(p)});
  return out;
}

Metrics regression(const Predictions& predictions, const Truth& truth) {
  const Rows p = predictions.outputs;
  return {{"r_squared", r_squared(truth.rows, p)},
          {"squared_error", squared_error(truth.rows, p)},
          {"half_squared_error", half_squared_error(truth.rows, p)},
          {"absolute_error", absolute_error(truth.rows, p)}};
}

std::vector<double> first_column(Rows rows) {
  std::vector<double> column(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) column[i] = rows.row(i)[0];
  return column;
}

Metrics ranking(const Predictions& predictions, const Truth& truth) {
  const auto relevance = first_column(truth.rows);
  const auto scores = first_column(scores_of(predictions));
  const std::vector<std::int64_t> all{0, static_cast<std::int64_t>(relevance.size())};
  const std::span<const std::int64_t> queries = truth.queries.empty() ? std::span(all) : truth.queries;
  return {{"ndcg_10", mean_ndcg(relevance, scores, queries, 10).mean},
          {"ndcg_5", mean_ndcg(relevance, scores, queries, 5).mean},
          {"ndcg", mean_ndcg(relevance, scores, queries, 0).mean},
          {"kendall_tau", mean_kendall_tau(relevance, scores, queries).mean},
          {"spearman", mean_spearman(relevance, scores, queries).mean}};
}

Metrics label_ranking(const Predictions& predictions, const Truth& truth) {
  const Rows scores = scores_of(predictions);
  check_size("a row of predictions", scores.cols(), truth.rows.cols());
  std::vector<double> worths, predicted;
  std::vector<std::int64_t> rows{0};
  for (std::size_t i = 0; i < truth.rows.rows(); ++i) {
    worths.insert(worths.end(), truth.rows.row(i).begin(), truth.rows.row(i).end());
    predicted.insert(predicted.end(), scores.row(i).begin(), scores.row(i).end());
    rows.push_back(static_cast<std::int64_t>(worths.size()));
  }
  return {{"kendall_tau", mean_kendall_tau(worths, predicted, rows).mean},
          {"spearman", mean_spearman(worths, predicted, rows).mean},
          {"accuracy", accuracy(largest_columns(truth.rows), largest_columns(scores))}};
}

}  // namespace

const std::vector<MetricInfo>& metric_list() {
  static const std::vector<MetricInfo> list{
      {"accuracy", true, "share of right classes (tokens; first places of rankings)"},
      {"top_3", true, "share of rows whose class has one of the 3 largest scores"},
      {"top_5", true, "share of rows whose class has one of the 5 largest scores"},
      {"subset_accuracy", true, "share of label sets that are right as a whole"},
      {"hamming_loss", false, "share of wrong labels"},
      {"f1_micro", true, "F1 of all classes together"},
      {"precision_micro", true, "precision of all classes together"},
      {"recall_micro", true, "recall of all classes together"},
      {"f1_macro", true, "mean F1 of the classes"},
      {"precision_macro", true, "mean precision of the classes"},
      {"recall_macro", true, "mean recall of the classes"},
      {"chunk_f1", true, "F1 of chunks of tokens"},
      {"chunk_precision", true, "precision of chunks of tokens"},
      {"chunk_recall", true, "recall of chunks of tokens"},
      {"sequence_accuracy", true, "share of sequences that are right as a whole"},
      {"js", false, "mean Jensen-Shannon divergence, natural logarithm"},
      {"squared_error", false, "mean ‖p − y‖²"},
      {"half_squared_error", false, "mean ½‖p − y‖²"},
      {"log_loss", false, "mean −log of the probability of the truth, zeros taken as 2.2e-16"},
      {"brier", false, "mean ‖p − y‖² of probabilities"},
      {"calibration_error", false, "mean distance of confidence and accuracy over 15 bins"},
      {"r_squared", true, "1 − squared error over that of the mean"},
      {"absolute_error", false, "mean |p − y|"},
      {"ndcg_10", true, "normalised discounted gain of the first 10 places"},
      {"ndcg_5", true, "normalised discounted gain of the first 5 places"},
      {"ndcg", true, "normalised discounted gain of all places"},
      {"kendall_tau", true, "mean τ_b of the orders"},
      {"spearman", true, "mean correlation of ranks"},
      {"mean_support", false, "mean number of outputs that are not 0"}};
  return list;
}

const MetricInfo& find_metric(std::string_view name) {
  std::vector<std::string_view> names;
  for (const MetricInfo& info : metric_list()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw std::invalid_argument(fmt::format("unknown metric '{}'{}", name, spec::suggestion(name, names)));
}

std::string_view default_metric(Task task) {
  switch (task) {
    case Task::classification:
    case Task::tagging:
      return "accuracy";
    case Task::proportions:
      return "js";
    case Task::multilabel:
      return "f1_micro";
    case Task::regression:
      return "squared_error";
    case Task::ranking:
      return "ndcg_10";
    case Task::label_ranking:
      return "kendall_tau";
  }
  return "accuracy";
}

std::vector<Metric> evaluate(Task task, const Predictions& predictions, const Truth& truth) {
  const bool labels = task == Task::classification || task == Task::tagging;
  check_size("predictions", predictions.outputs.rows(), labels ? truth.labels.size() : truth.rows.rows());
  check_size("scores", scores_of(predictions).rows(), predictions.outputs.rows());
  switch (task) {
    case Task::classification:
    case Task::tagging:
      return classification(predictions, truth);
    case Task::proportions:
      return proportions(predictions, truth);
    case Task::multilabel:
      return multilabel(predictions, truth);
    case Task::regression:
      return regression(predictions, truth);
    case Task::ranking:
      return ranking(predictions, truth);
    case Task::label_ranking:
      return label_ranking(predictions, truth);
  }
  return {};
}

double value_of(std::span<const Metric> metrics, std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.name == name) return metric.value;
  }
  find_metric(name);
  throw std::invalid_argument(
      fmt::format("the metric '{}' is not one of this task and these predictions", name));
}

}  // namespace fenchel::metrics
