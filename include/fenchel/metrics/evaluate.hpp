// SPDX-License-Identifier: Apache-2.0
// The one list of metrics by name, and all those of a task at once. Names are what the option `metric` takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/task.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/metrics/probability.hpp"

namespace fenchel::metrics {

/// A metric of the list.
struct MetricInfo {
  std::string_view name;
  bool larger_is_better = true;
  std::string_view meaning;
  TaskSet tasks;  ///< those that have it
};
const std::vector<MetricInfo>& metric_list();
/// The metric of that name; throws std::invalid_argument with the nearest name if there is none.
const MetricInfo& find_metric(std::string_view name);
/// The metric that a task is tuned for unless told otherwise.
std::string_view default_metric(Task task);

/// What was predicted, one example per row.
struct Predictions {
  /// ŷ: on the simplex, in the cube, numbers, or (ranking) one column.
  MatrixView<const double> outputs = {};
  MatrixView<const double> scores = {};  ///< θ, which orders what ŷ leaves equal; outputs if empty
  /// multilabel: zeros and ones, the outputs above ½ if empty; structured: the structures.
  MatrixView<const double> sets = {};
};

/// What is true.
struct Truth {
  std::span<const std::int32_t> labels = {};  ///< classification and tagging
  /// Other tasks: proportions, numbers from 0 to 1 (multilabel; those above ½ are the set), numbers, worths.
  MatrixView<const double> rows = {};
  MatrixView<const double> sets = {};  ///< structured: the structures that `rows` are, or are nearest to
  std::span<const std::int64_t> queries = {};  ///< ranking: as in Dataset
  std::size_t classes = 0;                     ///< those of the truth included that predictions do not know
};

/// A metric's value.
struct Metric {
  std::string name;
  double value = 0;
};

/// Every metric of a task, in the order of the list. Those of probabilities only where the outputs are
/// probabilities: rows that sum to 1 (classification, tagging), entries in [0, 1] (multilabel). A label is
/// predicted where its output is above ½ (multilabel).
std::vector<Metric> evaluate(Task task, const Predictions& predictions, const Truth& truth);

/// How one class, or one label of sets, is predicted.
struct ClassMetrics {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
  std::size_t support = 0;  ///< rows that have it
};

/// What the metrics are about, class by class.
struct Details {
  std::vector<ClassMetrics> classes;        ///< classification, multilabel
  Matrix<double> confusion;                 ///< classification: rows of class i predicted as class j
  std::vector<CalibrationBin> calibration;  ///< classification, where outputs are probabilities
};
Details details(Task task, const Predictions& predictions, const Truth& truth);

/// The value of that name; throws std::invalid_argument if there is none.
double value_of(std::span<const Metric> metrics, std::string_view name);

/// 0/1 rows: where an output is above ½.
inline constexpr double label_threshold = 0.5;

}  // namespace fenchel::metrics
