// SPDX-License-Identifier: Apache-2.0
// What LightGBM keeps beside a file of rows: `train.txt.query` has the number of rows of each query, a line
// each, and `train.txt.weight` the weight of each row.
#pragma once

#include "fenchel/data/paths.hpp"
#include "fenchel/data/read.hpp"

namespace fenchel {

/// Puts queries and weights into data that have none of their own, and says so in the remarks. Throws
/// DataError about a side file that does not fit the rows.
void read_side_files(const Paths& paths, Reading& reading);

}  // namespace fenchel
