// SPDX-License-Identifier: Apache-2.0
#include "fenchel/metrics/probability.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"

namespace fenchel::metrics {
namespace {

double at(std::span<const double> row, std::size_t j) { return j < row.size() ? row[j] : 0; }

double clipped_log(double p) { return std::log(std::max(p, smallest_probability)); }

// t log(t/m), continuous at t = 0.
double divergence_term(double t, double m) { return t > 0 ? t * std::log(t / m) : 0; }

double squared_distance(std::span<const double> y, std::span<const double> p) {
  double sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double difference = at(p, j) - y[j];
    sum += difference * difference;
  }
  return sum;
}

// The mean over rows of f(row of the truth, row of the predictions).
template <class F>
double mean_over_rows(MatrixView<const double> truth, MatrixView<const double> p, F f) {
  check_size("predictions", p.rows(), truth.rows());
  if (truth.rows() == 0) return 0;
  CompensatedSum sum;
  for (std::size_t i = 0; i < truth.rows(); ++i) sum += f(truth.row(i), p.row(i));
  return sum.value() / static_cast<double>(truth.rows());
}

// The mean over rows of f(true class, row of the predictions).
template <class F>
double mean_over_labels(std::span<const std::int32_t> truth, MatrixView<const double> p, F f) {
  check_size("predictions", p.rows(), truth.size());
  if (truth.empty()) return 0;
  CompensatedSum sum;
  for (std::size_t i = 0; i < truth.size(); ++i) sum += f(static_cast<std::size_t>(truth[i]), p.row(i));
  return sum.value() / static_cast<double>(truth.size());
}

}  // namespace

double log_loss(std::span<const std::int32_t> truth, MatrixView<const double> p) {
  return mean_over_labels(truth, p, [](std::size_t label, auto row) { return -clipped_log(at(row, label)); });
}

double log_loss(MatrixView<const double> truth, MatrixView<const double> p) {
  return mean_over_rows(truth, p, [](auto y, auto row) {
    double sum = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (y[j] != 0) sum -= y[j] * clipped_log(at(row, j));
    }
    return sum;
  });
}

double binary_log_loss(MatrixView<const double> truth, MatrixView<const double> p) {
  return mean_over_rows(truth, p, [](auto y, auto row) {
    double sum = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      sum -= y[j] * clipped_log(at(row, j)) + (1 - y[j]) * clipped_log(1 - at(row, j));
    }
    return sum;
  });
}

double brier(std::span<const std::int32_t> truth, MatrixView<const double> p) {
  return mean_over_labels(truth, p, [](std::size_t label, auto row) {
    double sum = label < row.size() ? 0 : 1;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double difference = row[j] - (j == label ? 1 : 0);
      sum += difference * difference;
    }
    return sum;
  });
}

double jensen_shannon(std::span<const double> y, std::span<const double> p) {
  double sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double middle = (y[j] + at(p, j)) / 2;
    sum += divergence_term(y[j], middle) + divergence_term(at(p, j), middle);
  }
  return std::max(0.0, sum / 2);  // rounding may leave a tiny negative sum where p = y
}

double jensen_shannon(MatrixView<const double> truth, MatrixView<const double> p) {
  return mean_over_rows(truth, p, [](auto y, auto row) { return jensen_shannon(y, row); });
}

double squared_error(MatrixView<const double> truth, MatrixView<const double> p) {
  return mean_over_rows(truth, p, squared_distance);
}

double half_squared_error(MatrixView<const double> truth, MatrixView<const double> p) {
  return squared_error(truth, p) / 2;
}

double absolute_error(MatrixView<const double> truth, MatrixView<const double> p) {
  return mean_over_rows(truth, p, [](auto y, auto row) {
    double sum = 0;
    for (std::size_t j = 0; j < y.size(); ++j) sum += std::abs(at(row, j) - y[j]);
    return y.empty() ? 0 : sum / static_cast<double>(y.size());
  });
}

double r_squared(MatrixView<const double> truth, MatrixView<const double> p) {
  check_size("predictions", p.rows(), truth.rows());
  if (truth.rows() == 0 || truth.cols() == 0) return 0;
  double sum = 0;
  for (std::size_t j = 0; j < truth.cols(); ++j) {
    CompensatedSum total;
    for (std::size_t i = 0; i < truth.rows(); ++i) total += truth.row(i)[j];
    const double mean = total.value() / static_cast<double>(truth.rows());
    CompensatedSum left, spread;
    for (std::size_t i = 0; i < truth.rows(); ++i) {
      const double residual = at(p.row(i), j) - truth.row(i)[j];
      left += residual * residual;
      spread += (truth.row(i)[j] - mean) * (truth.row(i)[j] - mean);
    }
    if (spread.value() > 0) {
      sum += 1 - left.value() / spread.value();
    } else {
      sum += left.value() == 0 ? 1 : 0;
    }
  }
  return sum / static_cast<double>(truth.cols());
}

double mean_support(MatrixView<const double> p) {
  if (p.rows() == 0) return 0;
  std::size_t support = 0;
  for (std::size_t i = 0; i < p.rows(); ++i) {
    const auto row = p.row(i);
    support += row.size() - static_cast<std::size_t>(std::ranges::count(row, 0.0));
  }
  return static_cast<double>(support) / static_cast<double>(p.rows());
}

std::vector<CalibrationBin> calibration_bins(std::span<const std::int32_t> truth, MatrixView<const double> p,
                                             std::size_t bins) {
  check_size("predictions", p.rows(), truth.size());
  check_at_least("bins", static_cast<double>(bins), 1);
  std::vector<CalibrationBin> result(bins);
  for (std::size_t i = 0; i < truth.size() && p.cols() > 0; ++i) {
    const auto row = p.row(i);
    const auto top = std::ranges::max_element(row);
    const double upper = std::ceil(std::clamp(*top, 0.0, 1.0) * static_cast<double>(bins));
    CalibrationBin& bin = result[static_cast<std::size_t>(std::max(upper, 1.0)) - 1];
    bin.rows += 1;
    bin.confidence += *top;
    bin.accuracy += top - row.begin() == truth[i] ? 1 : 0;
  }
  for (CalibrationBin& bin : result) {
    if (bin.rows == 0) continue;
    bin.confidence /= static_cast<double>(bin.rows);
    bin.accuracy /= static_cast<double>(bin.rows);
  }
  return result;
}

double calibration_error(std::span<const std::int32_t> truth, MatrixView<const double> p, std::size_t bins) {
  double sum = 0;
  for (const CalibrationBin& bin : calibration_bins(truth, p, bins)) {
    sum += static_cast<double>(bin.rows) * std::abs(bin.accuracy - bin.confidence);
  }
  return truth.empty() ? 0 : sum / static_cast<double>(truth.size());
}

}  // namespace fenchel::metrics
