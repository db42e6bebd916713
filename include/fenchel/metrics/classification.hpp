// SPDX-License-Identifier: Apache-2.0
// How well classes and sets of labels are predicted. Means are over rows and every row counts the same; of no
// rows they are 0. Rows of scores or of zeros and ones may have fewer columns than there are classes: what is
// missing counts as never predicted (labels that only the test data have).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/views.hpp"

namespace fenchel::metrics {

/// The column of the largest entry of each row; of equal ones the first.
std::vector<std::int32_t> largest_columns(MatrixView<const double> rows);

/// The share of rows with predicted = truth.
double accuracy(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted);

/// The share of rows whose true class is among those with the k largest scores; of equal scores the first
/// count as larger, so that k = 1 is the accuracy of largest_columns.
double top_k_accuracy(std::span<const std::int32_t> truth, MatrixView<const double> scores, std::size_t k);

/// classes × classes: how many rows of class i (the row) were predicted as class j (the column).
Matrix<double> confusion(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted,
                         std::size_t classes);

/// What happened to one class.
struct Counts {
  std::size_t true_positives = 0;   ///< predicted and true
  std::size_t false_positives = 0;  ///< predicted and not true
  std::size_t false_negatives = 0;  ///< true and not predicted

  friend bool operator==(const Counts&, const Counts&) = default;
};

/// Counts of each class where a row has one class.
std::vector<Counts> class_counts(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted,
                                 std::size_t classes);
/// Counts of each label where a row has a set of them, given as ones among zeros.
std::vector<Counts> label_counts(MatrixView<const double> truth, MatrixView<const double> predicted);

/// Precision tp/(tp + fp), recall tp/(tp + fn) and F1 2tp/(2tp + fp + fn); a ratio 0/0 is 0.
struct PrecisionRecall {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};
PrecisionRecall precision_recall(const Counts& counts);
/// Of the counts of all classes together. Where rows have one class, all three are the accuracy.
PrecisionRecall micro_average(std::span<const Counts> classes);
/// The mean over all classes, or only over those that are true or predicted somewhere.
PrecisionRecall macro_average(std::span<const Counts> classes, bool skip_absent);

/// The area under the ROC curve: how often a positive (1 among zeros) has a larger score than a negative,
/// ties counting one half; nothing unless there are some of both.
std::optional<double> area_under_curve(std::span<const double> positive, std::span<const double> scores);
/// The mean over the classes that have positives (rows of that class) and negatives; nothing if none has.
std::optional<double> mean_area_under_curve(std::span<const std::int32_t> truth,
                                            MatrixView<const double> scores);
/// The same for sets of labels, given as ones among zeros.
std::optional<double> mean_area_under_curve(MatrixView<const double> truth, MatrixView<const double> scores);

/// The share of wrong entries among rows × labels.
double hamming_loss(MatrixView<const double> truth, MatrixView<const double> predicted);
/// The share of rows whose set is right as a whole.
double subset_accuracy(MatrixView<const double> truth, MatrixView<const double> predicted);

/// The share of structures, one per row, that are right as a whole.
double structure_accuracy(MatrixView<const double> truth, MatrixView<const double> predicted);
/// The share of the entries of structures that are wrong.
double wrong_entries(MatrixView<const double> truth, MatrixView<const double> predicted);

}  // namespace fenchel::metrics
