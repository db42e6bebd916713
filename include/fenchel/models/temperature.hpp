// SPDX-License-Identifier: Apache-2.0
// The temperature t of ŷ_{tΩ}(θ) = ŷ_Ω(θ/t), chosen after training (paper §8.1, remark): it leaves the order
// of the outputs alone and moves confidence and sparsity, the smaller the sparser.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fenchel/core/views.hpp"
#include "fenchel/metrics/evaluate.hpp"
#include "fenchel/models/model_head.hpp"

namespace fenchel {

/// The temperature and the metric that it gave.
struct TemperatureChoice {
  double temperature = 1;
  double value = 0;
};

/// 1 and powers of 10^{1/8} from 0.1 to 10.
std::vector<double> default_temperatures();

/// The best of the candidates for a metric of the model's task (metrics::metric_list) on scores θ with known
/// truth; of equally good ones the nearest to 1. Throws std::invalid_argument if a candidate is not > 0 or
/// the metric is not one of the task.
TemperatureChoice choose_temperature(const ModelHead& model, MatrixView<const double> theta,
                                     const metrics::Truth& truth, std::string_view metric,
                                     std::span<const double> candidates, int threads = 0);

}  // namespace fenchel
