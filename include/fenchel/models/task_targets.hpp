// SPDX-License-Identifier: Apache-2.0
// What the labels and numbers of a data set mean under a task: classes, points of the simplex, sets, numbers,
// orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/core/task.hpp"
#include "fenchel/losses/targets.hpp"
#include "fenchel/metrics/evaluate.hpp"

namespace fenchel {

/// A task and why it was chosen, in words.
struct TaskGuess {
  Task task;
  std::string reason;
  std::string doubt = {};  ///< another task that may be meant, as a sentence; empty if there is none
};
/// ranking if rows belong to queries; proportions if labels have weights; label-ranking if every row has all
/// labels; multilabel if some row has several labels or none; regression if the targets are numbers and some
/// is not whole, or nearly every row has its own; else classification.
TaskGuess guess_task(const Dataset& data);

/// The targets of a data set under a task. Labels that a model does not know get classes after its own, so
/// that predictions, which have no column for them, are wrong about them.
struct TaskTargets {
  Task task = Task::classification;
  std::size_t outputs = 0;  ///< the size of θ: classes of the model, columns of numbers, or 1 (ranking)
  std::vector<std::string> classes;  ///< of the model first (`outputs` of them), then those unseen
  std::vector<std::int32_t> labels;  ///< classification
  /// The other tasks, one row per example: proportions (sum 1), numbers from 0 to 1 (multilabel), numbers
  /// (regression), relevance (ranking, one column), the order of the classes (label-ranking: the best has the
  /// largest entry, classes not listed 0), or points of the convex hull of structures (structured).
  Matrix<double> rows;
  std::vector<std::int64_t> queries;  ///< ranking: as in Dataset
  std::vector<std::size_t> kept;      ///< the rows of the data set that have a target, in order
  std::size_t dropped = 0;            ///< rows without one
  std::size_t unseen_rows = 0;        ///< rows with a label that the model does not know

  std::size_t examples() const { return kept.size(); }
  /// For metrics::evaluate; a view.
  metrics::Truth truth() const;
};

/// Reads the targets. `classes` are those of a model; if empty, those of the data, in their order. Rows
/// without a label are dropped for classification, proportions and label-ranking (and counted), and are the
/// empty set for multilabel. Throws std::invalid_argument if the data do not fit the task: a row of several
/// labels for classification, no numbers for regression and structured, no queries for ranking.
///
/// Structures are rows of numbers, or lists of the entries that are not 0, by their numbers from 1, as labels
/// are written: "1,5,9", or "1:0.5,2:0.5" with values. Lists need `structure_size`, the size of a row.
TaskTargets make_targets(const Dataset& data, Task task, std::span<const std::string> classes = {},
                         std::size_t structure_size = 0);

/// The targets y of the losses of linear models, in the type of the features: labels as they are, rows
/// converted, orders of classes as points of the permutahedron of `worths` (models/loss_choice.hpp). With
/// `unit_vectors` labels are rows too, for an Ω over structures, which has no labels.
template <Real T>
class TrainingTargets {
 public:
  explicit TrainingTargets(const TaskTargets& targets, std::span<const double> worths = {},
                           bool unit_vectors = false);
  Targets<T> view() const {
    return labels_.empty() ? Targets<T>(rows_.view()) : Targets<T>(std::span(labels_));
  }

 private:
  std::vector<std::int32_t> labels_;
  Matrix<T> rows_;
};
extern template class TrainingTargets<float>;
extern template class TrainingTargets<double>;

/// y: the largest relevance gets the largest worth, and so on; equal ones share the mean of the worths of
/// their places. A point of the permutahedron of the worths, which must be in descending order.
void worths_of_order(std::span<const double> relevance, std::span<const double> worths, std::span<double> y);

/// One weight per class: "balanced" is n/(K n_k), n the number of rows and n_k that of class k (or its mass),
/// each counted with its weight in `rows` unless that is empty; "name=2,other=0.5" sets some, the others
/// are 1. For classification and proportions.
std::vector<double> class_weights(const TaskTargets& targets, std::string_view text,
                                  std::span<const double> rows = {});

/// The weight of each row: that of its class (Σ_k y_k weight_k for proportions), times its own in `rows`
/// unless that is empty.
std::vector<double> sample_weights(const TaskTargets& targets, std::span<const double> classes,
                                   std::span<const double> rows = {});

}  // namespace fenchel
