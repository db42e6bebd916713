// SPDX-License-Identifier: Apache-2.0
// Means and squared deviations of features.
#pragma once

#include <span>
#include <vector>

#include "fenchel/core/features.hpp"

namespace fenchel {

/// Of every feature, over weighted examples.
struct FeatureMoments {
  double weight = 0;               ///< of all examples
  std::vector<double> mean;        ///< Σ w x / weight
  std::vector<double> deviations;  ///< Σ w (x − mean)²: exactly 0 for a constant feature
};

/// Computed in one pass without cancellation for a large mean. Weights are ≥ 0; if empty, all are 1.
template <Real T>
FeatureMoments feature_moments(const FeaturesView<T>& x, std::span<const double> weights = {});

}  // namespace fenchel
