// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/soft_dtw_barycenter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/workspace.hpp"
#include "solvers/lbfgs_minimizer.hpp"

namespace fenchel {
namespace {

using Series = MatrixView<const double>;

void check_series(const std::string& name, Series series, std::size_t width) {
  check_not_empty(name, series.rows());
  check_size("a step of " + name, series.cols(), width);
  for (std::size_t i = 0; i < series.rows(); ++i) {
    check_finite(name, series.row(i), static_cast<std::ptrdiff_t>(i));
  }
}

void check_all(std::span<const Series> series, const SoftDtwBarycenterOptions& options) {
  check_not_empty("series", series.size());
  const std::size_t width = series.front().cols();
  check_not_empty("a step of series[0]", width);
  for (std::size_t i = 0; i < series.size(); ++i)
    check_series(fmt::format("series[{}]", i), series[i], width);
  if (!options.start.empty()) check_series("start", options.start, width);
  check_at_least("tolerance", options.tolerance, 0);
  check_at_least("max_iterations", options.max_iterations, 0);
}

/// Weights that sum to one.
std::vector<double> shares(std::span<const double> weights, std::size_t count) {
  if (weights.empty()) return std::vector<double>(count, 1 / static_cast<double>(count));
  check_size("weights", weights.size(), count);
  check_finite("weights", weights);
  for (std::size_t i = 0; i < count; ++i) check_at_least(entry_name("weights", -1, i), weights[i], 0);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  check_finite("the sum of weights", sum);
  check_greater("the sum of weights", sum, 0);
  std::vector<double> result(weights.begin(), weights.end());
  for (double& share : result) share /= sum;
  return result;
}

/// The weighted mean of series, each stretched to the length of the longest by straight lines between its
/// steps.
Matrix<double> mean_of(std::span<const Series> series, std::span<const double> shares) {
  std::size_t length = 0;
  for (const Series& one : series) length = std::max(length, one.rows());
  Matrix<double> mean(length, series.front().cols());
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::size_t last = series[i].rows() - 1;
    for (std::size_t t = 0; t < length; ++t) {
      // Whole numbers, so that a series of this length is taken as it is.
      const std::size_t ahead = length > 1 ? t * last : 0, step = std::max<std::size_t>(length - 1, 1);
      const std::size_t from = ahead / step, to = std::min(from + 1, last);
      const double share = static_cast<double>(ahead % step) / static_cast<double>(step);
      for (std::size_t k = 0; k < mean.cols(); ++k) {
        mean(t, k) += shares[i] * ((1 - share) * series[i].row(from)[k] + share * series[i].row(to)[k]);
      }
    }
  }
  return mean;
}

Matrix<double> copy_of(Series series) {
  Matrix<double> copy(series.rows(), series.cols());
  for (std::size_t t = 0; t < copy.rows(); ++t) std::ranges::copy(series.row(t), copy.row(t).begin());
  return copy;
}

/// The largest value less the smallest.
double range_of(std::span<const Series> series, Series start) {
  double least = start.row(0)[0];
  double most = least;
  const auto extend = [&](Series one) {
    for (std::size_t t = 0; t < one.rows(); ++t) {
      const auto [low, high] = std::ranges::minmax(one.row(t));
      least = std::min(least, low);
      most = std::max(most, high);
    }
  };
  extend(start);
  std::ranges::for_each(series, extend);
  return most - least;
}

/// Costs of whole alignments must be finite where the search begins: it has no gradient elsewhere.
void check_range(std::span<const Series> series, Series start, double range) {
  const auto longest = std::ranges::max(series, {}, &Series::rows).rows();
  const auto terms = static_cast<double>((longest + start.rows()) * start.cols());
  if (std::isfinite(terms * range * range)) return;
  throw std::invalid_argument(
      fmt::format("values of series span {}; expected less, because sums of their squares overflow", range));
}

/// Σ_i share_i soft-DTW(b, x_i); terms are added in the order of the series, whichever thread computed them.
class Objective {
 public:
  Objective(std::span<const Series> series, std::span<const double> shares, std::size_t length,
            const SoftDtwBarycenterOptions& options)
      : series_(series),
        shares_(shares),
        length_(length),
        options_(options),
        values_(series.size()),
        gradients_(series.size(), length * series.front().cols()) {}

  double operator()(std::span<const double> point, std::span<double> gradient) {
    const std::size_t width = series_.front().cols();
    for_each_block(series_.size(), 1, options_.threads, [&](std::size_t i, std::size_t) {
      const MatrixView<double> own(gradients_.row(i).data(), length_, width);
      values_[i] =
          soft_dtw_series({point.data(), length_, width}, series_[i], {.a = own, .b = {}}, options_.soft_dtw);
    });
    std::ranges::fill(gradient, 0.0);
    double value = 0;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      value += shares_[i] * values_[i];
      add_scaled(shares_[i], gradients_.row(i), gradient.data());
    }
    return value;
  }

 private:
  std::span<const Series> series_;
  std::span<const double> shares_;
  std::size_t length_;
  const SoftDtwBarycenterOptions& options_;
  std::vector<double> values_;
  Matrix<double> gradients_;
};

}  // namespace

SoftDtwBarycenter soft_dtw_barycenter(std::span<const MatrixView<const double>> series,
                                      const SoftDtwBarycenterOptions& options) {
  check_all(series, options);
  const std::vector<double> weights = shares(options.weights, series.size());
  SoftDtwBarycenter result{.series =
                               options.start.empty() ? mean_of(series, weights) : copy_of(options.start)};
  const double range = range_of(series, result.series.view());
  check_range(series, result.series.view(), range);
  const double scale = range > 0 ? range : 1;

  Objective objective(series, weights, result.series.rows(), options);
  Workspace memory;
  LbfgsMachine search(
      {.tolerance = options.tolerance * scale, .max_iterations = options.max_iterations, .smooth = true},
      result.series.entries(), memory);
  while (!search.done()) search.tell(objective(search.trial(), search.trial_gradient()));

  std::ranges::copy(search.point(), result.series.entries().begin());
  result.value = search.value();
  result.report = search.report();
  result.report.residual /= scale;
  if (result.report.converged()) result.report.status = Status::stationary;
  return result;
}

}  // namespace fenchel
