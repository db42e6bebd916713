// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/temperature.hpp"

#include <cmath>

#include "fenchel/core/check.hpp"
#include "models/judge.hpp"

namespace fenchel {

std::vector<double> default_temperatures() {
  std::vector<double> candidates;
  for (int step = -8; step <= 8; ++step) candidates.push_back(std::pow(10.0, step / 8.0));
  return candidates;
}

TemperatureChoice choose_temperature(const ModelHead& model, MatrixView<const double> theta,
                                     const metrics::Truth& truth, std::string_view metric,
                                     std::span<const double> candidates, int threads) {
  check_not_empty("candidates", candidates.size());
  const bool larger_is_better = metrics::find_metric(metric).larger_is_better;
  Matrix<double> outputs(theta.rows(), theta.cols());
  TemperatureChoice best;
  bool first = true;
  for (const double temperature : candidates) {
    outputs_from_scores(model, theta, outputs.view(),
                        {.temperature = temperature, .queries = truth.queries, .threads = threads});
    const double value = metrics::value_of(judge(model, theta, std::as_const(outputs).view(), truth), metric);
    const bool better = larger_is_better ? value > best.value : value < best.value;
    const bool nearer = std::abs(std::log(temperature)) < std::abs(std::log(best.temperature));
    if (first || better || (value == best.value && nearer)) best = {temperature, value};
    first = false;
  }
  return best;
}

}  // namespace fenchel
