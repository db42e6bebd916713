// SPDX-License-Identifier: Apache-2.0
#include "fenchel/metrics/classification.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fenchel/core/check.hpp"

namespace fenchel::metrics {
namespace {

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void check_rows(MatrixView<const double> truth, MatrixView<const double> predicted) {
  check_size("predictions", predicted.rows(), truth.rows());
}

bool one_at(std::span<const double> row, std::size_t j) { return j < row.size() && row[j] != 0; }

// Calls f(true class, predicted class) for every row.
template <class F>
void for_each_pair(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted,
                   std::size_t classes, F f) {
  check_size("predicted", predicted.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    check_label("truth", truth[i], classes, static_cast<std::ptrdiff_t>(i));
    check_label("predicted", predicted[i], classes, static_cast<std::ptrdiff_t>(i));
    f(static_cast<std::size_t>(truth[i]), static_cast<std::size_t>(predicted[i]));
  }
}

}  // namespace

std::vector<std::int32_t> largest_columns(MatrixView<const double> rows) {
  std::vector<std::int32_t> columns(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    columns[i] = static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin());
  }
  return columns;
}

double accuracy(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted) {
  check_size("predicted", predicted.size(), truth.size());
  std::size_t right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) right += truth[i] == predicted[i] ? 1 : 0;
  return share(right, truth.size());
}

double top_k_accuracy(std::span<const std::int32_t> truth, MatrixView<const double> scores, std::size_t k) {
  check_size("scores", scores.rows(), truth.size());
  std::size_t right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto row = scores.row(i);
    const auto label = static_cast<std::size_t>(truth[i]);
    if (label >= row.size()) continue;
    std::size_t ahead = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] > row[label] || (row[j] == row[label] && j < label)) ++ahead;
    }
    if (ahead < k) ++right;
  }
  return share(right, truth.size());
}

Matrix<double> confusion(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted,
                         std::size_t classes) {
  Matrix<double> counts(classes, classes);
  for_each_pair(truth, predicted, classes, [&](std::size_t is, std::size_t said) { counts(is, said) += 1; });
  return counts;
}

std::vector<Counts> class_counts(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted,
                                 std::size_t classes) {
  std::vector<Counts> counts(classes);
  for_each_pair(truth, predicted, classes, [&](std::size_t is, std::size_t said) {
    if (is == said) {
      ++counts[is].true_positives;
    } else {
      ++counts[is].false_negatives;
      ++counts[said].false_positives;
    }
  });
  return counts;
}

std::vector<Counts> label_counts(MatrixView<const double> truth, MatrixView<const double> predicted) {
  check_rows(truth, predicted);
  std::vector<Counts> counts(truth.cols());
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    for (std::size_t j = 0; j < truth.cols(); ++j) {
      const bool is = truth.row(i)[j] != 0;
      const bool said = one_at(predicted.row(i), j);
      counts[j].true_positives += is && said ? 1 : 0;
      counts[j].false_positives += !is && said ? 1 : 0;
      counts[j].false_negatives += is && !said ? 1 : 0;
    }
  }
  return counts;
}

PrecisionRecall precision_recall(const Counts& counts) {
  const std::size_t right = counts.true_positives;
  return {share(right, right + counts.false_positives), share(right, right + counts.false_negatives),
          share(2 * right, 2 * right + counts.false_positives + counts.false_negatives)};
}

PrecisionRecall micro_average(std::span<const Counts> classes) {
  Counts sum;
  for (const Counts& counts : classes) {
    sum.true_positives += counts.true_positives;
    sum.false_positives += counts.false_positives;
    sum.false_negatives += counts.false_negatives;
  }
  return precision_recall(sum);
}

PrecisionRecall macro_average(std::span<const Counts> classes, bool skip_absent) {
  PrecisionRecall mean;
  double counted = 0;
  for (const Counts& counts : classes) {
    if (skip_absent && counts == Counts{}) continue;
    const PrecisionRecall one = precision_recall(counts);
    mean.precision += one.precision;
    mean.recall += one.recall;
    mean.f1 += one.f1;
    counted += 1;
  }
  if (counted == 0) return {};
  return {mean.precision / counted, mean.recall / counted, mean.f1 / counted};
}

std::optional<double> area_under_curve(std::span<const double> positive, std::span<const double> scores) {
  check_size("scores", scores.size(), positive.size());
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double below = 0, ahead = 0, positives = 0;  // negatives so far; pairs that are in order
  for (std::size_t first = 0; first < order.size();) {
    double here = 0;  // positives among equal scores
    std::size_t last = first;
    for (; last < order.size() && scores[order[last]] == scores[order[first]]; ++last) {
      here += positive[order[last]] != 0 ? 1 : 0;
    }
    const double others = static_cast<double>(last - first) - here;
    ahead += here * (below + others / 2);
    below += others;
    positives += here;
    first = last;
  }
  if (positives == 0 || below == 0) return std::nullopt;
  return ahead / (positives * below);
}

namespace {

// The mean of area_under_curve over columns; truth(i, j) says whether row i is a positive of column j.
template <class F>
std::optional<double> mean_area(MatrixView<const double> scores, F truth) {
  std::vector<double> positive(scores.rows()), column(scores.rows());
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t j = 0; j < scores.cols(); ++j) {
    for (std::size_t i = 0; i < scores.rows(); ++i) {
      positive[i] = truth(i, j) ? 1 : 0;
      column[i] = scores.row(i)[j];
    }
    const std::optional<double> area = area_under_curve(positive, column);
    sum += area.value_or(0);
    count += area ? 1 : 0;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace

std::optional<double> mean_area_under_curve(std::span<const std::int32_t> truth,
                                            MatrixView<const double> scores) {
  check_size("scores", scores.rows(), truth.size());
  return mean_area(scores, [&](std::size_t i, std::size_t j) { return std::cmp_equal(truth[i], j); });
}

std::optional<double> mean_area_under_curve(MatrixView<const double> truth, MatrixView<const double> scores) {
  check_rows(truth, scores);
  return mean_area(scores, [&](std::size_t i, std::size_t j) { return one_at(truth.row(i), j); });
}

double hamming_loss(MatrixView<const double> truth, MatrixView<const double> predicted) {
  std::size_t wrong = 0;
  for (const Counts& counts : label_counts(truth, predicted)) {
    wrong += counts.false_positives + counts.false_negatives;
  }
  return share(wrong, truth.rows() * truth.cols());
}

double subset_accuracy(MatrixView<const double> truth, MatrixView<const double> predicted) {
  check_rows(truth, predicted);
  std::size_t right = 0;
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    bool same = true;
    for (std::size_t j = 0; j < truth.cols(); ++j) {
      same = same && (truth.row(i)[j] != 0) == one_at(predicted.row(i), j);
    }
    right += same ? 1 : 0;
  }
  return share(right, truth.rows());
}

double structure_accuracy(MatrixView<const double> truth, MatrixView<const double> predicted) {
  check_rows(truth, predicted);
  std::size_t right = 0;
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    right += std::ranges::equal(truth.row(i), predicted.row(i)) ? 1 : 0;
  }
  return share(right, truth.rows());
}

double wrong_entries(MatrixView<const double> truth, MatrixView<const double> predicted) {
  check_rows(truth, predicted);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    const auto expected = truth.row(i), found = predicted.row(i);
    check_size("a predicted structure", found.size(), expected.size());
    for (std::size_t j = 0; j < expected.size(); ++j) wrong += expected[j] != found[j] ? 1 : 0;
  }
  return share(wrong, truth.rows() * truth.cols());
}

}  // namespace fenchel::metrics
