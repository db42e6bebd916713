// SPDX-License-Identifier: Apache-2.0
#include "fenchel/metrics/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/spec_reader.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/metrics/classification.hpp"
#include "fenchel/metrics/probability.hpp"
#include "fenchel/metrics/ranking.hpp"

namespace fenchel::metrics {
namespace {

using Rows = MatrixView<const double>;
using Numbers = std::vector<double>;

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

Numbers first_column(Rows rows) {
  Numbers column(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) column[i] = rows.row(i)[0];
  return column;
}

Numbers all_entries(Rows rows) {
  Numbers entries;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    entries.insert(entries.end(), rows.row(i).begin(), rows.row(i).end());
  }
  return entries;
}

Rows scores_of(const Predictions& predictions) {
  return predictions.scores.cols() > 0 ? predictions.scores : predictions.outputs;
}

// Predictions and truth as metrics take them; what several of them share is computed once.
class Judged {
 public:
  Judged(Task task, const Predictions& predictions, const Truth& truth)
      : p(predictions.outputs),
        y(truth.rows),
        scores(scores_of(predictions)),
        task_(task),
        truth_(truth),
        given_sets_(predictions.sets) {}

  Rows p, y, scores;

  bool sets() const { return task_ == Task::multilabel; }
  bool structures() const { return task_ == Task::structured; }
  bool shares() const { return task_ == Task::proportions; }
  std::span<const std::int32_t> labels() const { return truth_.labels; }
  std::size_t classes() const { return truth_.classes; }
  bool probabilities() {
    return kept(probabilities_, [&] { return sets() ? in_cube(p) : on_simplex(p); });
  }
  /// Those with the largest scores.
  const std::vector<std::int32_t>& predicted() {
    return kept(predicted_, [&] { return largest_columns(scores); });
  }
  /// Zeros and ones: as given, or the outputs above the threshold.
  Rows predicted_sets() {
    if (given_sets_.cols() > 0 || structures()) return given_sets_;
    return std::as_const(kept(sets_, [&] { return above_threshold(p); })).view();
  }
  Rows true_sets() {
    if (structures()) return truth_.sets;
    return std::as_const(kept(true_sets_, [&] { return above_threshold(y); })).view();
  }
  const std::vector<Counts>& counts() {
    return kept(counts_, [&] {
      return sets() ? label_counts(true_sets(), predicted_sets())
                    : class_counts(labels(), predicted(), std::max(classes(), scores.cols()));
    });
  }
  PrecisionRecall micro() { return micro_average(counts()); }
  PrecisionRecall macro() { return macro_average(counts(), !sets()); }
  /// mean(truth, scores, groups) over the items of all queries, or over the classes of all rows.
  double over_orders(MeanOf mean(std::span<const double>, std::span<const double>,
                                 std::span<const std::int64_t>)) {
    const Orders& all = orders();
    return mean(all.truth, all.scores, all.groups).mean;
  }
  double ndcg(std::size_t k) {
    const Orders& all = orders();
    return mean_ndcg(all.truth, all.scores, all.groups, k).mean;
  }

 private:
  struct Orders {
    Numbers truth, scores;
    std::vector<std::int64_t> groups;
  };

  static Matrix<double> above_threshold(Rows rows) {
    Matrix<double> sets(rows.rows(), rows.cols());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      for (std::size_t j = 0; j < rows.cols(); ++j) sets(i, j) = rows.row(i)[j] > label_threshold ? 1 : 0;
    }
    return sets;
  }

  template <class T, class Make>
  static T& kept(std::optional<T>& value, Make make) {
    if (!value) value = make();
    return *value;
  }

  const Orders& orders() {
    return kept(orders_, [&] {
      if (task_ == Task::ranking) {
        Orders documents{first_column(y), first_column(scores), {}};
        documents.groups.assign(truth_.queries.begin(), truth_.queries.end());
        if (documents.groups.empty()) documents.groups = {0, static_cast<std::int64_t>(y.rows())};
        return documents;
      }
      check_size("a row of predictions", scores.cols(), y.cols());
      Orders rows{all_entries(y), all_entries(scores), {0}};
      for (std::size_t i = 1; i <= y.rows(); ++i) {
        rows.groups.push_back(static_cast<std::int64_t>(i * y.cols()));
      }
      return rows;
    });
  }

  Task task_;
  const Truth& truth_;
  std::optional<bool> probabilities_;
  std::optional<std::vector<std::int32_t>> predicted_;
  Rows given_sets_;
  std::optional<Matrix<double>> sets_, true_sets_;
  std::optional<std::vector<Counts>> counts_;
  std::optional<Orders> orders_;
};

using Value = std::optional<double>;

Value top(Judged& of, std::size_t k) {
  return of.classes() > k ? Value(top_k_accuracy(of.labels(), of.scores, k)) : std::nullopt;
}

double accuracy_of(Judged& of) {
  return of.labels().empty() ? accuracy(largest_columns(of.y), of.predicted())
                             : accuracy(of.labels(), of.predicted());
}

Value log_loss_of(Judged& of) {
  if (of.shares()) return log_loss(of.y, of.p);
  if (!of.probabilities()) return std::nullopt;
  return of.sets() ? binary_log_loss(of.y, of.p) : log_loss(of.labels(), of.p);
}

Value brier_of(Judged& of) {
  if (!of.probabilities()) return std::nullopt;
  return of.sets() ? squared_error(of.y, of.p) : brier(of.labels(), of.p);
}

Value calibration_of(Judged& of) {
  return of.probabilities() ? Value(calibration_error(of.labels(), of.p)) : std::nullopt;
}

Value area_of(Judged& of) {
  bool told_apart = false;  // rows of zeros and ones order nothing
  for (std::size_t i = 0; i < of.p.rows() && of.probabilities() && !told_apart; ++i)
    told_apart = std::ranges::any_of(of.p.row(i), [](double p) { return p > 0 && p < 1; });
  const Rows compared = told_apart ? of.p : of.scores;
  return of.sets() ? mean_area_under_curve(of.true_sets(), compared)
                   : mean_area_under_curve(of.labels(), compared);
}

Value by_taggers(Judged&) { return std::nullopt; }  // models/evaluation.hpp: it takes sentences

// A line of the list: a metric, and its value where these predictions have one.
struct Line {
  MetricInfo info;
  Value (*value)(Judged&);
};

using Of = Judged&;
using enum Task;

// The one list of metrics. Tasks show theirs in this order.
constexpr Line lines[] = {
    {{"ndcg_10", true, "normalised discounted gain of the first 10 places", {ranking}},
     [](Of of) -> Value { return of.ndcg(10); }},
    {{"ndcg_5", true, "normalised discounted gain of the first 5 places", {ranking}},
     [](Of of) -> Value { return of.ndcg(5); }},
    {{"ndcg", true, "normalised discounted gain of all places", {ranking}},
     [](Of of) -> Value { return of.ndcg(0); }},
    {{"kendall_tau", true, "mean τ_b of the orders", {ranking, label_ranking}},
     [](Of of) -> Value { return of.over_orders(mean_kendall_tau); }},
    {{"spearman", true, "mean correlation of ranks", {ranking, label_ranking}},
     [](Of of) -> Value { return of.over_orders(mean_spearman); }},
    {{"accuracy",
      true,
      "share of right classes (tokens; first places of rankings)",
      {classification, label_ranking, tagging}},
     [](Of of) -> Value { return accuracy_of(of); }},
    {{"top_3", true, "share of rows whose class has one of the 3 largest scores", {classification}},
     [](Of of) { return top(of, 3); }},
    {{"top_5", true, "share of rows whose class has one of the 5 largest scores", {classification}},
     [](Of of) { return top(of, 5); }},
    {{"subset_accuracy",
      true,
      "share of label sets, sentences or structures that are right as a whole",
      {multilabel, tagging, structured}},
     [](Of of) -> Value {
       return (of.structures() ? structure_accuracy : subset_accuracy)(of.true_sets(), of.predicted_sets());
     }},
    {{"hamming_loss", false, "share of wrong labels, or entries of structures", {multilabel, structured}},
     [](Of of) -> Value {
       return (of.structures() ? wrong_entries : hamming_loss)(of.true_sets(), of.predicted_sets());
     }},
    {{"f1_micro", true, "F1 of all labels together", {multilabel}},
     [](Of of) -> Value { return of.micro().f1; }},
    {{"precision_micro", true, "precision of all labels together", {multilabel}},
     [](Of of) -> Value { return of.micro().precision; }},
    {{"recall_micro", true, "recall of all labels together", {multilabel}},
     [](Of of) -> Value { return of.micro().recall; }},
    {{"f1_macro", true, "mean F1 of the classes", {classification, multilabel, tagging}},
     [](Of of) -> Value { return of.macro().f1; }},
    {{"precision_macro", true, "mean precision of the classes", {classification, multilabel}},
     [](Of of) -> Value { return of.macro().precision; }},
    {{"recall_macro", true, "mean recall of the classes", {classification, multilabel}},
     [](Of of) -> Value { return of.macro().recall; }},
    {{"auc",
      true,
      "mean area under the ROC curve, each class against the rest",
      {classification, multilabel}},
     area_of},
    {{"chunk_f1", true, "F1 of chunks of tokens", {tagging}}, by_taggers},
    {{"chunk_precision", true, "precision of chunks of tokens", {tagging}}, by_taggers},
    {{"chunk_recall", true, "recall of chunks of tokens", {tagging}}, by_taggers},
    {{"js", false, "mean Jensen-Shannon divergence, natural logarithm", {proportions}},
     [](Of of) -> Value { return jensen_shannon(of.y, of.p); }},
    {{"r_squared", true, "1 − squared error over that of the mean", {regression}},
     [](Of of) -> Value { return r_squared(of.y, of.p); }},
    {{"squared_error", false, "mean ‖p − y‖²", {proportions, regression, structured}},
     [](Of of) -> Value { return squared_error(of.y, of.p); }},
    {{"half_squared_error", false, "mean ½‖p − y‖²", {proportions, regression, structured}},
     [](Of of) -> Value { return half_squared_error(of.y, of.p); }},
    {{"absolute_error", false, "mean |p − y|", {regression}},
     [](Of of) -> Value { return absolute_error(of.y, of.p); }},
    {{"log_loss",
      false,
      "mean −log of the probability of the truth, zeros taken as 2.2e-16",
      {classification, proportions, multilabel, tagging}},
     log_loss_of},
    {{"brier", false, "mean ‖p − y‖² of probabilities", {classification, multilabel}}, brier_of},
    {{"calibration_error", false, "mean distance of confidence and accuracy over 15 bins", {classification}},
     calibration_of},
    {{"mean_support",
      false,
      "mean number of outputs that are not 0",
      {classification, proportions, multilabel, tagging, structured}},
     [](Of of) -> Value { return mean_support(of.p); }}};

}  // namespace

const std::vector<MetricInfo>& metric_list() {
  static const std::vector<MetricInfo> list = [] {
    std::vector<MetricInfo> infos;
    for (const Line& line : lines) infos.push_back(line.info);
    return infos;
  }();
  return list;
}

const MetricInfo& find_metric(std::string_view name) {
  std::vector<std::string_view> names;
  for (const MetricInfo& info : metric_list()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  const std::string nearest = spec::suggestion(name, names);
  throw OptionError(
      fmt::format("unknown `metric` '{}'{}", name,
                  nearest.empty() ? fmt::format("; expected {}", fmt::join(names, ", ")) : nearest));
}

std::string_view default_metric(Task task) {
  constexpr std::array<std::string_view, all_tasks.size()> by_task{
      "accuracy", "js", "f1_micro", "squared_error", "ndcg_10", "kendall_tau", "accuracy", "subset_accuracy"};
  return by_task[static_cast<std::size_t>(task)];
}

std::vector<Metric> evaluate(Task task, const Predictions& predictions, const Truth& truth) {
  if (task == Task::tagging) task = Task::classification;  // of tokens
  const bool labels = task == Task::classification;
  check_size("predictions", predictions.outputs.rows(), labels ? truth.labels.size() : truth.rows.rows());
  check_size("scores", scores_of(predictions).rows(), predictions.outputs.rows());
  if (task == Task::structured) {
    check_size("predicted structures", predictions.sets.rows(), predictions.outputs.rows());
    check_size("true structures", truth.sets.rows(), predictions.outputs.rows());
  }
  Judged judged(task, predictions, truth);
  std::vector<Metric> result;
  for (const Line& line : lines) {
    if (!line.info.tasks.contains(task)) continue;
    if (const Value value = line.value(judged)) result.push_back({std::string(line.info.name), *value});
  }
  return result;
}

Details details(Task task, const Predictions& predictions, const Truth& truth) {
  Details result;
  if (task != Task::classification && task != Task::multilabel) return result;
  Judged judged(task, predictions, truth);
  for (const Counts& counts : judged.counts()) {
    const PrecisionRecall ratios = precision_recall(counts);
    result.classes.push_back(
        {ratios.precision, ratios.recall, ratios.f1, counts.true_positives + counts.false_negatives});
  }
  if (task == Task::multilabel) return result;
  result.confusion = confusion(judged.labels(), judged.predicted(), result.classes.size());
  if (judged.probabilities()) result.calibration = calibration_bins(judged.labels(), judged.p);
  return result;
}

double value_of(std::span<const Metric> metrics, std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.name == name) return metric.value;
  }
  find_metric(name);
  std::vector<std::string_view> names;
  for (const Metric& metric : metrics) names.push_back(metric.name);
  throw OptionError(
      fmt::format("`metric` is '{}', which is not one of this task and these predictions; expected {}", name,
                  fmt::join(names, ", ")));
}

}  // namespace fenchel::metrics
