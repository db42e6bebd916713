// SPDX-License-Identifier: Apache-2.0
// The features of data in the order that a model has them.
#pragma once

#include "fenchel/core/dataset.hpp"
#include "fenchel/models/model_head.hpp"

namespace fenchel {

/// Columns by name where the model and the data have names; those that the model does not have come last.
/// Throws std::invalid_argument if one is missing, or if a column of words has other values than in training.
Features features_for(const ModelHead& model, const Dataset& data);

}  // namespace fenchel
