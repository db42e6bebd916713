// SPDX-License-Identifier: Apache-2.0
// The metrics of predictions that a model of rows made: sets of labels and structures are decoded first.
#pragma once

#include <vector>

#include "fenchel/metrics/evaluate.hpp"
#include "fenchel/models/model_head.hpp"

namespace fenchel {

/// Every metric of the model's task. Sets of labels and structures are those of `predicted_set`; a true point
/// that is not a structure counts as the nearest one. Class by class in `details`, if given.
std::vector<metrics::Metric> judge(const ModelHead& model, MatrixView<const double> scores,
                                   MatrixView<const double> outputs, const metrics::Truth& truth,
                                   metrics::Details* details = nullptr);

}  // namespace fenchel
