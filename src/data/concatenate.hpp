// SPDX-License-Identifier: Apache-2.0
// Several data sets as one: for formats that are read file by file.
#pragma once

#include <span>

#include "fenchel/core/dataset.hpp"

namespace fenchel {

/// The rows of all parts, one part after another. Throws DataError naming the part that does not fit the
/// first.
Dataset concatenate(std::span<const Dataset> parts);

}  // namespace fenchel
