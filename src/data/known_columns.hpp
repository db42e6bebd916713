// SPDX-License-Identifier: Apache-2.0
// Columns of a file that is read for a model: what their values are was settled in training.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/table.hpp"
#include "fenchel/core/nominal_column.hpp"

namespace fenchel {

/// Gives the columns the values that they had in training; those of the others are numbers. Columns are known
/// by their place, and if the file has names for them (`named`) these must be those of training. Returns what
/// is wrong, or nothing.
std::string apply_known(const std::vector<NominalColumn>& known, bool named,
                        std::vector<FeatureColumn>& columns);

/// "'z' is not a value of column 'd'; expected 'p' or 'q', as in training".
std::string unseen_problem(std::string_view value, std::string_view kind, const FeatureColumn& column);

}  // namespace fenchel
