// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/scaler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "core/feature_moments.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/option_error.hpp"

namespace fenchel {
namespace {

template <Real T>
std::vector<double> largest_of(const FeaturesView<T>& x, std::span<const double> weights) {
  std::vector<double> largest(x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (!weights.empty() && weights[i] == 0) continue;
    x.for_each(i, [&](std::size_t j, double value) { largest[j] = std::max(largest[j], std::abs(value)); });
  }
  return largest;
}

template <Real T>
void scale_row(const Scaler& scaler, std::span<T> row) {
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double mean = scaler.mean.empty() ? 0 : scaler.mean[j];
    row[j] = static_cast<T>((static_cast<double>(row[j]) - mean) / scaler.scale[j]);
  }
}

template <Real T>
void scale_dense(const Scaler& scaler, Matrix<T>& x) {
  if (scaler.scaling == Scaling::none) return;
  check_size("the number of features", x.cols(), scaler.scale.size());
  for (std::size_t i = 0; i < x.rows(); ++i) scale_row(scaler, x.row(i));
}

template <Real T>
void scale_sparse(const Scaler& scaler, CsrMatrix<T>& x) {
  if (scaler.scaling == Scaling::none) return;
  check_size("the number of features", x.cols, scaler.scale.size());
  for (std::size_t e = 0; e < x.values.size(); ++e) {
    x.values[e] = static_cast<T>(static_cast<double>(x.values[e]) /
                                 scaler.scale[static_cast<std::size_t>(x.indices[e])]);
  }
}

template <Real T>
ScaledFeatures scaled_copy(const Scaler& scaler, const FeaturesView<T>& x) {
  if (!x.sparse()) {
    Matrix<T> copy(x.rows(), x.cols());
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const auto row = x.dense_rows().row(i);
      std::copy(row.begin(), row.end(), copy.row(i).begin());
    }
    scaler.apply(copy);
    return {Features(std::move(copy)), {}};
  }
  const CsrView<T>& rows = x.sparse_rows();
  CsrMatrix<T> copy;
  copy.cols = rows.cols();
  copy.offsets.reserve(rows.rows() + 1);
  copy.indices.reserve(rows.size());
  copy.values.reserve(rows.size());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto indices = rows.indices(i);
    const auto values = rows.values(i);
    copy.indices.insert(copy.indices.end(), indices.begin(), indices.end());
    copy.values.insert(copy.values.end(), values.begin(), values.end());
    copy.offsets.push_back(static_cast<std::int64_t>(copy.indices.size()));
  }
  scaler.apply(copy);
  return {Features(std::move(copy)), scaler.center()};
}

std::string called(std::size_t column, std::span<const std::string> names) {
  if (names.empty()) return "feature " + std::to_string(column + 1) + " (counted from 1)";
  return "feature '" + names[column] + "'";
}

// Squares of deviations below this share of the range of numbers have lost digits, or are 0.
constexpr double least_deviation = 1e-145;

// Refuses features whose deviations cannot be told from 0 because all of their values are tiny.
void check_not_tiny(const Features& x, std::span<const double> deviations, std::span<const double> weights,
                    std::span<const std::string> names) {
  if (std::ranges::all_of(deviations, [](double deviation) { return deviation >= least_deviation; })) return;
  const std::vector<double> largest = x.visit([&](const auto& rows) { return largest_of(rows, weights); });
  for (std::size_t j = 0; j < deviations.size(); ++j) {
    if (deviations[j] < least_deviation && largest[j] > 0 && largest[j] < least_deviation) {
      throw std::invalid_argument(
          called(j, names) +
          " has values that are too small to be scaled by their deviation; multiply them, "
          "or scale by the largest value");
    }
  }
}

}  // namespace

std::string_view scaling_name(Scaling scaling) {
  constexpr std::array<std::string_view, 3> names{"none", "standard", "maxabs"};
  return names[static_cast<std::size_t>(scaling)];
}

Scaling scaling_called(std::string_view name) {
  for (const Scaling scaling : {Scaling::none, Scaling::standard, Scaling::maxabs}) {
    if (scaling_name(scaling) == name) return scaling;
  }
  throw OptionError("`scale` is '" + std::string(name) + "'; expected standard, maxabs or none");
}

Scaler Scaler::fit(const Features& x, Scaling scaling, std::span<const double> weights,
                   std::span<const std::string> names) {
  if (!weights.empty()) check_size("the weights", weights.size(), x.rows());
  if (!names.empty()) check_size("the names", names.size(), x.cols());
  Scaler result;
  result.scaling = scaling;
  if (scaling == Scaling::none) return result;
  if (scaling == Scaling::maxabs) {
    result.scale = x.visit([&](const auto& rows) { return largest_of(rows, weights); });
  } else {
    FeatureMoments moments = x.visit([&](const auto& rows) { return feature_moments(rows, weights); });
    result.mean = std::move(moments.mean);
    result.scale = std::move(moments.deviations);
    const double total = moments.weight > 0 ? moments.weight : 1;
    for (double& deviation : result.scale) deviation = std::sqrt(deviation / total);
    check_not_tiny(x, result.scale, weights, names);
  }
  for (std::size_t j = 0; j < result.scale.size(); ++j) {
    if (!std::isfinite(result.scale[j]) || (!result.mean.empty() && !std::isfinite(result.mean[j]))) {
      throw std::invalid_argument(called(j, names) +
                                  " has values that are too large (or not finite) to be scaled");
    }
    if (result.scale[j] == 0) result.scale[j] = 1;
  }
  return result;
}

ScaledFeatures Scaler::apply(const Features& x) const {
  if (scaling == Scaling::none) return {x, {}};
  check_size("the number of features", x.cols(), scale.size());
  return x.visit([this](const auto& rows) { return scaled_copy(*this, rows); });
}

void Scaler::apply(Matrix<float>& x) const { scale_dense(*this, x); }
void Scaler::apply(Matrix<double>& x) const { scale_dense(*this, x); }
void Scaler::apply(CsrMatrix<float>& x) const { scale_sparse(*this, x); }
void Scaler::apply(CsrMatrix<double>& x) const { scale_sparse(*this, x); }

std::vector<double> Scaler::center() const {
  std::vector<double> result(mean);
  for (std::size_t j = 0; j < result.size(); ++j) result[j] /= scale[j];
  return result;
}

}  // namespace fenchel
