// SPDX-License-Identifier: Apache-2.0
// Running means and sums of squared deviations (Welford).
#include "core/feature_moments.hpp"

#include <cstddef>

namespace fenchel {
namespace {

/// One more value of feature j, whose weight is the share `share` of the total so far.
void add(FeatureMoments& moments, std::size_t j, double x, double weight, double share) {
  const double delta = x - moments.mean[j];
  moments.mean[j] += delta * share;
  moments.deviations[j] += weight * (delta * (x - moments.mean[j]));
}

template <Real T>
void add_row(FeatureMoments& moments, std::span<const T> row, double weight) {
  const double share = weight / moments.weight;
  for (std::size_t j = 0; j < row.size(); ++j) add(moments, j, static_cast<double>(row[j]), weight, share);
}

/// Stored entries first; then the zeros, all at once, as a second sample of mean 0.
void add_zeros(FeatureMoments& moments, std::span<const double> stored) {
  for (std::size_t j = 0; j < stored.size(); ++j) {
    if (stored[j] == moments.weight || stored[j] == 0) continue;
    const double mean = moments.mean[j];
    moments.deviations[j] += mean * mean * stored[j] * ((moments.weight - stored[j]) / moments.weight);
    moments.mean[j] = mean * (stored[j] / moments.weight);
  }
}

}  // namespace

template <Real T>
FeatureMoments feature_moments(const FeaturesView<T>& x, std::span<const double> weights) {
  FeatureMoments moments{0, std::vector<double>(x.cols()), std::vector<double>(x.cols())};
  std::vector<double> stored(x.sparse() ? x.cols() : 0);  // the weight of the examples that hold the feature
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if (weight == 0) continue;
    moments.weight += weight;
    if (!x.sparse()) {
      add_row(moments, x.dense_rows().row(i), weight);
      continue;
    }
    x.for_each(i, [&](std::size_t j, double value) {
      stored[j] += weight;
      add(moments, j, value, weight, weight / stored[j]);
    });
  }
  add_zeros(moments, stored);
  return moments;
}
template FeatureMoments feature_moments(const FeaturesView<float>&, std::span<const double>);
template FeatureMoments feature_moments(const FeaturesView<double>&, std::span<const double>);

}  // namespace fenchel
